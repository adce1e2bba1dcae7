package upkeep

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// memory is the store, the log of forget events and the floor of a test.
type memory struct {
	failDelete   error
	failResettle error
	points       map[schema.Collection]map[string]map[string]any
	forgets      []schema.Event
	log          []schema.Event               // what users said
	damaged      map[uint64]bool              // entries of it that cannot be read
	dead         map[uint64]events.DeadLetter // by sequence
	scanning     func() func()                // told of the beginning and the end of every scan, of the log or of dead letters
	stuck        uint64                       // the entry at which reading stops until ctx ends; 0 for none
	settled      uint64
	resettle     []string
	dropped      int
	cached       map[string]bool // ids of points that the caches hold; nil for none
}

func newMemory() *memory {
	m := &memory{points: map[schema.Collection]map[string]map[string]any{}, settled: ^uint64(0)}
	for _, c := range schema.Collections {
		m.points[c] = map[string]map[string]any{}
	}
	return m
}

func matches(p map[string]any, f schema.Filter) bool {
	for _, c := range f.Must {
		if c.Equal != nil && p[c.Key] != c.Equal {
			return false
		}
		if s, _ := p[c.Key].(string); c.Any != nil && !slices.Contains(c.Any, s) {
			return false
		}
	}
	return true
}

func (m *memory) Each(_ context.Context, _ int, col schema.Collection, f schema.Filter, fn func(schema.Point) error) error {
	for id, p := range m.points[col] {
		if matches(p, f) {
			if err := fn(schema.Point{ID: id, Payload: p}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) Apply(_ context.Context, _ int, ws []schema.Write) error {
	for _, w := range ws {
		for _, id := range w.IDs {
			for k, v := range w.Payload {
				if m.points[w.Collection][id] != nil {
					m.points[w.Collection][id][k] = v
				}
			}
		}
	}
	return nil
}

func (m *memory) DeleteWhere(_ context.Context, _ int, col schema.Collection, f schema.Filter) error {
	if m.failDelete != nil {
		return m.failDelete
	}
	for id, p := range m.points[col] {
		if matches(p, f) {
			delete(m.points[col], id)
		}
	}
	return nil
}

func (m *memory) Counts(_ context.Context, _ int, col schema.Collection, fs []schema.Filter) ([]uint64, error) {
	out := make([]uint64, len(fs))
	for i, f := range fs {
		for _, p := range m.points[col] {
			if matches(p, f) {
				out[i]++
			}
		}
	}
	return out, nil
}

func (m *memory) EventPoint(_ context.Context, _ int, uuid string) (map[string]any, error) {
	return m.points[schema.Events][uuid], nil
}

func (m *memory) LastForget(context.Context) (uint64, error) {
	if len(m.forgets) == 0 {
		return 0, nil
	}
	return m.forgets[len(m.forgets)-1].Seq, nil
}

func (m *memory) Scan(_ context.Context, from uint64, _ []schema.Op, _ string, fn func(schema.Event) error) error {
	for _, ev := range m.forgets {
		if ev.Seq >= from {
			if err := fn(ev); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) ScanUser(ctx context.Context, tenant, user string, ops []schema.Op, upTo uint64, fn func(schema.Event, error) error) error {
	if m.scanning != nil {
		defer m.scanning()()
	}
	for _, ev := range m.log {
		if ev.Seq == m.stuck {
			<-ctx.Done()
			return ctx.Err()
		}
		if ev.Tenant != tenant || ev.User != user || !slices.Contains(ops, ev.Op) || ev.Seq > upTo {
			continue
		}
		var err error
		if m.damaged[ev.Seq] {
			ev.Body, err = nil, schema.Permanent(schema.CodeCorrupt, nil, "damaged")
		}
		if err := fn(ev, err); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) RemoveDead(_ context.Context, tenant string, _ int64, gone func(events.DeadLetter) bool) error {
	if m.scanning != nil {
		defer m.scanning()()
	}
	for seq, d := range m.dead {
		if d.Event.Tenant == tenant && gone(d) {
			delete(m.dead, seq)
		}
	}
	return nil
}

func (m *memory) Settled(_ context.Context, _ int, seq uint64) (bool, error) {
	return m.settled >= seq, nil
}

func (m *memory) Resettle(_ context.Context, _ int, _ string, groups, slots []string) error {
	if m.failResettle != nil {
		return m.failResettle
	}
	m.resettle = append(append(m.resettle, groups...), slots...)
	return nil
}

func (m *memory) Drop(_ context.Context, _ int, _ string, ids []string) {
	m.dropped++
	for _, id := range ids {
		delete(m.cached, id)
	}
}

// sources are the events of facts.
func (m *memory) sources(_ context.Context, ids []string) ([]string, error) {
	var out []string
	for _, id := range ids {
		if p := m.points[schema.Facts][id]; p != nil {
			out = append(out, p[schema.KeyEvent].(string))
		}
	}
	return out, nil
}

var day = time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)

// remember puts a turn and a fact of it into the store.
func (m *memory) remember(user, id string, seq uint64, at time.Time, conversation, text, fact string) {
	owner, uuid := schema.Owner("acme", user), schema.EventUUID("acme", id)
	m.points[schema.Events][uuid] = map[string]any{
		schema.KeyOwner: owner, schema.KeyTenant: "acme", schema.KeyUser: user, schema.KeyEvent: uuid, schema.KeyEventID: id, schema.KeySeq: int64(seq),
		schema.KeyAt: at.UnixMilli(), schema.KeyConversation: conversation, schema.KeyOutcome: string(schema.OutcomeOpen), schema.KeyDone + "clean": true,
		schema.KeySegments: []map[string]any{{"key": "input", "kind": "input", "text": text, "class": "user"}},
	}
	m.points[schema.Passages][uuid+"p"] = map[string]any{schema.KeyOwner: owner, schema.KeyEvent: uuid}
	m.points[schema.Triples][uuid+"t"] = map[string]any{schema.KeyOwner: owner, schema.KeyEvent: uuid}
	if fact != "" {
		f := schema.Memory{
			Tenant: "acme", User: user, Type: schema.TypeFact, Status: schema.StatusActive, Content: fact, ObservedAt: at, Conversation: conversation,
			Slot: "s-" + id, Group: "g-" + id, Source: schema.Source{Event: id, UUID: uuid, Seq: seq, Class: schema.ClassUser},
		}
		m.points[schema.Facts]["fact-"+id] = f.Payload()
	}
}

// sample is three turns of lin and one of another user with the same words.
func sample() *memory {
	m := newMemory()
	m.remember("lin", "a", 1, day, "c1", "My locker is Ｂ-14.", "My locker is B-14.")
	m.remember("lin", "b", 2, day.AddDate(0, 0, 1), "c1", "I like tea.", "I like tea.")
	m.remember("lin", "c", 3, day.AddDate(0, 0, 2), "c2", "The key to b-14 is red.", "")
	m.remember("other", "d", 4, day, "c1", "B-14 is mine too.", "B-14 is mine.")
	return m
}

func (m *memory) forget(t *testing.T, seq uint64, f schema.Forget) schema.Event {
	t.Helper()
	body, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	ev := schema.Event{Envelope: schema.Envelope{Version: schema.Version, Tenant: "acme", User: f.User, Op: schema.OpForget, Seq: seq, UUID: "forget"}, Body: body}
	m.forgets = append(m.forgets, ev)
	return ev
}

// left are the ids of the events that are not forgotten.
func (m *memory) left() []string {
	var out []string
	for _, p := range m.points[schema.Events] {
		if p[schema.KeyOutcome] != string(schema.OutcomeForgotten) {
			out = append(out, p[schema.KeyEventID].(string))
		}
	}
	slices.Sort(out)
	return out
}

func forgetter(m *memory) *Forgetter {
	return &Forgetter{Store: m, Settler: m, Caches: m, Floor: m, Log: m, Dead: m}
}
