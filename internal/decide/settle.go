package decide

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Settle is the state of every memory in facts, in their order, computed from scratch. facts must be closed: with
// a memory it holds all others of its group and slot, and the marks on it ([schema.TargetKey]). facts is not
// changed. Memories without slot are compared within their group alone. O(n log n) for slots of which few
// statements hold at a time, and for those of open amounts and of matters, whose statements live side by side.
func Settle(facts []schema.Memory) []schema.Memory {
	out := make([]schema.Memory, len(facts))
	order := make([]int, len(facts))
	for i := range facts {
		out[i] = birth(facts[i])
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return Compare(&out[a], &out[b]) })

	retract(out)
	lines := map[string]*line{} // by slot, else by group
	for _, i := range order {
		f := &out[i]
		if f.Status != schema.StatusActive || schema.IsTarget(f.Slot) {
			continue
		}
		key := cmp.Or(f.Slot, f.Group)
		if key == "" {
			continue // nothing to compare with
		}
		l := lines[key]
		if l == nil {
			l = &line{}
			lines[key] = l
		}
		l.say(f)
	}
	return out
}

// Compare orders statements by event time, and those of one event as they were said: (observed at, log sequence, place,
// id).
func Compare(a, b *schema.Memory) int {
	return cmp.Or(a.ObservedAt.Compare(b.ObservedAt), cmp.Compare(a.Source.Seq, b.Source.Seq),
		cmp.Compare(a.Source.Place, b.Source.Place), cmp.Compare(a.ID, b.ID))
}

// Changed reports whether a and b, two states of one memory, differ in what Settle decides.
func Changed(a, b *schema.Memory) bool {
	return a.Status != b.Status || a.SupersededBy != b.SupersededBy || a.Mark != b.Mark || !a.ValidTo.Equal(b.ValidTo)
}

// birth is m as it was stated. An end of validity is decide's own where it stands with the id of a successor, and
// else the statement's ("I used to …").
func birth(m schema.Memory) schema.Memory {
	if IsMark(&m) || IsShell(&m) {
		return m
	}
	if m.SupersededBy != "" && m.Status != schema.StatusDuplicate && m.Status != schema.StatusDeleted {
		m.ValidTo = time.Time{}
	}
	m.Status, m.SupersededBy, m.Mark = schema.StatusActive, "", ""
	return m
}

// line is the course of one slot, or of one group where there is no slot: the statements that hold so far.
type line struct {
	open  []*schema.Memory
	mates map[string][]*schema.Memory // where statements live side by side, those that can meet, by each of their [keys]
	wards []*schema.Memory            // of them those that can end others, or be ended, beyond their mates
}

// say adds the next statement in event time.
func (l *line) say(f *schema.Memory) {
	if past(f) {
		l.recall(f)
		return
	}
	rivals, all := l.rivals(f)
	keep := rivals[:0:0]
	for i, a := range rivals {
		switch {
		case gone(a):
		case same(f, a):
			if f.Weight() <= a.Weight() && !raises(f, a) {
				mark(f, schema.StatusDuplicate, a.ID)
				return // whatever f ends, a has ended already
			}
			mark(a, schema.StatusDuplicate, f.ID)
		case !ends(f, a) && !saysMore(f, a):
			keep = append(keep, a)
		case f.Weight() < a.Weight(): // seen, not obeyed
			undo(rivals[:i], f)
			mark(f, schema.StatusSuperseded, a.ID)
			f.ValidTo = start(f)
			return
		default:
			supersede(a, f)
		}
	}
	if all {
		l.open = keep
	}
	l.open = append(l.open, f)
	l.note(f)
}

// gone reports whether a holds no more, or will not: nothing that comes meets it.
func gone(a *schema.Memory) bool { return a.Status != schema.StatusActive || a.SupersededBy != "" }

// rivals are the statements that f may meet: all that hold, or, where statements live side by side and f can end no
// others, its mates and the wards alone, so that a line of n of them costs n steps and not n².
func (l *line) rivals(f *schema.Memory) (rivals []*schema.Memory, all bool) {
	switch {
	case schema.IsThingSlot(f.Slot):
		if sweeps(f) {
			return l.open, true
		}
		return append(l.matesOf(f), l.wards...), false
	case schema.IsOpenSlot(f.Slot) || schema.IsMatterSlot(f.Slot):
		if f.Replaces != "" || len(l.wards) > 0 && f.Type == schema.TypeConstraint || demanding(f) {
			return l.open, true
		}
		return l.matesOf(f), false
	}
	return l.open, true
}

// keys are what tells mates in a slot of statements that live side by side.
func keys(f *schema.Memory) []string {
	out := []string{f.Group}
	if schema.IsThingSlot(f.Slot) {
		out = append(out, "thing "+thingKey(f))
	} else if k := demandKey(f); k != "" {
		out = append(out, "demand "+k)
	}
	return slices.DeleteFunc(out, func(k string) bool { return k == "" })
}

// matesOf are the statements that share a key with f, each once.
func (l *line) matesOf(f *schema.Memory) (out []*schema.Memory) {
	for _, k := range keys(f) {
		for _, a := range l.mates[k] {
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// note files f, which holds, under what will look for it.
func (l *line) note(f *schema.Memory) {
	thing := schema.IsThingSlot(f.Slot)
	if !thing && !schema.IsOpenSlot(f.Slot) && !schema.IsMatterSlot(f.Slot) {
		return
	}
	if l.mates == nil {
		l.mates = map[string][]*schema.Memory{}
	}
	for _, k := range keys(f) {
		l.mates[k] = append(slices.DeleteFunc(l.mates[k], gone), f)
	}
	if thing && sweeps(f) || !thing && f.Replaces != "" {
		l.wards = append(slices.DeleteFunc(l.wards, gone), f)
	}
}

// undo takes back what f did to the statements before it met one that it may not touch.
func undo(open []*schema.Memory, f *schema.Memory) {
	for _, a := range open {
		if a.SupersededBy == f.ID {
			*a = birth(*a)
		}
	}
}

// recall places a statement about the past: it ends what it speaks of, unless that has ended before, and never held itself
// in the time seen.
func (l *line) recall(f *schema.Memory) {
	f.Status = schema.StatusSuperseded
	keep := l.open[:0:0]
	for _, a := range l.open {
		if f.Slot != "" && !gone(a) && !past(a) && !a.Negated && f.Weight() >= a.Weight() && overFor(f, a) {
			supersede(a, f)
			continue
		}
		keep = append(keep, a)
	}
	l.open = keep
}

// overFor reports whether what f says was over is what a says.
func overFor(f, a *schema.Memory) bool {
	switch {
	case f.Object == "":
		return true
	case schema.IsThingSlot(f.Slot):
		return family(f) == family(a) && given(f) == given(a) && thingKey(f) == thingKey(a)
	}
	return equal(a.Object, f.Object)
}

// past reports whether f speaks of something that was over when it was said.
func past(f *schema.Memory) bool { return !f.ValidTo.IsZero() && !f.ValidTo.After(f.ObservedAt) }

// same reports whether f says what a says, and no more. Two that name different beginnings do not: "since 2021" corrects
// "since 2019". What was written outright is kept to the word: it says the same only where all that it tells is in a.
func same(f, a *schema.Memory) bool {
	return alike(f, a) && (f.ValidFrom.IsZero() || a.ValidFrom.IsZero() || f.ValidFrom.Equal(a.ValidFrom)) && (!outright(f) || tells(f, a))
}

func alike(f, a *schema.Memory) bool {
	if f.Group != "" && f.Group == a.Group {
		return true
	}
	k := demandKey(f)
	return k != "" && k == demandKey(a)
}

// saysMore reports whether f, written outright, tells all that a does and more.
func saysMore(f, a *schema.Memory) bool {
	return outright(f) && alike(f, a) && !tells(f, a) && tells(a, f)
}

// tells reports whether all that f tells is in a: its words are there, in their order.
func tells(f, a *schema.Memory) bool {
	if forbids(f.Content) != forbids(a.Content) {
		return false
	}
	words := text.GistWords(f.Content)
	if len(words) == 0 {
		return text.Normalize(f.Content) == text.Normalize(a.Content)
	}
	for _, w := range text.GistWords(a.Content) {
		if len(words) > 0 && w == words[0] {
			words = words[1:]
		}
	}
	return len(words) == 0 || text.Gist(f.Content) == text.Gist(a.Content) // cut otherwise
}

// raises reports whether f, which repeats a, was written outright to pin it: it stands then, and a is the duplicate.
func raises(f, a *schema.Memory) bool {
	return outright(f) && f.Pinned && !a.Pinned && f.Source.Class == a.Source.Class
}

// outright reports whether m was written by hand rather than read from a turn.
func outright(m *schema.Memory) bool { return schema.Outright(m.Rule) }

// ends reports whether the later f leaves no room for a.
func ends(f, a *schema.Memory) bool {
	switch {
	case f.Slot == "" || f.Slot != a.Slot:
		return false
	case schema.IsMatterSlot(f.Slot):
		return endsMatter(f, a)
	case schema.IsThingSlot(f.Slot):
		return endsThing(f, a)
	case schema.IsOpenSlot(f.Slot):
		return f.Replaces != "" && equal(f.Replaces, a.Object)
	case f.Negated:
		return f.Object == "" || a.Object == "" || equal(f.Object, a.Object)
	}
	return true
}

func equal(a, b string) bool { return strings.EqualFold(a, b) || text.Gist(a) == text.Gist(b) }

// start is when f begins to hold.
func start(f *schema.Memory) time.Time {
	if f.ValidFrom.IsZero() {
		return f.ObservedAt
	}
	return f.ValidFrom
}

// supersede ends a where f begins. Where f begins later than it was said, a stays active until then: readers see
// its end.
func supersede(a, f *schema.Memory) {
	s := start(f)
	if s.After(f.ObservedAt) {
		mark(a, schema.StatusActive, f.ID)
	} else {
		mark(a, schema.StatusSuperseded, f.ID)
	}
	a.ValidTo = s
	if own := start(a); s.Before(own) {
		a.ValidTo = own
	}
}

func mark(m *schema.Memory, s schema.Status, by string) { m.Status, m.SupersededBy = s, by }
