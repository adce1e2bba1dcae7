package decide

import "github.com/siltstone-ai/siltstone/pkg/schema"

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

// Edit is the mark that lets the memory with id successor stand for the memory target.
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

// retract applies the marks: the memory that a mark names, and what said the same by then, so that no duplicate
// steps into the place of what its user took back. A statement made after the mark is a new one and lives.
func retract(facts []schema.Memory) {
	var marks []*schema.Memory
	at := map[string]*schema.Memory{}
	groups := map[string][]*schema.Memory{}
	for i := range facts {
		f := &facts[i]
		if IsMark(f) {
			marks = append(marks, f)
			continue
		}
		at[f.ID] = f
		if f.Group != "" {
			groups[f.Group] = append(groups[f.Group], f)
		}
	}
	last := map[string]*schema.Memory{} // the mark that stands on a memory: the latest
	put := func(id string, m *schema.Memory) {
		if old := last[id]; old == nil || Compare(old, m) < 0 {
			last[id] = m
		}
	}
	for _, m := range marks {
		f := at[m.Subject]
		if f == nil || m.Source.Class < f.Source.Class {
			continue
		}
		put(f.ID, m)
		for _, g := range groups[f.Group] {
			if g.ID != m.Object && !g.ObservedAt.After(m.ObservedAt) && m.Source.Class >= g.Source.Class {
				put(g.ID, m)
			}
		}
	}
	for id, m := range last { // the order does not matter: each memory is touched once
		if m.Predicate == predEdited {
			supersedeBy(at[id], m)
			continue
		}
		mark(at[id], schema.StatusDeleted, m.ID)
	}
}

func supersedeBy(f, m *schema.Memory) {
	mark(f, schema.StatusSuperseded, m.Object)
	f.ValidTo = m.ObservedAt
	if s := start(f); f.ValidTo.Before(s) {
		f.ValidTo = s
	}
}
