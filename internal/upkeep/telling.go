package upkeep

import (
	"slices"
	"strings"
	"unicode"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Bounds of the words that an erasure is verified by.
const (
	tellingAtOnce = 256 // that are held against what others say
	tellingWords  = 48  // that are looked for
	leastLatin    = 8   // characters of a word
	leastHan      = 6   // characters of a run of Chinese, of which there are no more than mostHan
	mostHan       = 10
)

// Telling picks words by which what a user said can be known again in a file: long ones with a digit or a capital inside or
// at the front, and runs of Chinese. Feed it what the user said, then what all others said: what they have said too
// tells nothing. Not safe for concurrent use.
type Telling struct {
	words map[string]bool
	known string // in lower case: what stands in any store
}

// NewTelling returns one that has heard nothing. In known is text that stands in any store, whoever said what.
func NewTelling(known string) *Telling {
	return &Telling{words: map[string]bool{}, known: strings.ToLower(known)}
}

// Add hears what the user said.
func (t *Telling) Add(ev schema.Event) {
	said, conversation := words(ev)
	for _, s := range append(said, ev.ID, conversation) {
		t.text(s)
	}
}

func (t *Telling) text(s string) {
	const (
		none = iota
		latin
		han
	)
	var run []rune
	kind := none
	end := func() {
		switch {
		case kind == latin && len(run) >= leastLatin && tells(run):
			t.word(string(run))
		case kind == han && len(run) >= leastHan:
			t.word(string(run[:min(len(run), mostHan)]))
		}
		run, kind = run[:0], none
	}
	for _, r := range s {
		now := none
		switch {
		case unicode.Is(unicode.Han, r):
			now = han
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			now = latin
		}
		if now != kind {
			end()
		}
		if kind = now; now != none {
			run = append(run, r)
		}
	}
	end()
}

// tells reports whether a word is more than one of the language: a number, a name, an identifier.
func tells(w []rune) bool {
	return slices.ContainsFunc(w, func(r rune) bool { return unicode.IsDigit(r) || unicode.IsUpper(r) })
}

// Word takes w in, unless it stands in any store.
func (t *Telling) Word(w string) { t.word(w) }

func (t *Telling) word(w string) {
	if len(t.words) < tellingAtOnce && !strings.Contains(t.known, strings.ToLower(w)) {
		t.words[w] = true
	}
}

// Others hears what somebody else said, or the same user later.
func (t *Telling) Others(ev schema.Event) {
	if len(t.words) == 0 {
		return
	}
	said, conversation := words(ev)
	heard := strings.Join(append(said, string(ev.Body), conversation), "\n") // a body may hold in escapes what is said
	folded := strings.ToLower(heard)
	for w := range t.words {
		if strings.Contains(heard, w) || strings.Contains(folded, strings.ToLower(w)) || strings.Contains(ev.ID, w) || strings.Contains(ev.User, w) {
			delete(t.words, w)
		}
	}
}

// Words are the longest of the words that are left, in order.
func (t *Telling) Words() []string {
	out := make([]string, 0, len(t.words))
	for w := range t.words {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return out[:min(len(out), tellingWords)]
}
