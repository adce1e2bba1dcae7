package upkeep

import (
	"time"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// selector decides what a request means.
type selector struct {
	req   schema.Forget
	match string
	ids   map[string]bool // memory ids and inside event ids
}

func newSelector(tenant string, req schema.Forget) selector {
	s := selector{req: req, match: text.FoldMatch(req.Match), ids: map[string]bool{}}
	for _, id := range req.IDs {
		s.ids[id] = true
		s.ids[schema.EventUUID(tenant, id)] = true
	}
	return s
}

// whole reports whether everything that happened at at is meant, whatever it states.
func (s selector) whole(at time.Time) bool {
	return s.req.All || !at.IsZero() && s.req.Covers(at)
}

func (s selector) fact(m schema.Memory) bool {
	switch {
	case s.req.All, s.ids[m.ID], s.ids[m.Source.UUID]:
		return true
	case s.req.Conversation != "":
		return m.Conversation == s.req.Conversation
	case !s.req.Before.IsZero():
		return s.req.Covers(m.ObservedAt)
	}
	return s.match != "" && contains(text.FoldMatch(m.Content), s.match)
}

func (s selector) event(uuid string, p map[string]any) bool {
	switch {
	case s.req.All, s.ids[uuid]:
		return true
	case s.req.Conversation != "":
		return p[schema.KeyConversation] == s.req.Conversation
	case !s.req.Before.IsZero():
		return s.req.Covers(time.UnixMilli(int64(number(p[schema.KeyAt]))))
	case s.match == "":
		return false
	}
	segs, _ := p[schema.KeySegments].([]map[string]any)
	for _, seg := range segs {
		t, _ := seg["text"].(string)
		if contains(text.FoldMatch(t), s.match) {
			return true
		}
	}
	return false
}
