package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/eval"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func evalQuestionsCommand(e *env) *cobra.Command {
	var user string
	var n int
	var seed uint64
	c := &cobra.Command{
		Use: "questions", Short: "Make questions with known answers from what a user said, for eval recall and eval sweep", Long: help("eval-questions"), Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := schema.CheckID("user", user); err != nil {
				return usage(err)
			}
			if n < 1 {
				return usage(fmt.Errorf("--questions: is %d, must be at least 1", n))
			}
			return e.evalQuestions(cmd.Context(), user, n, seed)
		},
	}
	userFlag(c, &user, "whose turns")
	c.Flags().IntVar(&n, "questions", 300, "most questions that are made")
	c.Flags().Uint64Var(&seed, "seed", 1, "draws which turns serve")
	return c
}

func (e *env) evalQuestions(ctx context.Context, user string, n int, seed uint64) error {
	events, err := e.turnsOf(ctx, user)
	if err != nil {
		return err
	}
	made, unfit := eval.Questions(eval.User{ID: user, Events: events}, n, seed)
	if len(made.Queries) == 0 {
		return fmt.Errorf("no question can be made of the %d turns of %s: it takes turns of several sentences, or several turns of a conversation, that do not only ask and hold no masked secret (%d do)", len(events), user, unfit)
	}
	fmt.Fprintf(e.err, "%d questions from %d turns\n", len(made.Queries), len(events))
	if unfit > 0 {
		fmt.Fprintf(e.err, "%d turns only ask or hold a masked secret: no question is made of them, nor answered by them\n", unfit)
	}
	return json.NewEncoder(e.out).Encode(made)
}

// turnsOf are the turns that are remembered of a user, in the order in which they were said: what was forgotten, dropped or
// switched off is not among them, and a turn is what a query would show of it.
func (e *env) turnsOf(ctx context.Context, user string) ([]eval.Event, error) {
	cl, err := e.client()
	if err != nil {
		return nil, err
	}
	var out []eval.Event
	seen := map[string]bool{}
	for q := (schema.MemoryQuery{User: user, Type: schema.TypeEpisode, Status: "all", Limit: schema.MaxPage}); ; {
		p, err := cl.Memories(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range p.Items {
			if id := it.Source.Event; id != "" && it.Content != "" && !seen[id] {
				seen[id] = true
				out = append(out, eval.Event{ID: id, Conversation: it.Conversation, At: it.ObservedAt, Input: it.Content})
			}
		}
		if q.Cursor = p.Cursor; q.Cursor == "" {
			break
		}
	}
	slices.Reverse(out) // a list runs from the newest to the oldest
	return out, nil
}
