package text

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Keyword is a word or span that says what a text is about.
type Keyword struct {
	Text   string // spans as written, words folded, names as written
	Weight float64
	First  int // byte offset of its first occurrence
}

// spanWeight stands for the rarity of a protected span, above any word's inverse document frequency (at most 12):
// a path or an identifier is what people ask for by name.
const spanWeight = 16

// Keywords returns at most n keywords, best first. The weight of a keyword is
//
//	(1 + ln tf) · idf · pos
//
// with jieba's idf for Chinese and [QueryTerms]'s for English; pos is 1 for nouns and names, 0.6 for verbs and 0.7
// for adjectives. Chinese words of one character, numerals, pronouns, particles, adverbs and function words never
// are keywords; nor are numbers, times and amounts. English words are counted by stem and shown in their first form. Equal weights stand by
// first occurrence, so that nothing depends on the order of a map.
func (d *Doc) Keywords(n int) []Keyword {
	type cand struct {
		Keyword
		tf  float64
		idf float64
		pos float64
	}
	at := map[string]int{}
	var cands []cand
	add := func(key, shown string, first int, idf, pos float64) {
		if i, ok := at[key]; ok {
			cands[i].tf++
			return
		}
		at[key] = len(cands)
		cands = append(cands, cand{Keyword{Text: shown, First: first}, 1, idf, pos})
	}
	toks := d.bodyTokens()
	for i := 0; i < len(toks); i++ {
		t := &toks[i]
		switch {
		case t.Kind == KindURL || t.Kind == KindEmail || t.Kind == KindPath || t.Kind == KindVersion || t.Kind == KindIdent || t.Kind == KindHost:
			if len(t.Text) > 200 || t.Kind == KindIdent && opaque(t.Text) {
				continue
			}
			add(t.Norm, t.Text, t.Start, spanWeight, 1)
		case t.Han:
			pos := posWeight(t.Tag)
			if pos == 0 || d.e.stop[t.Norm] || runeLen(t.Norm) < 2 {
				continue
			}
			add(t.Norm, t.Norm, t.Start, d.e.idf(t.Norm), pos)
		case t.Kind == KindWord && len(t.Norm) > 2 && len(t.Norm) <= maxTerm && !d.e.stop[t.Norm]:
			if scriptWithoutSpaces(t.Norm) && runeLen(t.Norm) > 8 {
				continue
			}
			s := d.stem(t.Norm)
			add(s, t.Norm, t.Start, d.e.idf(s), englishPos(t.Norm))
		}
	}
	for i := range cands {
		c := &cands[i]
		c.Weight = (1 + math.Log(c.tf)) * c.idf * c.pos
	}
	slices.SortStableFunc(cands, func(a, b cand) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.First, b.First))
	})
	out := make([]Keyword, 0, min(n, len(cands)))
	for _, c := range cands[:min(n, len(cands))] {
		out = append(out, c.Keyword)
	}
	return out
}

// Keywords is [Doc.Keywords] of a text.
func Keywords(text string, n int) []Keyword { return Analyze(text).Keywords(n) }

// posWeight says how much a part of speech (jieba's tag) may be a keyword; 0 for never. Words outside the
// dictionary have no tag: mostly names.
func posWeight(tag string) float64 {
	if tag == "" {
		return 1
	}
	switch tag[0] {
	case 'n', 'j', 'l', 'i', 's', 'b', 'g', 'x':
		if tag == "ng" {
			return 0.5
		}
		return 1
	case 'v':
		if tag == "vn" {
			return 0.9
		}
		return 0.6
	case 'a', 'z':
		return 0.7
	}
	return 0 // m q t d r u p c y f o e h k: numerals to suffixes
}

// englishPos guesses adjectives and adverbs from endings.
func englishPos(w string) float64 {
	switch {
	case strings.HasSuffix(w, "ly") && len(w) > 4:
		return 0.5
	case strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "ed"):
		return 0.8
	}
	return 1
}

// opaque reports strings that name nothing to a person: UUIDs, hashes, long runs of hex or base64.
func opaque(s string) bool {
	if len(s) < 16 {
		return false
	}
	digits, flips, prev := 0, 0, false
	for i := range len(s) {
		d := isDigit(s[i])
		if d {
			digits++
		}
		if i > 0 && d != prev {
			flips++
		}
		prev = d
	}
	return digits*5 > len(s) && flips >= 4 || len(s) > 64
}

// Summary returns the best sentences of the text in their order, at most n characters in all. A sentence is worth
// the weights of the keywords that no chosen sentence holds yet, by the root of its length; the earlier of equals wins. A text that fits is returned
// whole, white space collapsed; where no sentence fits, the best one is cut.
func (d *Doc) Summary(n int) string {
	body := d.Text[d.body:]
	if whole := collapse(body); utf8.RuneCountInString(whole) <= n {
		return whole
	}
	const maxSentences = 400 // of a log of 10 MB the first part must do
	spans := Sentences(body[:runeFloor(body, 128<<10)])
	if len(spans) > maxSentences {
		spans = spans[:maxSentences]
	}
	weight := map[string]float64{}
	for _, k := range d.Keywords(24) {
		weight[k.Text] = k.Weight
	}
	toks := d.bodyTokens()
	words := make([]map[string]bool, len(spans))
	ti := 0
	for i, sp := range spans {
		words[i] = map[string]bool{}
		for ; ti < len(toks) && toks[ti].Start < d.body+sp.End; ti++ {
			for _, w := range []string{toks[ti].Text, toks[ti].Norm} {
				if weight[w] > 0 && toks[ti].Start >= d.body+sp.Start {
					words[i][w] = true
				}
			}
		}
	}
	var chosen []int
	covered := map[string]bool{}
	left := n
	for {
		best, bestScore := -1, 0.0
		for i, sp := range spans {
			s := body[sp.Start:sp.End]
			length := utf8.RuneCountInString(s)
			if length < 4 || slices.Contains(chosen, i) || length > left {
				continue
			}
			score := 0.0
			for _, k := range sortedKeys(words[i]) {
				if !covered[k] {
					score += weight[k]
				}
			}
			score /= math.Sqrt(float64(length) + 10)
			if score > bestScore {
				best, bestScore = i, score
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, best)
		for k := range words[best] {
			covered[k] = true
		}
		left -= utf8.RuneCountInString(body[spans[best].Start:spans[best].End]) + 1
	}
	if len(chosen) == 0 { // all too long, or no keyword in any
		return cutRunes(collapse(body), n)
	}
	slices.Sort(chosen)
	var b strings.Builder
	for _, i := range chosen {
		s := collapse(body[spans[i].Start:spans[i].End])
		if last, _ := utf8.DecodeLastRuneInString(b.String()); b.Len() > 0 && !isCJKMark(last) {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return b.String()
}

// Summary is [Doc.Summary] of a text.
func Summary(text string, n int) string { return Analyze(text).Summary(n) }

func sortedKeys(m map[string]bool) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

func isCJKMark(r rune) bool {
	return isHan(r) || strings.ContainsRune("。！？；…，：”』」）》", r)
}

// runeFloor is the largest i ≤ n at which a character of s begins.
func runeFloor(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// cutRunes is s cut to n characters, the last of them … where something went.
func cutRunes(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	k := 0
	for i := range s {
		if k == max(n-1, 0) {
			return s[:i] + "…"
		}
		k++
	}
	return s
}
