package stages

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// said are bodies that contend for one slot, say the same in other words, say nothing, or are none.
var said = []string{
	`{"user":"u","input":"I live in Paris."}`, `{"user":"u","input":"I live in Berlin now."}`, `{"user":"u","input":"I live in Berlin now.","response":"Noted."}`,
	`{"user":"u","input":"My dog is called Rex.","response":"Rex is a fine name."}`, `{"user":"u","input":"<think>x</think>"}`,
}

const brokenBody = `{"user":"u","input":`

func entryEvent(id, user string, seq uint64, body string) schema.Event {
	ev := logEvent(schema.OpTurn, seq, id, body)
	ev.User = user
	ev.At = ev.At.AddDate(0, 0, int(seq))
	return ev
}

// reference is what is derived where only these events were ever in the log.
func reference(t *rapid.T, evs []schema.Event) *world {
	w := newWorld()
	for _, ev := range evs {
		w.deliver(ev)
		if err := w.run(); err != nil {
			t.Fatalf("reference: %v", err)
		}
	}
	return w
}

// disorder is a world whose workers take turns at random, are killed now and then, and get messages twice.
func disorder(seed uint64) *world {
	w, rng, kills := newWorld(), rand.New(rand.NewPCG(seed, 0)), 3
	w.pick = rng.IntN
	w.twice = func() bool { return rng.IntN(5) == 0 }
	w.crash = func(Spec) bool {
		if kills == 0 || rng.IntN(20) > 0 {
			return false
		}
		kills--
		return true
	}
	return w
}

// TestFirstEntryOfAnIDIsTheEvent: whatever the interleaving of any number of workers, with messages delivered again
// and workers killed between any two steps, of the entries of one id the first in the log is the event with all that
// is derived from it, every other has a point that accounts for it, and nothing of its body is anywhere.
func TestFirstEntryOfAnIDIsTheEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := disorder(rapid.Uint64().Draw(t, "schedule"))
		n := rapid.IntRange(2, 4).Draw(t, "entries")
		var evs []schema.Event
		for i := range n {
			body := rapid.SampledFrom(said).Draw(t, "body")
			if i > 0 && rapid.Bool().Draw(t, "same") {
				body = string(evs[0].Body)
			}
			evs = append(evs, entryEvent("same", rapid.SampledFrom([]string{"u", "u", "u", "v"}).Draw(t, "user"), uint64(10*i+3), body))
		}
		other := entryEvent("other", "u", 7, rapid.SampledFrom(said[:3]).Draw(t, "other"))
		for _, i := range rapid.Permutation(indices(n+1)).Draw(t, "order") {
			if i == n {
				w.deliver(other)
			} else {
				w.deliver(evs[i])
			}
		}
		if err := w.run(); err != nil {
			t.Fatal(err)
		}

		want := reference(t, []schema.Event{evs[0], other})
		if got, want := w.derived(), want.derived(); got != want {
			t.Errorf("derived is\n%s\nwant\n%s", got, want)
		}
		points := w.points[schema.Events]
		if len(points) != n+1 {
			t.Errorf("%d entries have %d points", n+1, len(points))
		}
		for _, ev := range []schema.Event{evs[0], other} {
			got, want := points[ev.UUID], want.points[schema.Events][ev.UUID]
			delete(got, keyReplaced)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("the point of %s is\n%v\nwant\n%v", ev.ID, got, want)
			}
		}
		for _, ev := range evs[1:] {
			p := points[LaterPoint(ev.UUID, ev.Seq)]
			outcome := schema.OutcomeConflict
			if ev.BodyHash == evs[0].BodyHash {
				outcome = schema.OutcomeDuplicate
			}
			if seqOf(p) != ev.Seq || p[schema.KeyOutcome] != string(outcome) || p[schema.KeyBodyHash] != ev.BodyHash || p[schema.KeyOwner] != schema.Owner("t1", ev.User) || p[schema.KeySegments] != nil {
				t.Errorf("the point of entry %d is %v, want %s", ev.Seq, p, outcome)
			}
		}
	})
}

// TestEveryEntryIsAccountedForOnce: the same where bodies may be such that clean gives them up. Which entry is the
// event depends then on when the first was given up; that each has one point, and that what is derived is of the
// holder alone, does not.
func TestEveryEntryIsAccountedForOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := disorder(rapid.Uint64().Draw(t, "schedule"))
		n := rapid.IntRange(2, 4).Draw(t, "entries")
		bodies := map[uint64]string{}
		for i := range n {
			body := rapid.SampledFrom([]string{said[0], said[1], brokenBody}).Draw(t, "body")
			ev := entryEvent("same", "u", uint64(10*i+3), body)
			bodies[ev.Seq] = body
			w.deliver(ev)
		}
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		uuid := schema.EventUUID("t1", "same")
		points := w.points[schema.Events]
		holder := seqOf(points[uuid])
		seen := map[uint64]bool{}
		for id, p := range points {
			seq := seqOf(p)
			if seen[seq] || id != uuid && id != LaterPoint(uuid, seq) || bodies[seq] == "" {
				t.Errorf("point %s is one too many: %v", id, p)
			}
			seen[seq] = true
			switch o := schema.Outcome(p[schema.KeyOutcome].(string)); {
			case o == schema.OutcomeDead && bodies[seq] == brokenBody:
			case o == schema.OutcomeOpen && id == uuid && bodies[seq] != brokenBody:
				for _, s := range flagged {
					if p[schema.KeyDone+s] != true {
						t.Errorf("the event waits for %s for ever: %v", s, p)
					}
				}
			case (o == schema.OutcomeDuplicate || o == schema.OutcomeConflict) && id != uuid && seq > holder:
			default:
				t.Errorf("entry %d (%s) ended as %v", seq, bodies[seq], p)
			}
		}
		if len(seen) != n {
			t.Errorf("%d of %d entries are accounted for", len(seen), n)
		}
		var alone []schema.Event
		if bodies[holder] != brokenBody {
			alone = append(alone, entryEvent("same", "u", holder, bodies[holder]))
		}
		if got, want := w.derived(), reference(t, alone).derived(); got != want {
			t.Errorf("derived is\n%s\nwant\n%s", got, want)
		}
	})
}

// TestReplacingSurvivesADeathAtAnyStep: an entry that was overtaken by a later one comes in last, and the worker that
// gives it its place is killed at each of its steps in turn.
func TestReplacingSurvivesADeathAtAnyStep(t *testing.T) {
	first, other, second := entryEvent("same", "u", 3, said[3]), entryEvent("other", "u", 7, said[0]), entryEvent("same", "u", 13, said[1])
	want := newWorld()
	for _, ev := range []schema.Event{first, other} {
		want.deliver(ev)
	}
	if err := want.run(); err != nil {
		t.Fatal(err)
	}
	for at := 0; ; at++ {
		w := newWorld()
		for _, ev := range []schema.Event{other, second} {
			w.deliver(ev)
			if err := w.run(); err != nil {
				t.Fatal(err)
			}
		}
		if paris := w.facts(func(m *schema.Memory) bool { return m.Source.Event == "other" }); len(paris) != 1 || paris[0].Status != schema.StatusSuperseded {
			t.Fatalf("the later entry has not superseded anything, so nothing is to be given back: %+v", paris)
		}
		steps := 0
		w.crash = func(Spec) bool { steps++; return steps-1 == at }
		w.pick = func(n int) int { return n - 1 } // one worker to its end
		w.deliver(first)
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		if got, want := w.derived(), want.derived(); got != want {
			t.Errorf("killed at step %d: derived is\n%s\nwant\n%s", at, got, want)
		}
		if n := len(w.points[schema.Events]); n != 3 {
			t.Errorf("killed at step %d: 3 entries have %d points", at, n)
		}
		if steps <= at {
			break
		}
	}
}

func indices(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}
