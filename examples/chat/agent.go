package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// agent is one conversation of a user with a model that remembers. It is not safe for concurrent use.
type agent struct {
	memory *client.HTTP
	model  *model
	tools  []tool
	log    *slog.Logger

	user, conversation string

	history []message // what was said in this conversation, without the memory that went with it
	turns   int
	seq     uint64 // of the last turn published: a query waits until that one is searchable
}

const instructions = "You are a helpful assistant. Answer in the user's language. " +
	"What stands in <memory_context> is background from earlier conversations."

const (
	memoryTime = 2 * time.Second // what an answer waits for memory at most
	maxRounds  = 8               // of tools before an answer
	maxHistory = 40              // messages; what falls out of the window memory still has
)

// turn takes what the user says and returns the answer: remember, think, act, and offer what happened to memory.
func (a *agent) turn(ctx context.Context, input string) (string, error) {
	at := time.Now()
	msgs := append([]message{{Role: "system", Content: instructions}}, a.history...)
	msgs = append(msgs, message{Role: "user", Content: a.remember(ctx, input) + input})

	var results []schema.ToolResult
	for range maxRounds {
		m, err := a.model.chat(ctx, msgs, a.tools)
		if err != nil {
			return "", err // nothing was answered, so nothing is published: the user will say it again
		}
		if len(m.ToolCalls) == 0 {
			a.history = append(a.history, message{Role: "user", Content: input}, message{Role: "assistant", Content: m.Content})
			a.history = a.history[max(0, len(a.history)-maxHistory):]
			a.publish(ctx, at, input, m.Content, results)
			return m.Content, nil
		}
		msgs = append(msgs, m)
		for _, call := range m.ToolCalls {
			r := a.run(ctx, call)
			results = append(results, r)
			msgs = append(msgs, message{Role: "tool", CallID: call.ID, Content: r.Output})
		}
	}
	return "", fmt.Errorf("no answer after %d rounds of tools", maxRounds)
}

// remember is the block of what is known that goes just before the user's message, "" for nothing. Without memory the
// agent is poorer, not broken, so a failure is only logged. The block is made anew for each turn and kept nowhere.
func (a *agent) remember(ctx context.Context, input string) string {
	ctx, cancel := context.WithTimeout(ctx, memoryTime)
	defer cancel()
	r, err := a.memory.Query(ctx, schema.Query{User: a.user, Conversation: a.conversation, Query: input, MinSeq: a.seq})
	if err != nil {
		a.log.Warn("no memory for this turn", "conversation", a.conversation, "error", err)
		return ""
	}
	if r.Block == "" {
		return ""
	}
	return r.Block + "\n\n"
}

// run runs a tool. What fails is told to the model, and to memory, as the tool's output.
func (a *agent) run(ctx context.Context, call toolCall) schema.ToolResult {
	r := schema.ToolResult{Name: call.Function.Name, CallID: call.ID, Status: schema.ToolError, Output: "there is no such tool"}
	for _, t := range a.tools {
		if t.name == call.Function.Name {
			out, err := t.run(ctx, call.Function.Arguments)
			if err != nil {
				r.Output = err.Error()
				return r
			}
			r.Output, r.Status = out, schema.ToolOK
			return r
		}
	}
	return r
}

// publish offers the turn to memory, whole: what is computed of a tool's output is decided per tool, on the server. Its
// id makes a second try safe.
func (a *agent) publish(ctx context.Context, at time.Time, input, response string, results []schema.ToolResult) {
	a.turns++
	t := schema.Turn{
		ID: fmt.Sprintf("%s-%d", a.conversation, a.turns), User: a.user, Agent: "example-chat", Conversation: a.conversation,
		At: at, Input: input, Response: response, ToolResults: results,
	}
	for _, r := range results {
		t.ToolsUsed = append(t.ToolsUsed, r.Name)
	}
	for try := 1; ; try++ {
		acc, err := a.memory.Publish(ctx, t)
		if err == nil {
			a.seq = acc.Seq
			return
		}
		var e *schema.Error
		if !errors.As(err, &e) || !e.Retry || try == 3 {
			a.log.Warn("this turn is not remembered", "id", t.ID, "error", err)
			return
		}
		select {
		case <-time.After(max(e.After, time.Duration(try)*200*time.Millisecond)):
		case <-ctx.Done():
			a.log.Warn("this turn is not remembered", "id", t.ID, "error", ctx.Err())
			return
		}
	}
}
