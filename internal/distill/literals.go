package distill

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	startMark   = "\xff" // stands for the beginning of the text; no byte of UTF-8
	maxLiterals = 160    // of one pattern: beyond it another part of the pattern is looked at
	maxClass    = 16     // characters of a class that are told apart

	// The two characters beyond ASCII that patterns which ignore case take for ASCII letters.
	longS  = '\u017f' // ſ
	kelvin = '\u212a' // the sign of the unit
)

// literals are words of which every text that expr matches holds at least one, as [foldByte] leaves them; nil where
// no such words can be told. A word that begins with startMark begins the text.
//
// It is the first half of what RE2 does for many patterns at once (filtered_re2, prefilter.cc): each part of a
// pattern is either known exactly, as a small set of strings that grow as parts follow one another, or ends the
// strings before it. Of all sets found on the way the one with the longest words wins.
func literals(expr string) []string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil // the compiler of the pattern says so
	}
	if words := partOf(re).words(); worth(words) > 0 {
		return words
	}
	return nil
}

// part is what is known of the strings that a part of a pattern matches.
type part struct {
	exact      []string // all of them; nil where they are too many
	need       []string // words of which each holds one; nil where none are known
	head, tail []string // where exact is nil: what each begins and ends with; nil where nothing is known
	maybe      bool     // it may also match nothing at all: then tail is of the others
}

func known(exact ...string) part { return part{exact: exact} }

// words are the best that p needs.
func (p part) words() []string {
	if better(p.exact, p.need) {
		return p.exact
	}
	return p.need
}

func partOf(re *syntax.Regexp) part {
	switch re.Op {
	case syntax.OpLiteral:
		return runes(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpBeginText:
		return known(startMark)
	case syntax.OpEmptyMatch, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return known("")
	case syntax.OpCapture:
		return partOf(re.Sub[0])
	case syntax.OpQuest:
		return optional(partOf(re.Sub[0]))
	case syntax.OpStar:
		return maybe(partOf(re.Sub[0]))
	case syntax.OpPlus:
		return some(partOf(re.Sub[0]))
	case syntax.OpRepeat:
		switch {
		case re.Min == 0 && re.Max == 1:
			return optional(partOf(re.Sub[0]))
		case re.Min == re.Max && re.Min <= 4:
			return concat(slices.Repeat(re.Sub, re.Min))
		case re.Min >= 1:
			return some(partOf(re.Sub[0]))
		case re.Max != 0:
			return maybe(partOf(re.Sub[0]))
		}
	case syntax.OpConcat:
		return concat(re.Sub)
	case syntax.OpAlternate:
		return alternate(re.Sub)
	}
	return part{} // anything
}

// optional adds the empty string.
func optional(p part) part {
	if p.exact == nil {
		return maybe(p)
	}
	return known(sorted(append(slices.Clone(p.exact), ""))...)
}

// maybe is p once, more often or not at all.
func maybe(p part) part {
	if p.exact != nil {
		p.tail = p.exact
	}
	return part{tail: p.tail, maybe: true}
}

// some is p once or more often.
func some(p part) part {
	if p.exact != nil {
		return part{need: p.exact, head: p.exact, tail: p.exact}
	}
	return p
}

// concat follows parts one behind the other.
func concat(subs []*syntax.Regexp) part {
	run := []string{""} // what may end where the next part begins
	var p part
	cut := false // run does not reach back to the beginning
	end := func() {
		if better(run, p.need) {
			p.need = run
		}
		if !cut {
			p.head = run
		}
		cut = true
	}
	for _, sub := range subs {
		q := partOf(sub)
		if q.maybe { // what comes next follows it, or what was before it
			end()
			run = sorted(append(slices.Clone(run), orAny(q.tail)...))
			continue
		}
		begins, ends := q.exact, q.exact
		if q.exact == nil {
			begins, ends = orAny(q.head), orAny(q.tail)
			if better(q.need, p.need) {
				p.need = q.need
			}
		}
		if len(run)*len(begins) > maxLiterals {
			end()
			run = ends
			continue
		}
		run = cross(run, begins)
		if q.exact == nil {
			end()
			run = ends
		}
	}
	if !cut {
		return known(run...)
	}
	end()
	p.tail = run
	return p
}

func orAny(words []string) []string {
	if words == nil {
		return []string{""}
	}
	return words
}

// cross is each of a with each of b behind it.
func cross(a, b []string) []string {
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			switch {
			case !strings.HasPrefix(y, startMark) || x == "":
				out = append(out, x+y)
			case x == startMark: // ^^
				out = append(out, y)
			} // no text begins behind its beginning
		}
	}
	return sorted(out)
}

func sorted(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// alternate is known exactly where all branches are, and needs one of the words of some branch.
func alternate(subs []*syntax.Regexp) part {
	all, p := true, part{exact: []string{}, need: []string{}, head: []string{}, tail: []string{}}
	for _, sub := range subs {
		q := partOf(sub)
		all = all && q.exact != nil
		if w := q.words(); p.need != nil && worth(w) > 0 {
			p.need = append(p.need, w...)
		} else {
			p.need = nil
		}
		p.exact = append(p.exact, q.exact...)
		if q.exact != nil {
			q.head, q.tail = q.exact, q.exact
		} else if q.maybe {
			q.tail = nil
		}
		p.head, p.tail = append(p.head, orAny(q.head)...), append(p.tail, orAny(q.tail)...)
	}
	if p.exact = sorted(p.exact); !all || len(p.exact) > maxLiterals {
		p.exact = nil
	}
	p.need = sorted(p.need)
	if p.head = sorted(p.head); len(p.head) > maxLiterals {
		p.head = nil
	}
	if p.tail = sorted(p.tail); len(p.tail) > maxLiterals {
		p.tail = nil
	}
	return p
}

// runes is a literal of a pattern, letter case ignored as texts' is. A letter that has cases beyond ASCII is
// anything.
func runes(rs []rune, fold bool) part {
	var b strings.Builder
	var longest string
	whole := true
	for _, r := range rs {
		if fold && r >= utf8.RuneSelf && unicode.SimpleFold(r) != r && r != longS && r != kelvin {
			longest, whole = longer(longest, b.String()), false
			b.Reset()
			continue
		}
		b.WriteString(foldRune(r))
	}
	if whole {
		return known(b.String())
	}
	return part{need: []string{longer(longest, b.String())}}
}

func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}

// class is a class of a few characters; ranges are pairs of first and last.
func class(ranges []rune) part {
	seen := map[string]bool{}
	var out []string
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > 64 {
			return part{}
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if s := foldRune(r); !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
		if len(out) > maxClass {
			return part{}
		}
	}
	return known(out...)
}

// foldRune is r as texts are folded: see foldByte. In a text longS and kelvin open every gate, so that a
// pattern's may stand for s and k.
func foldRune(r rune) string {
	switch {
	case r == longS:
		return "s"
	case r == kelvin:
		return "k"
	case r < utf8.RuneSelf:
		return string(rune(foldByte(byte(r))))
	}
	return string(r)
}

// foldByte makes ASCII letters small and every digit the same one.
func foldByte(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	case c >= '0' && c <= '9':
		return '0'
	}
	return c
}

// better reports whether one of the words of a says more than one of b's.
func better(a, b []string) bool { return worth(a) > worth(b) }

// worth is the length of the shortest of words in letters, a Chinese one for two; 0 for none.
func worth(words []string) int {
	least := 0
	for i, w := range words {
		said := strings.TrimPrefix(w, startMark)
		n := len(said) // of three bytes two count
		n -= (n - utf8.RuneCountInString(said)) / 2
		if strings.HasPrefix(w, startMark) && n > 0 {
			n++
		}
		if i == 0 || n < least {
			least = n
		}
	}
	return least
}
