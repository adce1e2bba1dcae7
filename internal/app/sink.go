package app

import (
	"context"
	"log/slog"
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
		if err := s.points.Apply(ctx, gen, ws); err != nil {
			return nil, err
		}
		s.tellCaches(ctx, gen, ws)
	}
	return make([]struct{}, len(groups)), nil
}

// tellCaches makes standing memories of written owners void and keeps what is recent. What is taken back (facts
// that are deleted, an event that is forgotten, a log entry that turns out to be a later one of its event id) goes from
// the recent items too, where it may have come before that was known.
func (s *sink) tellCaches(ctx context.Context, gen int, ws []schema.Write) {
	stale, strays := map[string]bool{}, map[string][]string{}
	recent := map[string][]schema.Item{}
	for i := range ws {
		w := &ws[i]
		if w.Collection == schema.Facts {
			stale[w.Owner] = true
		}
		strays[w.Owner] = append(strays[w.Owner], gone(w)...)
		if it, ok := recentItem(w); ok {
			recent[w.Owner] = append(recent[w.Owner], it)
		}
	}
	owners := make([]string, 0, len(stale))
	for o := range stale {
		owners = append(owners, o)
	}
	if len(owners) > 0 {
		if err := s.cache.InvalidateStanding(ctx, gen, owners...); err != nil {
			s.log.LogAttrs(ctx, slog.LevelDebug, "caches will be made void later", slog.Int(obs.KeyGen, gen), slog.String(obs.KeyError, err.Error()))
		}
	}
	for o, items := range recent {
		if err := s.cache.PushRecent(ctx, gen, o, items); err != nil {
			s.log.LogAttrs(ctx, slog.LevelDebug, "recent items are not kept", slog.Int(obs.KeyGen, gen), slog.String(obs.KeyError, err.Error()))
			break
		}
	}
	for o, ids := range strays { // after what this very batch has pushed
		if len(ids) == 0 {
			continue
		}
		if err := s.cache.Forget(ctx, gen, o, ids); err != nil {
			s.log.LogAttrs(ctx, slog.LevelDebug, "recent items are kept for now that were taken back", slog.Int(obs.KeyGen, gen), slog.String(obs.KeyError, err.Error()))
		}
	}
}

// gone are the ids of items that w takes back.
func gone(w *schema.Write) []string {
	switch {
	case w.Kind == schema.WriteDelete && w.Collection == schema.Facts,
		w.Kind == schema.WriteSetPayload && w.Collection == schema.Events && w.Payload[schema.KeyOutcome] == string(schema.OutcomeForgotten):
		return w.IDs
	case w.Kind == schema.WriteUpsert && w.Collection == schema.Events:
		switch w.Point.Payload[schema.KeyOutcome] {
		case string(schema.OutcomeDuplicate), string(schema.OutcomeConflict):
			id, _ := w.Point.Payload[schema.KeyEvent].(string)
			return []string{id}
		}
	}
	return nil
}

// recentItem is what an answer without the vector store may show of a write.
func recentItem(w *schema.Write) (schema.Item, bool) {
	switch {
	case w.Kind == schema.WriteUpsert && w.Collection == schema.Facts:
		m := schema.MemoryFrom(w.Point.ID, w.Point.Payload)
		return itemOf(m), true
	case w.Kind == schema.WriteInsert && w.Collection == schema.Events && w.Point.Payload[schema.KeyOutcome] == string(schema.OutcomeOpen):
		return episodeOf(w.Point)
	}
	return schema.Item{}, false
}

// itemOf is a memory as an item.
func itemOf(m schema.Memory) schema.Item {
	return schema.Item{
		ID: m.ID, Type: m.Type, Kind: m.Kind, Content: m.Content, Status: m.Status, Importance: m.Importance, Confidence: m.Confidence,
		Pinned: m.Pinned, Explicit: m.Explicit, Conversation: m.Conversation, ObservedAt: m.ObservedAt, ValidFrom: m.ValidFrom,
		ValidTo: m.ValidTo, Source: m.Source, SupersededBy: m.SupersededBy,
	}
}

// episodeOf is an event point as an item: what was said in and out.
func episodeOf(p schema.Point) (schema.Item, bool) {
	var text string
	segs, _ := p.Payload[schema.KeySegments].([]map[string]any)
	for _, s := range segs {
		if t, _ := s["text"].(string); t != "" && s["kind"] != string(schema.SegTool) {
			if text != "" {
				text += "\n"
			}
			text += t
		}
	}
	if text == "" {
		return schema.Item{}, false
	}
	str := func(k string) string { s, _ := p.Payload[k].(string); return s }
	num := func(k string) int64 { n, _ := p.Payload[k].(int64); return n }
	class, _ := schema.ParseClass(str(schema.KeyClass))
	return schema.Item{
		ID: p.ID, Type: schema.TypeEpisode, Content: text, Status: schema.StatusActive, Importance: .5, Confidence: .5,
		Conversation: str(schema.KeyConversation), ObservedAt: time.UnixMilli(num(schema.KeyAt)).UTC(),
		Source: schema.Source{Event: str(schema.KeyEventID), UUID: str(schema.KeyEvent), Class: class, Seq: uint64(num(schema.KeySeq))},
	}, true
}
