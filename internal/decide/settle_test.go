package decide

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const owner = "t1.u1"

func at(day int) time.Time { return time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, day) }

// said is a statement about where the user lives, on a day.
func said(id string, day int, place string, opts ...func(*schema.Memory)) schema.Memory {
	m := schema.Memory{
		ID: id, Type: schema.TypeFact, Content: "I live in " + place, Subject: "user", Predicate: "lives_in", Object: place,
		Slot: schema.SlotKey(owner, "user", "lives_in", ""), Group: schema.GroupKey(owner, "user", "lives_in", place),
		ObservedAt: at(day), Status: schema.StatusActive, Source: schema.Source{Class: schema.ClassUser, Seq: uint64(day)},
	}
	for _, o := range opts {
		o(&m)
	}
	return m
}

func class(c schema.Class) func(*schema.Memory) {
	return func(m *schema.Memory) { m.Source.Class = c }
}
func negated(m *schema.Memory) {
	m.Negated = true
	m.Group = schema.GroupKey(owner, "user", "lives_in", m.Object, "not")
}
func ended(m *schema.Memory) { m.ValidTo = m.ObservedAt; m.Group += "past" }
func from(d int) func(*schema.Memory) {
	return func(m *schema.Memory) { m.ValidFrom = at(d) }
}
func written(content string) func(*schema.Memory) {
	return func(m *schema.Memory) { m.Rule, m.Content = schema.RuleOutright+"memory", content }
}
func pinned(m *schema.Memory)   { m.Pinned = true }
func inferred(m *schema.Memory) { m.Rule = schema.RuleModel + "m1" }
func noSlot(m *schema.Memory)   { m.Slot = "" }
func taste(pole string) func(*schema.Memory) {
	return func(m *schema.Memory) {
		m.Predicate, m.Slot, m.Group = pole, schema.ThingSlotKey(owner, "user", m.Object), schema.GroupKey(owner, pole, m.Object)
	}
}
func open(replaces string) func(*schema.Memory) {
	return func(m *schema.Memory) {
		m.Slot, m.Replaces = schema.OpenSlotKey(owner, "", "amount", "u"), replaces
	}
}

// state is what Settle says of each memory, by id: status, the end of validity as a day, who stands instead.
func state(ms []schema.Memory) map[string]string {
	out := map[string]string{}
	for _, m := range ms {
		s := string(m.Status)
		if !m.ValidTo.IsZero() {
			s += fmt.Sprintf(" until %d", int(m.ValidTo.Sub(at(0)).Hours()/24))
		}
		if m.SupersededBy != "" {
			s += " by " + m.SupersededBy
		}
		out[m.ID] = s
	}
	return out
}

func TestSettle(t *testing.T) {
	by := func(c schema.Class, day int) schema.Memory {
		return schema.Memory{ObservedAt: at(day), Source: schema.Source{Class: c, Seq: uint64(day)}}
	}
	for _, tc := range []struct {
		name  string
		facts []schema.Memory
		want  map[string]string
	}{
		{"later supersedes", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Lisbon")},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"late arrival lands in history", []schema.Memory{said("b", 5, "Lisbon"), said("a", 1, "Porto")},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"written outright, the same text is a duplicate", []schema.Memory{said("a", 1, "Porto", written("I live in Porto")), said("b", 5, "Porto", written("I live in  PORTO."))},
			map[string]string{"a": "active", "b": "duplicate by a"}},
		{"written outright, one that says more stands", []schema.Memory{said("a", 1, "Porto", written("I live in Porto")), said("b", 5, "Porto", written("I live in Porto, valid until June"))},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"written outright, one that says less is a duplicate of what says more", []schema.Memory{said("b", 1, "Porto", written("I live in Porto, valid until June")), said("a", 5, "Porto", written("I live in Porto"))},
			map[string]string{"b": "active", "a": "duplicate by b"}},
		{"written outright after a turn, with more", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Porto", written("I live in Porto with my sister"))},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"a turn repeats what was written outright", []schema.Memory{said("a", 1, "Porto", written("I live in Porto with my sister")), said("b", 5, "Porto")},
			map[string]string{"a": "active", "b": "duplicate by a"}},
		{"without a slot one that says more ends the other", []schema.Memory{said("a", 1, "Porto", written("小王是我朋友"), noSlot), said("b", 5, "Porto", written("小王是我朋友，住在上海"), noSlot)},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"without a slot two that say other things stand side by side", []schema.Memory{said("a", 1, "Porto", written("Bob is my friend from Leeds"), noSlot), said("b", 5, "Porto", written("Bob is my friend since school"), noSlot)},
			map[string]string{"a": "active", "b": "active"}},
		{"written outright by one who is trusted less", []schema.Memory{said("a", 1, "Porto", class(schema.ClassOperator)), said("b", 5, "Porto", written("I live in Porto with my sister"))},
			map[string]string{"a": "active", "b": "superseded until 5 by a"}},
		{"a pin of what was said stands", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Porto", written("I live in Porto"), pinned), said("c", 9, "Porto")},
			map[string]string{"a": "duplicate by b", "b": "active", "c": "duplicate by b"}},
		{"a number that differs is never the same", []schema.Memory{said("a", 1, "Porto", written("I live in Porto, door 4")), said("b", 5, "Porto", written("I live in Porto, door 5"))},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"between two", []schema.Memory{said("c", 9, "Rome"), said("a", 1, "Porto"), said("b", 5, "Lisbon")},
			map[string]string{"a": "superseded until 5 by b", "b": "superseded until 9 by c", "c": "active"}},
		{"back again", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Lisbon"), said("c", 9, "Porto")},
			map[string]string{"a": "superseded until 5 by b", "b": "superseded until 9 by c", "c": "active"}},
		{"said twice in a row", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Porto"), said("c", 9, "Rome")},
			map[string]string{"a": "superseded until 9 by c", "b": "duplicate by a", "c": "active"}},
		{"negation closes its value", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Porto", negated)},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"negation of another value closes nothing", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Rome", negated)},
			map[string]string{"a": "active", "b": "active"}},
		{"negation is superseded", []schema.Memory{said("a", 1, "Porto", negated), said("b", 5, "Porto")},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"past statement is history from birth", []schema.Memory{said("a", 3, "Rome"), said("b", 5, "Porto", ended)},
			map[string]string{"a": "active", "b": "superseded until 5"}},
		{"past statement ends what it speaks of", []schema.Memory{said("a", 3, "Porto"), said("b", 5, "Porto", ended)},
			map[string]string{"a": "superseded until 5 by b", "b": "superseded until 5"}},
		{"past statement leaves alone what ended before", []schema.Memory{said("a", 1, "Porto"), said("b", 3, "Rome"), said("c", 6, "Porto", ended)},
			map[string]string{"a": "superseded until 3 by b", "b": "active", "c": "superseded until 6"}},
		{"past statement, a thing that is disliked by now", []schema.Memory{said("a", 1, "coffee", taste("likes")), said("b", 3, "coffee", taste("dislikes")), said("c", 6, "coffee", taste("likes"), ended)},
			map[string]string{"a": "superseded until 3 by b", "b": "active", "c": "superseded until 6"}},
		{"begins later than said", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Lisbon", from(20))},
			map[string]string{"a": "active until 20 by b", "b": "active"}},
		{"began before the old one was said", []schema.Memory{said("a", 4, "Porto"), said("b", 5, "Lisbon", from(2))},
			map[string]string{"a": "superseded until 4 by b", "b": "active"}},
		{"a tool does not supersede a user", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Lisbon", class(schema.ClassTool))},
			map[string]string{"a": "active", "b": "superseded until 5 by a"}},
		{"a user supersedes a tool", []schema.Memory{said("a", 1, "Porto", class(schema.ClassTool)), said("b", 5, "Lisbon")},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"a user does not supersede an operator", []schema.Memory{said("a", 1, "Porto", class(schema.ClassOperator)), said("b", 5, "Lisbon")},
			map[string]string{"a": "active", "b": "superseded until 5 by a"}},
		{"a tool retracts nothing", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Porto", negated, class(schema.ClassTool))},
			map[string]string{"a": "active", "b": "superseded until 5 by a"}},
		{"the more trusted duplicate is canonical", []schema.Memory{said("a", 1, "Porto", class(schema.ClassAssistant)), said("b", 5, "Porto")},
			map[string]string{"a": "duplicate by b", "b": "active"}},
		{"a model adds where nobody has spoken", []schema.Memory{said("a", 1, "Porto", inferred)}, map[string]string{"a": "active"}},
		{"a model supersedes nothing that a rule read", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Lisbon", inferred)},
			map[string]string{"a": "active", "b": "superseded until 5 by a"}},
		{"whoever said what the rule read", []schema.Memory{said("a", 1, "Porto", class(schema.ClassTool)), said("b", 5, "Lisbon", inferred)},
			map[string]string{"a": "active", "b": "superseded until 5 by a"}},
		{"a model ends nothing that a rule read", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Porto", inferred, ended)},
			map[string]string{"a": "active", "b": "superseded until 5"}},
		{"a model denies nothing that a rule read", []schema.Memory{said("a", 1, "coffee", taste("likes")), said("b", 5, "coffee", taste("dislikes"), inferred)},
			map[string]string{"a": "active", "b": "superseded until 5 by a"}},
		{"a model repeats what a rule read", []schema.Memory{said("a", 1, "Porto"), said("b", 5, "Porto", inferred)},
			map[string]string{"a": "active", "b": "duplicate by a"}},
		{"a rule takes over what a model pointed out", []schema.Memory{said("a", 1, "Porto", inferred), said("b", 5, "Porto")},
			map[string]string{"a": "duplicate by b", "b": "active"}},
		{"a rule supersedes what a model pointed out", []schema.Memory{said("a", 1, "Porto", inferred), said("b", 5, "Lisbon")},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"of what a model pointed out the latest holds", []schema.Memory{said("a", 1, "Porto", inferred), said("b", 5, "Lisbon", inferred)},
			map[string]string{"a": "superseded until 5 by b", "b": "active"}},
		{"no slot: duplicates alone", []schema.Memory{said("a", 1, "x", noSlot), said("b", 5, "y", noSlot), said("c", 6, "x", noSlot)},
			map[string]string{"a": "active", "b": "active", "c": "duplicate by a"}},
		{"open slot: side by side", []schema.Memory{said("a", 1, "20", open("")), said("b", 5, "30", open(""))},
			map[string]string{"a": "active", "b": "active"}},
		{"open slot: the value named is replaced", []schema.Memory{said("a", 1, "20", open("")), said("b", 2, "30", open("")), said("c", 5, "15", open("20"))},
			map[string]string{"a": "superseded until 5 by c", "b": "active", "c": "active"}},
		{"deletion", []schema.Memory{said("a", 1, "Porto"), Deletion("d", "a", by(schema.ClassUser, 5))},
			map[string]string{"a": "deleted by d", "d": "deleted"}},
		{"deletion takes duplicates along", []schema.Memory{said("a", 1, "Porto"), said("b", 2, "Porto"), Deletion("d", "a", by(schema.ClassUser, 5))},
			map[string]string{"a": "deleted by d", "b": "deleted by d", "d": "deleted"}},
		{"said again after the deletion", []schema.Memory{said("a", 1, "Porto"), Deletion("d", "a", by(schema.ClassUser, 5)), said("c", 9, "Porto")},
			map[string]string{"a": "deleted by d", "c": "active", "d": "deleted"}},
		{"deletion of the present brings back the one before", []schema.Memory{said("a", 1, "Porto"), said("b", 3, "Rome"), Deletion("d", "b", by(schema.ClassUser, 5))},
			map[string]string{"a": "active", "b": "deleted by d", "d": "deleted"}},
		{"a tool deletes nothing of a user", []schema.Memory{said("a", 1, "Porto"), Deletion("d", "a", by(schema.ClassTool, 5))},
			map[string]string{"a": "active", "d": "deleted"}},
		{"edit", []schema.Memory{said("a", 1, "x", noSlot), said("b", 5, "y", noSlot), Edit("d", "a", "b", by(schema.ClassUser, 5))},
			map[string]string{"a": "superseded until 5 by b", "b": "active", "d": "deleted"}},
		{"edit of an edit", []schema.Memory{said("a", 1, "x", noSlot), said("b", 5, "y", noSlot), Edit("d", "a", "b", by(schema.ClassUser, 5)), said("c", 6, "z", noSlot), Edit("e", "a", "c", by(schema.ClassUser, 6))},
			map[string]string{"a": "superseded until 5 by b", "b": "superseded until 6 by c", "c": "active", "d": "deleted", "e": "deleted"}},
		{"an edit by a lower class is seen, not obeyed", []schema.Memory{said("a", 1, "x", noSlot), said("b", 5, "y", noSlot, class(schema.ClassTool)), Edit("d", "a", "b", by(schema.ClassTool, 5))},
			map[string]string{"a": "active", "b": "superseded until 5 by a", "d": "deleted"}},
		{"what a user edited, a tool does not edit on", []schema.Memory{said("a", 1, "x", noSlot, class(schema.ClassTool)), said("b", 5, "y", noSlot), Edit("d", "a", "b", by(schema.ClassUser, 5)), said("c", 6, "z", noSlot, class(schema.ClassTool)), Edit("e", "a", "c", by(schema.ClassTool, 6))},
			map[string]string{"a": "superseded until 5 by b", "b": "active", "c": "superseded until 6 by b", "d": "deleted", "e": "deleted"}},
		{"deletion takes the edits along", []schema.Memory{said("a", 1, "x", noSlot), said("b", 5, "y", noSlot), Edit("d", "a", "b", by(schema.ClassUser, 5)), Deletion("e", "a", by(schema.ClassUser, 6))},
			map[string]string{"a": "deleted by e", "b": "deleted by e", "d": "deleted", "e": "deleted"}},
		{"a late edit brings nothing back", []schema.Memory{said("a", 1, "x", noSlot), Deletion("e", "a", by(schema.ClassUser, 3)), said("b", 5, "y", noSlot), Edit("d", "a", "b", by(schema.ClassUser, 5))},
			map[string]string{"a": "deleted by e", "b": "deleted by e", "d": "deleted", "e": "deleted"}},
		{"deletion of a line whose first statement was forgotten", []schema.Memory{said("b", 5, "y", noSlot), Edit("d", "a", "b", by(schema.ClassUser, 5)), Deletion("e", "a", by(schema.ClassUser, 6))},
			map[string]string{"b": "deleted by e", "d": "deleted", "e": "deleted"}},
		{"edits of a line whose first statement was forgotten", []schema.Memory{said("b", 5, "y", noSlot), Edit("d", "a", "b", by(schema.ClassUser, 5)), said("c", 6, "z", noSlot), Edit("e", "a", "c", by(schema.ClassUser, 6))},
			map[string]string{"b": "superseded until 6 by c", "c": "active", "d": "deleted", "e": "deleted"}},
		{"said again after the edit", []schema.Memory{said("a", 1, "x", noSlot), said("b", 5, "y", noSlot), Edit("d", "a", "b", by(schema.ClassUser, 5)), said("c", 6, "x", noSlot)},
			map[string]string{"a": "superseded until 5 by b", "b": "active", "c": "active", "d": "deleted"}},
		{"a shell stays one", []schema.Memory{Shell(said("a", 1, "x", noSlot)), said("c", 6, "x", noSlot)},
			map[string]string{"a": "deleted", "c": "active"}},
		{"edit to the same text", []schema.Memory{said("a", 1, "x", noSlot), said("b", 5, "x", noSlot), Edit("d", "a", "b", by(schema.ClassUser, 5))},
			map[string]string{"a": "superseded until 5 by b", "b": "active", "d": "deleted"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := state(Settle(tc.facts))
			if fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("got  %v\nwant %v", got, tc.want)
			}
		})
	}
}

func genFacts(t *rapid.T) []schema.Memory {
	places := []string{"Porto", "Lisbon", "Rome"}
	classes := []schema.Class{schema.ClassTool, schema.ClassAssistant, schema.ClassUser, schema.ClassOperator}
	n := rapid.IntRange(1, 9).Draw(t, "n")
	var fs []schema.Memory
	for i := range n {
		id := string(rune('a' + i))
		opts := []func(*schema.Memory){class(rapid.SampledFrom(classes).Draw(t, "class"))}
		switch rapid.IntRange(0, 7).Draw(t, "form") {
		case 0, 1:
			opts = append(opts, negated)
		case 2:
			opts = append(opts, ended)
		case 3:
			opts = append(opts, from(rapid.IntRange(0, 12).Draw(t, "from")))
		}
		if rapid.IntRange(0, 3).Draw(t, "by a model") == 0 {
			opts = append(opts, inferred)
		}
		day := rapid.IntRange(1, 8).Draw(t, "day")
		if i > 0 && rapid.IntRange(0, 7).Draw(t, "mark") == 0 {
			target := string(rune('a' + rapid.IntRange(0, i-1).Draw(t, "target")))
			m := said(id, day, "", opts[0])
			if rapid.Bool().Draw(t, "edit") {
				next := "next of " + id
				fs = append(fs, said(next, day, rapid.SampledFrom(places).Draw(t, "place"), opts[0]), Edit(id, target, next, m))
				continue
			}
			fs = append(fs, Deletion(id, target, m))
			continue
		}
		f := said(id, day, rapid.SampledFrom(places).Draw(t, "place"), opts...)
		f.Source.Place = rapid.IntRange(0, 3).Draw(t, "said as")
		fs = append(fs, f)
	}
	return fs
}

// Ids are as good as drawn by lot: they must not decide what holds of what one turn says.
func TestC3_OfOneTurnTheLaterClauseHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Z][a-z]{3,8}`), 2, 6, rapid.ID).Draw(t, "places")
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[0-9a-f]{8}`), len(places), len(places), rapid.ID).Draw(t, "ids")
		var fs []schema.Memory
		for i, place := range places {
			f := said(names[i], 3, place)
			f.Source.Place = i
			fs = append(fs, schema.MemoryFrom(f.ID, f.Payload())) // as it is read back
		}
		var stored []schema.Memory
		for _, f := range rapid.Permutation(fs).Draw(t, "arrival") {
			stored = Settle(append(stored, f))
		}
		got := state(stored)
		last := len(places) - 1
		for i, id := range names {
			want := "active"
			if i < last {
				want = "superseded until 3 by " + names[i+1]
			}
			if got[id] != want {
				t.Fatalf("clause %d of %d (%s) is %q, want %q", i, len(places), id, got[id], want)
			}
		}
	})
}

// What an older build stored tells no place: it is settled as it was.
func TestSettle_StatementsWithoutPlace(t *testing.T) {
	a, b := said("a", 3, "Porto"), said("b", 3, "Lisbon")
	if got := state(Settle([]schema.Memory{b, a})); got["b"] != "active" || got["a"] != "superseded until 3 by b" {
		t.Errorf("%v", got)
	}
	if pl := a.Payload(); pl[schema.KeyPlace] != nil || schema.MemoryFrom("a", pl).Source.Place != 0 {
		t.Errorf("%v", pl)
	}
}

// Arrival is modelled as the stage does it: each statement comes alone, with the states of those before it as they
// were stored, some of them twice.
func TestC3_AnyOrderOfArrivalEndsInOneState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := genFacts(t)
		want := state(Settle(fs))
		var stored []schema.Memory
		arrive := rapid.Permutation(append(slices.Clone(fs), fs[:len(fs)/2]...)).Draw(t, "arrival")
		for _, f := range arrive {
			if i := slices.IndexFunc(stored, func(s schema.Memory) bool { return s.ID == f.ID }); i >= 0 {
				stored[i] = f // a redelivery writes the point anew
			} else {
				stored = append(stored, f)
			}
			stored = Settle(stored)
		}
		if got := state(stored); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("arrival %v:\ngot  %v\nwant %v", ids(arrive), got, want)
		}
	})
}

func TestSettle_Invariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := genFacts(t)
		out := Settle(fs)
		byID := map[string]*schema.Memory{}
		for i := range out {
			byID[out[i].ID] = &out[i]
		}
		now := at(30) // after every start
		positive := map[string]bool{}
		for i := range out {
			m := &out[i]
			if m.SupersededBy != "" {
				by := byID[m.SupersededBy]
				if by == nil {
					t.Fatalf("%s superseded by %q, which is not there", m.ID, m.SupersededBy)
				}
				edits := IsMark(m) || strings.HasPrefix(m.ID, "next of ") // who may edit what is a matter of classes
				if schema.Inferred(by.Rule) && !schema.Inferred(m.Rule) && !edits {
					t.Fatalf("%s gave way to %s, which a model pointed out", m.ID, by.ID)
				}
				if by.Source.Class < m.Source.Class && schema.Inferred(by.Rule) == schema.Inferred(m.Rule) {
					t.Fatalf("%s (%s) gave way to %s (%s)", m.ID, m.Source.Class, by.ID, by.Source.Class)
				}
			}
			if !m.ValidTo.IsZero() && !past(m) && m.ValidTo.Before(start(m)) {
				t.Fatalf("%s ends before it begins", m.ID)
			}
			if m.Active(now) && !m.Negated {
				if len(positive) > 0 {
					t.Fatalf("two places hold at once: %v", state(out))
				}
				positive[m.Object] = true
			}
		}
		for i := range out {
			if m := &out[i]; m.Active(now) && m.Negated && positive[m.Object] {
				t.Fatalf("both poles of %s hold: %v", m.Object, state(out))
			}
		}
	})
}

func ids(ms []schema.Memory) (out []string) {
	for _, m := range ms {
		out = append(out, m.ID)
	}
	return out
}

func BenchmarkSettleSlotOf1000(b *testing.B) {
	var fs []schema.Memory
	for i := range 1000 {
		fs = append(fs, said(fmt.Sprint(i), i, fmt.Sprint("place ", i%7)))
	}
	for b.Loop() {
		Settle(fs)
	}
}
