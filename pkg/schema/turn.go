package schema

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a turn. A body over the edge's byte limit never gets this far.
const (
	MaxToolResults = 1024      // of tools_used, too
	MaxMetadata    = 64        // keys
	MaxMetaValue   = 1024      // bytes of a key or a string value
	MaxMetaNumber  = 1<<53 - 1 // from here on a float64 has the value of two whole numbers
)

// Turn is one agent turn offered to memory: what came in, what went out, and what tools returned. A single tool
// result may be sent before its turn ends, as a turn that holds nothing else, under the same conversation.
type Turn struct {
	ID            string         `json:"id,omitempty"`           // client's id, unique in its tenant; drawn by intake where empty
	User          string         `json:"user"`                   // whose memory this is
	Agent         string         `json:"agent,omitempty"`        // which agent spoke
	Conversation  string         `json:"conversation,omitempty"` // which conversation, never a tool
	Speaker       string         `json:"speaker,omitempty"`      // who said Input, where that is not the user
	At            time.Time      `json:"at,omitzero"`            // when it happened, RFC 3339 with zone; intake's clock where absent
	Input         string         `json:"input,omitempty"`
	Response      string         `json:"response,omitempty"`
	ToolsUsed     []string       `json:"tools_used,omitempty"`
	ToolResults   []ToolResult   `json:"tool_results,omitempty"`
	ContextWindow int            `json:"context_window,omitempty"` // tokens of the model's window, as reported
	Metadata      map[string]any `json:"metadata,omitempty"`       // string, number or bool values; queries may filter on them
}

// ToolStatus says how a tool call ended.
type ToolStatus string

// The tool statuses; empty means ok.
const (
	ToolOK      ToolStatus = "ok"
	ToolError   ToolStatus = "error"
	ToolAborted ToolStatus = "aborted"
)

// ToolResult is what one tool call returned.
type ToolResult struct {
	Name   string     `json:"name"`
	Output string     `json:"output"`
	CallID string     `json:"call_id,omitempty"`
	Status ToolStatus `json:"status,omitempty"`
}

// Validate reports the first fault, naming its field.
func (t *Turn) Validate() error {
	if err := CheckID("user", t.User); err != nil {
		return err
	}
	for _, f := range []struct{ name, v string }{{"id", t.ID}, {"agent", t.Agent}, {"conversation", t.Conversation}, {"speaker", t.Speaker}} {
		if f.v != "" {
			if err := CheckID(f.name, f.v); err != nil {
				return err
			}
		}
	}
	if t.Input == "" && t.Response == "" && len(t.ToolResults) == 0 {
		return Invalid("input", "a turn needs at least one of input, response, tool_results")
	}
	if len(t.ToolResults) > MaxToolResults {
		return Invalid("tool_results", "holds %d results, at most %d are allowed", len(t.ToolResults), MaxToolResults)
	}
	if t.ContextWindow < 0 {
		return Invalid("context_window", "must not be negative")
	}
	if len(t.ToolsUsed) > MaxToolResults {
		return Invalid("tools_used", "holds %d names, at most %d are allowed", len(t.ToolsUsed), MaxToolResults)
	}
	for i, n := range t.ToolsUsed {
		if err := CheckID(fmt.Sprintf("tools_used[%d]", i), n); err != nil {
			return err
		}
	}
	for i := range t.ToolResults {
		if err := t.ToolResults[i].validate(fmt.Sprintf("tool_results[%d]", i)); err != nil {
			return err
		}
	}
	return checkMetadata("metadata", t.Metadata)
}

func (r *ToolResult) validate(at string) error {
	if err := CheckID(at+".name", r.Name); err != nil {
		return err
	}
	if r.CallID != "" {
		if err := CheckID(at+".call_id", r.CallID); err != nil {
			return err
		}
	}
	switch r.Status {
	case "", ToolOK, ToolError, ToolAborted:
		return nil
	}
	return Invalid(at+".status", "must be one of ok, error, aborted")
}

func checkMetadata(field string, m map[string]any) error {
	if len(m) > MaxMetadata {
		return Invalid(field, "holds %d keys, at most %d are allowed", len(m), MaxMetadata)
	}
	for k, v := range m {
		if k == "" || len(k) > MaxMetaValue || strings.ContainsRune(k, utf8.RuneError) {
			return Invalid(field, "a key is empty, over %d bytes long or broken text", MaxMetaValue)
		}
		if err := checkMetaValue(field+"."+clip(k), v); err != nil {
			return err
		}
	}
	return nil
}

// checkMetaValue takes strings, booleans and the numbers that a float64 tells apart. Beyond them two ids of, say, a
// chat service would be one number: those have to come as strings.
func checkMetaValue(field string, v any) error {
	switch x := v.(type) {
	case bool:
		return nil
	case string:
		if len(x) > MaxMetaValue {
			return Invalid(field, "is over %d bytes long", MaxMetaValue)
		}
		return nil
	case float64:
		if !(math.Abs(x) <= MaxMetaNumber) { // NaN, too
			return Invalid(field, "is a number from 2^53 on, where neighbours are not told apart; send it as a string")
		}
		return nil
	}
	return Invalid(field, "must be a string, a number or a boolean (in Go: string, float64, bool)")
}
