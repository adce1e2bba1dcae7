package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/siltstone-ai/siltstone/internal/clean"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// TurnReader gives the facts that turns state, as the stages clean and distill read them under the shipped tool
// policies. Nothing runs and nothing is kept. Safe for concurrent use.
type TurnReader struct {
	cleaner  *clean.Cleaner
	policies clean.Policies
	distill  stages.Func
}

// NewTurnReader makes the two stages ready; the first opens the dictionaries, which takes a second or two.
func NewTurnReader() (*TurnReader, error) {
	c, err := clean.New(clean.Config{})
	if err != nil {
		return nil, fmt.Errorf("build clean: %w", err)
	}
	d, err := stages.Distill.New(stages.Deps{})
	if err != nil {
		return nil, fmt.Errorf("build distill: %w", err)
	}
	return &TurnReader{cleaner: c, policies: clean.NewTools(clean.DefaultTools()).Lookup, distill: d}, nil
}

// Facts are the statements that distill hands to decide for t, which says when it was said and by whom.
func (r *TurnReader) Facts(ctx context.Context, t *schema.Turn) ([]schema.Memory, error) {
	rep := r.cleaner.Turn(t, r.policies)
	body, err := json.Marshal(schema.Cleaned{Agent: t.Agent, Conversation: t.Conversation, Speaker: t.Speaker, Segments: rep.Segments})
	if err != nil {
		return nil, fmt.Errorf("encode cleaned turn: %w", err)
	}
	res, err := r.distill(ctx, schema.Event{Body: body, Envelope: schema.Envelope{
		Version: schema.Version, UUID: schema.EventUUID("eval", t.ID), ID: t.ID, Op: schema.OpCleaned, Tenant: "eval", User: t.User, At: t.At, Accepted: t.At, Seq: 1, Class: schema.ClassUser,
	}})
	if err != nil {
		return nil, err
	}
	var out []schema.Memory
	for _, ev := range res.Events {
		c, err := schema.DecodeStored[schema.Candidates](ev.Op, ev.Version, ev.Body)
		if err != nil {
			return nil, err
		}
		out = append(out, c.Facts...)
	}
	return out, nil
}
