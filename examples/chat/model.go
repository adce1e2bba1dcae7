package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// model is a chat model behind an OpenAI-compatible API. One call is all that this example needs of it; an agent that
// streams or does more takes its vendor's client in its place.
type model struct {
	base, key, name string
	http            *http.Client
}

// message is one message of a conversation, as the API has it.
type message struct {
	Role      string     `json:"role"` // system, user, assistant, tool
	Content   string     `json:"content"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`   // of an assistant: what it wants to be run
	CallID    string     `json:"tool_call_id,omitempty"` // of a tool: which call this answers
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"` // function
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // JSON that the model wrote: it may be anything
	} `json:"function"`
}

// most bounds what is read of an answer.
const most = 8 << 20

// chat sends the conversation and returns the model's next message.
func (m *model) chat(ctx context.Context, msgs []message, tools []tool) (message, error) {
	offered := make([]map[string]any, len(tools))
	for i, t := range tools {
		offered[i] = map[string]any{"type": "function", "function": map[string]any{"name": t.name, "description": t.about, "parameters": t.parameters}}
	}
	req := map[string]any{"model": m.name, "messages": msgs}
	if len(offered) > 0 {
		req["tools"] = offered
	}
	body, err := json.Marshal(req)
	if err != nil {
		return message{}, fmt.Errorf("encode request: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(m.base, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return message{}, fmt.Errorf("build request: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	if m.key != "" {
		r.Header.Set("Authorization", "Bearer "+m.key)
	}
	res, err := m.http.Do(r)
	if err != nil {
		return message{}, fmt.Errorf("ask the model: %w", err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, most))
	if err != nil {
		return message{}, fmt.Errorf("read the model's answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return message{}, fmt.Errorf("the model answers %s: %.300s", res.Status, answer)
	}
	var out struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return message{}, fmt.Errorf("read the model's answer: %w", err)
	}
	if len(out.Choices) == 0 {
		return message{}, fmt.Errorf("the model answers without a choice: %.300s", answer)
	}
	return out.Choices[0].Message, nil
}
