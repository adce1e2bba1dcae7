package app

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/store/redis"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// sink makes the writes of many events in one trip to the vector store, then tells the caches. A cache that does
// not answer never fails a write: the adapter remembers what it has to make void.
type sink struct {
	points *qdrant.Store
	cache  *redis.Store
	batch  *events.Coalescer[group, struct{}]
	log    *slog.Logger
}

// group is the writes of one call, kept together and in order.
type group struct {
	generation int
	writes     []schema.Write
}

// A trip carries at most so many groups.
const sinkGroups = 512

func newSink(points *qdrant.Store, cache *redis.Store, log *slog.Logger) (*sink, error) {
	s := &sink{points: points, cache: cache, log: log}
	var err error
	s.batch, err = events.NewCoalescer(events.CoalescerConfig[group]{MaxItems: sinkGroups, Parallel: 2}, s.apply)
	return s, err
}

// Apply implements stages.Sink.
func (s *sink) Apply(ctx context.Context, generation int, ws []schema.Write) error {
	_, err := s.batch.Do(ctx, group{generation, ws})
	return err
}

func (s *sink) apply(ctx context.Context, groups []group) ([]struct{}, error) {
	byGen := map[int][]schema.Write{}
	for _, g := range groups {
		byGen[g.generation] = append(byGen[g.generation], g.writes...)
	}
	for gen, ws := range byGen {
		told := tellings(ws)
		s.before(ctx, gen, told)
		if err := s.points.Apply(ctx, gen, ws); err != nil {
			return nil, err
		}
		s.after(ctx, gen, told)
	}
	return make([]struct{}, len(groups)), nil
}

// telling is what the caches have to know of the writes of one owner.
type telling struct {
	push  []schema.Memory // what an answer without the vector store may show from now on
	end   []schema.Memory // facts that it must not show any more: what of them is left
	gone  []redis.Gone    // points that are as if they had never been
	facts bool            // something that stands may have changed
}

// before takes from the caches what the writes end. A process that dies after the writes does not come back to it:
// what is written already is no change when it is decided again.
func (s *sink) before(ctx context.Context, gen int, told map[string]*telling) {
	for owner, t := range told {
		s.later(ctx, gen, s.cache.EndRecent(ctx, gen, owner, t.end))
		s.later(ctx, gen, s.cache.Forget(ctx, gen, owner, t.gone))
	}
}

// after makes standing memories of written owners void and keeps what is recent.
func (s *sink) after(ctx context.Context, gen int, told map[string]*telling) {
	var stale []string
	for owner, t := range told {
		if t.facts {
			stale = append(stale, owner)
		}
	}
	s.later(ctx, gen, s.cache.InvalidateStanding(ctx, gen, stale...))
	var lost []string
	for owner, t := range told {
		if err := s.cache.PushRecent(ctx, gen, owner, t.push); err != nil {
			s.log.LogAttrs(ctx, slog.LevelDebug, "recent items are not kept", slog.Int(obs.KeyGen, gen), slog.String(obs.KeyError, err.Error()))
			lost = append(lost, owner)
		}
	}
	// Not for what stands: the owner's next query then sees that something was lost, and has the items filled again.
	s.later(ctx, gen, s.cache.InvalidateStanding(ctx, gen, lost...))
}

// later logs that the cache did not answer: it remembers by itself what it has to make up for.
func (s *sink) later(ctx context.Context, gen int, err error) {
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelDebug, "caches will be made void later", slog.Int(obs.KeyGen, gen), slog.String(obs.KeyError, err.Error()))
	}
}

// tellings sorts writes by owner into what the caches have to know.
func tellings(ws []schema.Write) map[string]*telling {
	told := map[string]*telling{}
	for i := range ws {
		w := &ws[i]
		if w.Collection != schema.Facts && w.Collection != schema.Events {
			continue
		}
		t := told[w.Owner]
		if t == nil {
			t = &telling{}
			told[w.Owner] = t
		}
		if w.Collection == schema.Facts {
			t.facts = true
			t.fact(w)
		} else {
			t.event(w)
		}
	}
	return told
}

func (t *telling) fact(w *schema.Write) {
	switch w.Kind {
	case schema.WriteDelete:
		t.gone = append(t.gone, goneOf(w.IDs)...)
	case schema.WriteSetPayload: // whatever changes: the content is not known here
		for _, id := range w.IDs {
			t.end = append(t.end, stateOf(schema.MemoryFrom(id, w.Payload)))
		}
	default:
		m := schema.MemoryFrom(w.Point.ID, w.Point.Payload)
		if m.Status == schema.StatusActive && m.Content != "" {
			t.push = append(t.push, m)
			return
		}
		left := stateOf(m)
		left.ObservedAt, left.Source.UUID, left.Source.Seq = m.ObservedAt, m.Source.UUID, m.Source.Seq
		t.end = append(t.end, left)
	}
}

// stateOf is a memory without what it says.
func stateOf(m schema.Memory) schema.Memory {
	return schema.Memory{ID: m.ID, Status: m.Status, SupersededBy: m.SupersededBy, ValidTo: m.ValidTo}
}

func (t *telling) event(w *schema.Write) {
	str := func(pl map[string]any, key string) string { s, _ := pl[key].(string); return s }
	switch w.Kind {
	case schema.WriteDelete:
		t.gone = append(t.gone, goneOf(w.IDs)...)
	case schema.WriteSetPayload: // done flags, for the most part
		switch schema.Outcome(str(w.Payload, schema.KeyOutcome)) {
		case schema.OutcomeDropped, schema.OutcomeDuplicate, schema.OutcomeConflict, schema.OutcomeForgotten:
			t.gone = append(t.gone, goneOf(w.IDs)...)
		default:
			if w.Payload[schema.KeyArchived] == true { // what was said in and out is not kept any longer
				t.gone = append(t.gone, goneOf(w.IDs)...)
			}
		}
	default:
		switch pl := w.Point.Payload; schema.Outcome(str(pl, schema.KeyOutcome)) {
		case schema.OutcomeOpen: // whether the store takes it or another entry of the event id holds the point
			if m, ok := episodeOf(w.Point); ok {
				t.push = append(t.push, m)
			}
		case schema.OutcomeDuplicate, schema.OutcomeConflict: // the entry has a point of its own, which is not the event
			seq, _ := pl[schema.KeySeq].(int64)
			t.gone = append(t.gone, redis.Gone{ID: str(pl, schema.KeyEvent), Seq: uint64(seq)})
		}
	}
}

func goneOf(ids []string) []redis.Gone {
	out := make([]redis.Gone, len(ids))
	for i, id := range ids {
		out[i].ID = id
	}
	return out
}

// episodeOf is an event point as a memory: what was said in and out.
func episodeOf(p schema.Point) (schema.Memory, bool) {
	var said []string
	size := 0
	segs, _ := p.Payload[schema.KeySegments].([]map[string]any)
	for _, s := range segs {
		if t, _ := s["text"].(string); t != "" && s["kind"] != string(schema.SegTool) {
			said = append(said, t)
			if size += len(t); size > redis.MaxItem { // it would not be kept, and may have megabytes in as many pieces
				return schema.Memory{}, false
			}
		}
	}
	if len(said) == 0 {
		return schema.Memory{}, false
	}
	str := func(k string) string { s, _ := p.Payload[k].(string); return s }
	num := func(k string) int64 { n, _ := p.Payload[k].(int64); return n }
	class, _ := schema.ParseClass(str(schema.KeyClass))
	status := schema.StatusActive
	if p.Payload[schema.KeyArchived] == true {
		status = schema.StatusArchived
	}
	return schema.Memory{
		ID: p.ID, Type: schema.TypeEpisode, Content: strings.Join(said, "\n"), Status: status, Importance: .5, Confidence: .5,
		Conversation: str(schema.KeyConversation), ObservedAt: time.UnixMilli(num(schema.KeyAt)).UTC(),
		Source: schema.Source{Event: str(schema.KeyEventID), UUID: str(schema.KeyEvent), Class: class, Seq: uint64(num(schema.KeySeq))},
	}, true
}
