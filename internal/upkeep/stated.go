package upkeep

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// UserLog reads what a user said as it was published.
type UserLog interface {
	// ScanUser calls fn with the user's log entries of ops in order, up to sequence upTo; with an error beside the
	// envelope where a body cannot be read and never will be. It blocks until done.
	ScanUser(ctx context.Context, tenant, user string, ops []schema.Op, upTo uint64, fn func(schema.Event, error) error) error
}

// DeadLetters are what the pipeline could not work on.
type DeadLetters interface {
	// RemoveDead removes those dead letters of a tenant that gone picks, with what only they hold. Of what intake refused
	// it reads no body of more than maxBody bytes. It blocks until done.
	RemoveDead(ctx context.Context, tenant string, maxBody int64, gone func(events.DeadLetter) bool) error
}

// stating are the ops by which a user states something.
var stating = []schema.Op{schema.OpTurn, schema.OpMemory, schema.OpPin}

// stated finds in the log what the index cannot tell: of a turn it holds the cleaned text alone, of a memory that was
// deleted nothing, and of what is dead neither text nor conversation. It returns the sequences of the entries, with an
// error those that it had come to. A damaged entry is left to what the index tells of it, and reported.
func (f *Forgetter) stated(ctx context.Context, tenant string, sel selector, upTo uint64) (map[uint64]bool, error) {
	if !sel.reads() {
		return nil, nil
	}
	out := map[uint64]bool{}
	err := f.Log.ScanUser(ctx, tenant, sel.req.User, stating, upTo, func(ev schema.Event, err error) error {
		if err != nil {
			f.logger().LogAttrs(ctx, slog.LevelError, "a log entry cannot be read for what it states",
				slog.String(obs.KeyTenant, tenant), slog.Uint64(obs.KeySeq, ev.Seq), slog.String(obs.KeyEvent, ev.UUID), slog.String(obs.KeyError, err.Error()))
			return nil
		}
		if sel.entry(ev) {
			out[ev.Seq] = true
		}
		return ctx.Err() // much may be at hand already
	})
	if err != nil {
		return out, fmt.Errorf("look through the user's log: %w", err)
	}
	return out, nil
}

// reads reports whether the log has to be read for a request: ids, times and owners of all events stand on their points.
func (s selector) reads() bool { return s.match != "" || s.req.Conversation != "" }

func (f *Forgetter) logger() *slog.Logger {
	if f.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return f.Logger
}

// entry reports whether a log entry states what a request names by match or conversation.
func (s selector) entry(ev schema.Event) bool {
	said, conversation := words(ev)
	if s.match == "" {
		return conversation == s.req.Conversation
	}
	return anyContains(said, s.match)
}

// letter reports whether a dead letter that is no event, for intake refused it, is of the request's user and reached by
// the request, which was accepted at at. Whose it is stands in its body, if anywhere.
func (s selector) letter(tenant string, d events.DeadLetter, at time.Time) bool {
	var t struct {
		ID           string `json:"id"`
		User         string `json:"user"`
		Conversation string `json:"conversation"`
		At           string `json:"at"`
	}
	// Fields of another type are left out, the rest is read; of what is no JSON nothing is.
	if _ = json.Unmarshal(d.Event.Body, &t); t.User != s.req.User || d.At.After(at) {
		return false
	}
	switch {
	case s.req.All:
		return true
	case len(s.req.IDs) > 0:
		return t.ID != "" && (s.ids[t.ID] || s.ids[schema.EventUUID(tenant, t.ID)])
	case s.req.Conversation != "":
		return t.Conversation == s.req.Conversation
	case !s.req.Before.IsZero():
		happened, err := time.Parse(time.RFC3339, t.At)
		if err != nil {
			happened = d.At
		}
		return s.req.Covers(happened)
	}
	return anyContains(leaves(d.Event.Body), s.match)
}

// words are the texts that an entry of the log states, and its conversation. A body that this build cannot read is
// taken for all that stands in it.
func words(ev schema.Event) (said []string, conversation string) {
	switch ev.Op {
	case schema.OpTurn:
		t, err := schema.DecodeTurn(ev.Version, ev.Body)
		if err != nil {
			return leaves(ev.Body), ""
		}
		said = append(said, t.Input, t.Response)
		for _, r := range t.ToolResults {
			said = append(said, r.Output)
			if strings.ContainsAny(r.Output, `{[`) { // tools answer in JSON, where a text may stand in escapes
				said = append(said, leaves([]byte(r.Output))...)
			}
		}
		for _, v := range t.Metadata {
			if s, ok := v.(string); ok {
				said = append(said, s)
			}
		}
		return said, t.Conversation
	case schema.OpMemory:
		if w, err := schema.DecodeStored[schema.MemoryWrite](ev.Op, ev.Version, ev.Body); err == nil {
			return []string{w.Content}, ""
		}
	case schema.OpPin:
		if p, err := schema.DecodeStored[schema.Pin](ev.Op, ev.Version, ev.Body); err == nil {
			return []string{p.Content}, ""
		}
	}
	return leaves(ev.Body), ""
}

// leaves are the strings in a JSON text; a text that is none stands for itself.
func leaves(body []byte) []string {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return []string{string(body)}
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch x := v.(type) {
		case string:
			out = append(out, x)
		case []any:
			for _, e := range x {
				walk(e)
			}
		case map[string]any:
			for k, e := range x {
				out = append(out, k)
				walk(e)
			}
		}
	}
	walk(v)
	return out
}

// anyContains reports whether one of texts, folded, contains a folded match.
func anyContains(texts []string, match string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return contains(text.FoldMatch(s), match) })
}
