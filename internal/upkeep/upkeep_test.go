package upkeep

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// memory is the store, the log of forget events and the floor of a test.
type memory struct {
	failDelete error
	points     map[schema.Collection]map[string]map[string]any
	forgets    []schema.Event
	log        []schema.Event               // what users said
	damaged    map[uint64]bool              // entries of it that cannot be read
	dead       map[uint64]events.DeadLetter // by sequence
	settled    uint64
	resettle   []string
	dropped    int
	cached     map[string]bool // ids of points that the caches hold; nil for none
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

func (m *memory) ScanUser(_ context.Context, tenant, user string, ops []schema.Op, upTo uint64, fn func(schema.Event, error) error) error {
	for _, ev := range m.log {
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

func (m *memory) RemoveDead(_ context.Context, tenant string, gone func(events.DeadLetter) bool) error {
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
	return &Forgetter{Store: m, Settler: m, Caches: m, Floor: m, Log: m, Dead: m, Generations: func() []int { return []int{1} }}
}

// every way to select, and what is left then; the marks must agree with the forgetter.
func TestForgetReachesWhatItSelectsAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		name    string
		forget  schema.Forget
		matched int
		left    []string
	}{
		{"match, folded, with what it comes from", schema.Forget{User: "lin", Match: "b-14"}, 3, []string{"b", "d"}},
		{"an event's id", schema.Forget{User: "lin", IDs: []string{"b"}}, 2, []string{"a", "c", "d"}},
		{"a memory's id takes its turn along", schema.Forget{User: "lin", IDs: []string{"fact-a"}}, 2, []string{"b", "c", "d"}},
		{"another user's id", schema.Forget{User: "lin", IDs: []string{"d", "fact-d"}}, 0, []string{"a", "b", "c", "d"}},
		{"a conversation", schema.Forget{User: "lin", Conversation: "c1"}, 4, []string{"c", "d"}},
		{"before a time", schema.Forget{User: "lin", Before: day.AddDate(0, 0, 1)}, 2, []string{"b", "c", "d"}},
		{"all", schema.Forget{User: "lin", All: true}, 5, []string{"d"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := sample()
			f := forgetter(m)
			m.cached = map[string]bool{}
			for _, col := range []schema.Collection{schema.Events, schema.Facts} {
				for id := range m.points[col] {
					m.cached[id] = true
				}
			}
			evs, ms, err := f.Reach(t.Context(), 1, "acme", c.forget)
			if err != nil || len(evs)+len(ms) != c.matched {
				t.Errorf("matched %v and %v (%v), want %d", evs, ms, err, c.matched)
			}
			var gone []string
			for _, id := range []string{"a", "b", "c", "d"} {
				if !slices.Contains(c.left, id) {
					gone = append(gone, id)
				}
			}
			if !slices.Equal(evs, gone) {
				t.Errorf("named are %v, and %v go", evs, gone)
			}
			ev := m.forget(t, 10, c.forget)
			marks := NewMarks(m, m, m.sources)
			if err := marks.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			var shown []string
			for _, p := range m.points[schema.Events] {
				if !marks.HidesEvent(p) {
					shown = append(shown, p[schema.KeyEventID].(string))
				}
			}
			if slices.Sort(shown); !slices.Equal(shown, c.left) {
				t.Errorf("before it is carried out the marks show %v, want %v", shown, c.left)
			}
			for range 2 { // doing it again changes nothing
				if err := f.Handle(t.Context(), ev); err != nil {
					t.Fatal(err)
				}
				if got := m.left(); !slices.Equal(got, c.left) {
					t.Errorf("left are %v, want %v", got, c.left)
				}
			}
			for id := range m.cached {
				if p := m.points[schema.Events][id]; p[schema.KeyOutcome] == string(schema.OutcomeForgotten) || p == nil && m.points[schema.Facts][id] == nil {
					t.Errorf("the caches still hold %s", id)
				}
			}
			if len(c.left) > 0 && len(m.cached) == 0 {
				t.Error("the caches were emptied")
			}
			for _, col := range []schema.Collection{schema.Passages, schema.Triples} {
				if got := len(m.points[col]); got != len(c.left) {
					t.Errorf("%d %s are left, want %d", got, col, len(c.left))
				}
			}
			for _, p := range m.points[schema.Events] {
				if segs := segmentsOf(p); p[schema.KeyOutcome] == string(schema.OutcomeForgotten) && len(segs) > 0 {
					t.Errorf("a forgotten event point still has text: %v", segs)
				}
			}
		})
	}
}

// A try that ends between the marks and the deletions leaves nothing behind for good.
func TestForgetGoesOnAfterACrashBehindTheMarks(t *testing.T) {
	m := sample()
	f := forgetter(m)
	ev := m.forget(t, 10, schema.Forget{User: "lin", Match: "b-14"})
	m.failDelete = errors.New("killed")
	if err := f.Handle(t.Context(), ev); err == nil {
		t.Fatal("the deletion did not fail")
	}
	if got := m.left(); !slices.Equal(got, []string{"b", "d"}) || len(m.points[schema.Passages]) != 4 {
		t.Fatalf("after the crash: %v, %d passages; want the marks made and nothing deleted", got, len(m.points[schema.Passages]))
	}
	m.failDelete = nil
	if err := f.Handle(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	for col, want := range map[schema.Collection]int{schema.Passages: 2, schema.Triples: 2, schema.Facts: 2} {
		if got := len(m.points[col]); got != want {
			t.Errorf("%d %s are left, want %d", got, col, want)
		}
	}
	evs, ms, err := f.Reach(t.Context(), 1, "acme", schema.Forget{User: "lin", All: true})
	if err != nil || len(evs)+len(ms) != 2 {
		t.Errorf("%v and %v are reached (%v), want 2: what is forgotten is not forgotten twice", evs, ms, err)
	}
}

func TestForgetStopsAtItsOwnPlaceInTheLog(t *testing.T) {
	m := sample()
	ev := m.forget(t, 2, schema.Forget{User: "lin", All: true}) // c comes after it
	if err := forgetter(m).Handle(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	if got := m.left(); !slices.Equal(got, []string{"c", "d"}) {
		t.Errorf("left are %v, want c and d", got)
	}
	if !slices.Contains(m.resettle, "s-a") || !slices.Contains(m.resettle, "g-b") {
		t.Errorf("slots decided again: %v", m.resettle)
	}
	marks := NewMarks(m, m, m.sources)
	if err := marks.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if marks.HidesEvent(m.points[schema.Events][schema.EventUUID("acme", "c")]) {
		t.Error("an event behind the forget event is hidden")
	}
}

func TestLateWorkersLearnThatTheirEventIsForgotten(t *testing.T) {
	m := sample()
	marks := NewMarks(m, m, m.sources)
	event := func(id string, seq uint64) schema.Event {
		return schema.Event{Envelope: schema.Envelope{Tenant: "acme", User: "lin", ID: id, UUID: schema.EventUUID("acme", id), Seq: seq, At: day, Generation: 1}}
	}
	ask := func(ev schema.Event) bool {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		gone, err := marks.Forgotten(ctx, ev)
		if err != nil {
			t.Fatal(err)
		}
		return gone
	}
	if ask(event("a", 1)) {
		t.Error("forgotten before anything was")
	}
	done := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { done <- marks.Follow(ctx, func(error) {}) }()
	ev := m.forget(t, 10, schema.Forget{User: "lin", Match: "b-14"})
	if ask(event("a", 1)) { // the text is not in the envelope: until the forgetter has resolved it, nobody knows
		t.Error("forgotten by text before the forgetter came by")
	}
	if err := forgetter(m).Handle(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	if !ask(event("a", 1)) || ask(event("b", 2)) || ask(event("a", 11)) {
		t.Errorf("a %v, b %v, a published again %v; want true, false, false", ask(event("a", 1)), ask(event("b", 2)), ask(event("a", 11)))
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type entries map[schema.Op]uint64

func (e entries) Count(_ context.Context, _ string, op schema.Op) (uint64, error) { return e[op], nil }

func TestB2_LedgerAddsUp(t *testing.T) {
	m := sample()
	put := func(id string, o schema.Outcome) {
		m.points[schema.Events][id] = map[string]any{schema.KeyTenant: "acme", schema.KeyOutcome: string(o)}
	}
	put("1", schema.OutcomeDropped)
	put("2", schema.OutcomeDead)
	put("3", schema.OutcomeConflict)
	put("4", schema.OutcomeDuplicate)
	put("5", schema.OutcomeForgotten)
	put("6", schema.OutcomeOpen) // no stage has settled it
	m.points[schema.Events]["7"] = map[string]any{schema.KeyTenant: "else", schema.KeyOutcome: string(schema.OutcomeDead)}
	l, err := Ledger(t.Context(), m, entries{schema.OpTurn: 11, schema.OpPin: 1}, 1, "acme", []string{"clean"})
	if err != nil {
		t.Fatal(err)
	}
	want := schema.Ledger{Accepted: 12, Indexed: 4, Duplicate: 2, Dropped: 1, Dead: 1, Forgotten: 1, Pending: 3}
	if l != want {
		t.Errorf("ledger %+v, want %+v", l, want)
	}
}

// TestForgetWaitsOutside: before the log is settled the handler gives its event back at once, so that it holds up
// nobody it waits for, and touches nothing; then it does its work.
func TestForgetWaitsOutside(t *testing.T) {
	m := newMemory()
	m.points[schema.Events]["p"] = map[string]any{schema.KeyOwner: schema.Owner("acme", "ann"), schema.KeyEvent: "u", schema.KeySeq: int64(3), schema.KeyOutcome: string(schema.OutcomeOpen)}
	body, err := json.Marshal(schema.Forget{User: "ann", All: true})
	if err != nil {
		t.Fatal(err)
	}
	ev := schema.Event{Envelope: schema.Envelope{Version: schema.Version, UUID: "f", Op: schema.OpForget, Tenant: "acme", User: "ann", Seq: 9}, Body: body}
	m.settled = 8
	if err := forgetter(m).Handle(t.Context(), ev); !errors.Is(err, events.ErrWait) || schema.IsPermanent(err) {
		t.Fatalf("before the log is settled: %v, want events.ErrWait", err)
	}
	if o := m.points[schema.Events]["p"][schema.KeyOutcome]; o != string(schema.OutcomeOpen) || m.dropped != 0 {
		t.Errorf("it has begun: outcome %v, %d caches dropped", o, m.dropped)
	}
	m.settled = 9
	if err := forgetter(m).Handle(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	if o := m.points[schema.Events]["p"][schema.KeyOutcome]; o != string(schema.OutcomeForgotten) {
		t.Errorf("outcome %v", o)
	}
}
