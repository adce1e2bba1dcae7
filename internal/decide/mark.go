package decide

import (
	"slices"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Predicates of marks: statements about one memory by its id.
const (
	predDeleted = "deleted"
	predEdited  = "edited"
)

// Deletion is the mark that takes back the memory target, said by the event that by comes from. by carries
// tenant, user, times and source.
func Deletion(id, target string, by schema.Memory) schema.Memory {
	return newMark(id, target, predDeleted, "", by)
}

// Edit is the mark that lets the memory with id successor stand for the memory target, which is the first of its line:
// later edits and a deletion name it too.
func Edit(id, target, successor string, by schema.Memory) schema.Memory {
	return newMark(id, target, predEdited, successor, by)
}

func newMark(id, target, pred, successor string, by schema.Memory) schema.Memory {
	return schema.Memory{
		ID: id, Tenant: by.Tenant, User: by.User, Type: by.Type, Status: schema.StatusDeleted,
		Subject: target, Predicate: pred, Object: successor, Slot: schema.TargetKey(target),
		ObservedAt: by.ObservedAt, Conversation: by.Conversation, Source: by.Source,
	}
}

// IsMark reports whether m is a mark. Marks hold no text and are never shown: their own status is deleted.
func IsMark(m *schema.Memory) bool { return schema.IsTarget(m.Slot) }

// Shell is what is kept of a memory that was taken back: enough to account for it and to take back what says the same,
// and nothing that it said. A shell stays deleted for good: what it was is in the log alone.
func Shell(m schema.Memory) schema.Memory {
	return schema.Memory{
		ID: m.ID, Tenant: m.Tenant, User: m.User, Type: m.Type, Slot: m.Slot, Group: m.Group, Status: schema.StatusDeleted,
		Conversation: m.Conversation, ObservedAt: m.ObservedAt, SupersededBy: m.SupersededBy, Edits: m.Edits, Mark: m.Mark, Source: m.Source, Rule: m.Rule,
	}
}

// IsShell reports whether m is a shell. Every statement says something.
func IsShell(m *schema.Memory) bool { return m.Content == "" && !IsMark(m) }

// retract applies the marks, in event time, to the lines that they name: a memory with its edits. With what is edited
// or deleted goes what said the same by then, so that no duplicate steps into the place of what its user took back. A
// statement made after the mark is a new one and lives.
func retract(facts []schema.Memory) {
	var marks []*schema.Memory
	r := retraction{at: map[string]*schema.Memory{}, groups: map[string][]*schema.Memory{}}
	for i := range facts {
		f := &facts[i]
		if IsMark(f) {
			marks = append(marks, f)
			continue
		}
		r.at[f.ID] = f
		if f.Group != "" {
			r.groups[f.Group] = append(r.groups[f.Group], f)
		}
	}
	slices.SortFunc(marks, Compare)
	edits := map[string]*edited{}
	for _, m := range marks {
		l := edits[m.Subject]
		if l == nil {
			l = &edited{}
			if first := r.at[m.Subject]; first != nil { // else it is not there yet, or forgotten: its line goes on without it
				l.said = []*schema.Memory{first}
			}
			edits[m.Subject] = l
		}
		r.apply(m, l)
	}
}

// edited is a memory as it was stated, and restated by edits.
type edited struct {
	said []*schema.Memory // empty where the first statement is not there
	gone *schema.Memory   // the mark that deleted it
}

type retraction struct {
	at     map[string]*schema.Memory
	groups map[string][]*schema.Memory
}

// apply lets the next mark of a line take effect, unless a lower class said it: that is seen, not obeyed.
func (r *retraction) apply(m *schema.Memory, l *edited) {
	var head *schema.Memory
	least := schema.ClassUser // what is not there may have been a user's: a shell cannot be undone
	if n := len(l.said); n > 0 {
		head = l.said[n-1]
		least = head.Source.Class
	}
	lower := m.Source.Class < least
	if m.Predicate == predDeleted {
		if !lower {
			l.gone = m
			for _, f := range l.said {
				r.each(f, m, func(f *schema.Memory) { r.remove(f, m) })
			}
		}
		return
	}
	next := r.at[m.Object]
	switch {
	case next == nil || IsShell(next):
	case l.gone != nil && m.Source.Class <= l.gone.Source.Class: // a late edit brings nothing back
		r.remove(next, l.gone)
	case lower && head == nil: // who is outranked is not known
	case lower:
		mark(next, schema.StatusSuperseded, head.ID)
		next.Mark, next.ValidTo = m.ID, start(next)
	default:
		if head != nil {
			r.each(head, m, func(f *schema.Memory) {
				if f != next && f.Status != schema.StatusDeleted {
					supersedeBy(f, m)
				}
			})
		}
		l.said, l.gone = append(l.said, next), nil
	}
}

// each calls fn with f and what said the same before m and is no more trusted than m.
func (r *retraction) each(f, m *schema.Memory, fn func(*schema.Memory)) {
	if !IsShell(f) {
		fn(f)
	}
	for _, g := range r.groups[f.Group] {
		if g != f && !IsShell(g) && Compare(g, m) < 0 && m.Source.Class >= g.Source.Class {
			fn(g)
		}
	}
}

func (r *retraction) remove(f, m *schema.Memory) {
	if f.Status == schema.StatusSuperseded { // by an edit, which set its end
		f.ValidTo = time.Time{}
	}
	mark(f, schema.StatusDeleted, m.ID)
	f.Mark = m.ID
}

func supersedeBy(f, m *schema.Memory) {
	mark(f, schema.StatusSuperseded, m.Object)
	f.Mark, f.ValidTo = m.ID, m.ObservedAt
	if s := start(f); f.ValidTo.Before(s) {
		f.ValidTo = s
	}
}
