package schema

import "strings"

// Keys of slots and groups. Their parts are folded by the caller, so that case, width and script do not part what
// belongs together. Every key is a token that may stand in a subject or a key-value key as it is; the prefix tells
// the nature, so that decide needs no table of predicates.
const (
	slotOne    = "s-" // functional: a later statement supersedes all earlier ones
	slotOpen   = "o-" // open: statements live side by side; one that replaces a value ends those that state it
	slotMatter = "m-" // matters: statements live side by side; one that replaces a matter ends those that are about it
	slotThing  = "h-" // things of a life: statements live side by side; the poles of one thing exclude one another
	slotTarget = "t-" // marks on one memory: deletions and edits by its id
	groupKey   = "g-"
)

// SlotKey is the slot of a functional predicate (or of a polar one, per object) of a subject.
func SlotKey(owner, subject, predicate, qualifier string) string {
	return slotOne + UUID("slot", owner, subject, predicate, qualifier)
}

// IsOneSlot reports whether slot came from [SlotKey].
func IsOneSlot(slot string) bool { return strings.HasPrefix(slot, slotOne) }

// OpenSlotKey is the slot of statements that live side by side until one names the value it replaces.
func OpenSlotKey(owner, subject, predicate, qualifier string) string {
	return slotOpen + UUID("open", owner, subject, predicate, qualifier)
}

// MatterSlotKey is the slot of statements of one nature (rules, to-dos) that live side by side until one says that the
// matter it names no longer holds: a rule that is lifted, a to-do that is done.
func MatterSlotKey(owner, subject, nature, matter string) string {
	return slotMatter + UUID("matter", owner, subject, nature, matter)
}

// IsMatterSlot reports whether slot came from [MatterSlotKey].
func IsMatterSlot(slot string) bool { return strings.HasPrefix(slot, slotMatter) }

// ThingSlotKey is the slot of what somebody likes, does, uses or has, by the word that names the kind of thing. They live
// side by side; of two poles of one thing the later holds, and who gives a thing up ends all that speaks of it.
func ThingSlotKey(owner, subject, kind string) string {
	return slotThing + UUID("thing", owner, subject, kind)
}

// IsThingSlot reports whether slot came from [ThingSlotKey].
func IsThingSlot(slot string) bool { return strings.HasPrefix(slot, slotThing) }

// TargetKey is the slot of marks on the memory id: decide reads it with every memory, so that a deletion holds
// whichever of the two arrives first.
func TargetKey(id string) string { return slotTarget + UUID("target", id) }

// GroupKey is the group of statements that say the same.
func GroupKey(owner string, parts ...string) string {
	return groupKey + UUID(append([]string{"group", owner}, parts...)...)
}

// IsGroup reports whether key came from [GroupKey]; other keys of a guard are slots.
func IsGroup(key string) bool { return strings.HasPrefix(key, groupKey) }

// IsOpenSlot reports whether slot came from [OpenSlotKey].
func IsOpenSlot(slot string) bool { return strings.HasPrefix(slot, slotOpen) }

// IsTarget reports whether slot came from [TargetKey].
func IsTarget(slot string) bool { return strings.HasPrefix(slot, slotTarget) }
