package decide

import (
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Predicates of the two poles of taste.
const (
	predLikes    = "likes"
	predDislikes = "dislikes"
)

// family is what the poles of a thing have in common: who likes it and who dislikes it speak of one taste.
func family(m *schema.Memory) string {
	if m.Predicate == predDislikes {
		return predLikes
	}
	return m.Predicate
}

// given reports whether m says that somebody has, does or likes a thing, and not that somebody does not.
func given(m *schema.Memory) bool { return m.Negated == (m.Predicate == predDislikes) }

// sweeps reports whether f, in a slot of things, may end or be ended by statements about other things of its kind: a thing
// that is given up, or that somebody does without.
func sweeps(f *schema.Memory) bool {
	return f.Replaces != "" || !given(f) && (family(f) != predLikes || f.Object == "")
}

// endsThing reports whether f leaves no room for a in a slot of things. Who gives a thing up ends all that says that it is
// liked, done, used or had; who takes one up again ends that it was given up. Else only the poles of one family exclude
// one another: tastes where they are about the very same, all others where a thing is of the kind that is denied.
func endsThing(f, a *schema.Memory) bool {
	switch {
	case given(f) == given(a):
		return false
	case f.Replaces != "":
		return isOf(a, f.Replaces)
	case a.Replaces != "":
		return isOf(f, a.Replaces)
	case family(f) != family(a):
		return false
	case family(f) == predLikes:
		return thingKey(f) == thingKey(a)
	case given(f):
		return isOf(f, a.Object)
	}
	return isOf(a, f.Object)
}

// isOf reports whether what m speaks of is of the kind thing: all of its words are there. Everything is of the kind "".
func isOf(m *schema.Memory, thing string) bool {
	if thing == "" {
		return true
	}
	want, _ := text.Thing(thing)
	have := map[string]bool{}
	words, _ := text.Thing(m.Object)
	for _, w := range words {
		have[w] = true
	}
	for _, w := range want {
		if !have[w] {
			return false
		}
	}
	return len(want) > 0
}

func thingKey(m *schema.Memory) string {
	words, _ := text.Thing(m.Object)
	return strings.Join(words, " ")
}
