package upkeep

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// protocol is one way to keep the protocol of forgetting; the zero value is ours. See docs/adr/0012-forgetting-asks-the-log.md.
type protocol struct {
	looksFirst bool // broken: a writer asks for marks before it writes
	hurries    bool // broken: a request is carried out before the log is settled up to it
}

// scene is two writers that hold the same event, since the first was taken for dead, and a request to forget it. Marks and
// forgetter are the real ones; the store is the test's.
type scene struct {
	t       *testing.T
	m       *memory
	marks   *Marks
	f       *Forgetter
	ev      schema.Event
	request schema.Event
	carried bool
}

// steps are those of the three, in the order in which each of them takes them.
func (s *scene) steps(p protocol, req schema.Forget) [3][]func() {
	writer := func(acknowledges bool) []func() {
		gone := false
		write := func() {
			// The point of an event is inserted, and never takes the place of one that is there.
			before, was := s.m.points[schema.Events][s.ev.UUID]
			s.m.remember("lin", "a", 1, day, "c1", "My locker is B-14.", "")
			if was {
				s.m.points[schema.Events][s.ev.UUID] = before
			}
		}
		look := func() {
			err := s.marks.Load(s.t.Context())
			if err == nil {
				gone, err = s.marks.Forgotten(s.t.Context(), s.ev)
			}
			if err != nil {
				s.t.Fatal(err)
			}
		}
		remove := func() {
			if gone {
				delete(s.m.points[schema.Passages], s.ev.UUID+"p")
				delete(s.m.points[schema.Triples], s.ev.UUID+"t")
				if e := s.m.points[schema.Events][s.ev.UUID]; e != nil {
					e[schema.KeyOutcome], e[schema.KeySegments] = string(schema.OutcomeForgotten), []map[string]any{}
				}
			}
		}
		out := []func(){write, look, remove}
		if p.looksFirst {
			out = []func(){look, write, remove}
		}
		if acknowledges {
			out = append(out, func() { s.m.settled = ^uint64(0) })
		}
		return out
	}
	mark := func() { s.request = s.m.forget(s.t, 2, req) }
	return [3][]func(){writer(false), writer(true), {mark, s.carry}}
}

// carry carries the request out, or gives it back where the log is not settled.
func (s *scene) carry() {
	if s.carried {
		return
	}
	err := s.f.Handle(s.t.Context(), s.request)
	if errors.Is(err, events.ErrWait) {
		return
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.carried = true
}

// play takes the steps in the order of schedule, by whose they are, and returns what is left of the event at the end.
func play(t *testing.T, p protocol, req schema.Forget, schedule []int) string {
	m := newMemory()
	if !p.hurries {
		m.settled = 0
	}
	s := &scene{t: t, m: m, f: forgetter(m), marks: NewMarks(m, m, m.sources)}
	s.ev = schema.Event{Envelope: schema.Envelope{
		Version: 1, ID: "a", UUID: schema.EventUUID("acme", "a"), Tenant: "acme", User: "lin", Op: schema.OpTurn, Seq: 1, At: day, Generation: 1,
	}, Body: []byte(`{"user":"lin","conversation":"c1","input":"nothing to match"}`)}
	m.log = []schema.Event{s.ev}
	steps := s.steps(p, req)
	next := [3]int{}
	for _, who := range schedule {
		steps[who][next[who]]()
		next[who]++
	}
	s.carry() // what was given back comes again, at the latest now
	if !s.carried {
		t.Fatalf("schedule %v: the request is never carried out", schedule)
	}
	var left []string
	for _, col := range []schema.Collection{schema.Passages, schema.Triples} {
		for id := range m.points[col] {
			left = append(left, string(col)+" "+id)
		}
	}
	for _, e := range m.points[schema.Events] {
		if b, _ := json.Marshal(e[schema.KeySegments]); e[schema.KeyOutcome] != string(schema.OutcomeForgotten) || string(b) != "[]" {
			left = append(left, fmt.Sprint("events ", e))
		}
	}
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprint(left)
}

// schedules are all orders in which so many steps of each may be taken.
func schedules(left [3]int, fn func([]int)) {
	var order []int
	var next func()
	next = func() {
		if left == [3]int{} {
			fn(order)
			return
		}
		for who := range left {
			if left[who] > 0 {
				left[who]--
				order = append(order, who)
				next()
				order = order[:len(order)-1]
				left[who]++
			}
		}
	}
	next()
}

// In every order of the steps of two writers and a request nothing that is marked survives, whatever way the request names
// it. The same search finds what goes wrong where a writer looks before it writes, or the request does not wait.
func TestC5_NothingMarkedSurvivesInAnyOrder(t *testing.T) {
	requests := map[string]schema.Forget{
		"all": {User: "lin", All: true}, "ids": {User: "lin", IDs: []string{"a"}}, "before": {User: "lin", Before: day.AddDate(0, 0, 1)},
		"match": {User: "lin", Match: "b-14"}, "conversation": {User: "lin", Conversation: "c1"},
	}
	for name, req := range requests {
		for _, x := range []struct {
			name     string
			p        protocol
			survives bool
		}{
			{"ours", protocol{}, false},
			{"looks before it writes", protocol{looksFirst: true}, true},
			// Ids, times and users are known from the mark alone; of texts and conversations only the point tells, which is not there yet.
			{"does not wait", protocol{hurries: true}, name == "match" || name == "conversation"},
		} {
			n, bad, first := 0, 0, ""
			schedules([3]int{3, 4, 2}, func(order []int) {
				n++
				if left := play(t, x.p, req, order); left != "" {
					if bad++; first == "" {
						first = fmt.Sprintf("%v leaves %s", order, left)
					}
				}
			})
			if n != 1260 {
				t.Fatalf("%d orders, want 9!/(3!·4!·2!)", n)
			}
			if (bad > 0) != x.survives {
				t.Errorf("%s, %s: of %d orders %d leave something: %s", name, x.name, n, bad, first)
			}
		}
	}
}
