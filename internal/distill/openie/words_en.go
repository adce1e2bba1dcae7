package openie

import (
	"strings"
	"unicode"

	"github.com/siltstone-ai/siltstone/internal/text"
)

// EnglishText is [English] of a sentence as it is written: cut at spaces and signs, contractions apart as the tagger knows
// them, and paths, addresses, versions and the like kept whole.
func EnglishText(s string) *Sentence { return English(wordsEn(s)) }

func wordsEn(s string) []Word {
	var ws []Word
	glued := true
	add := func(t string, whole bool) {
		if n := len(ws); glued && n > 1 && ws[n-1].Text == "-" && ws[n-1].Glued && !isSign(t) && !isSign(ws[n-2].Text) { // well-known
			ws[n-2].Text += "-" + t
			ws = ws[:n-1]
			return
		}
		ws = append(ws, Word{Text: t, Glued: glued, Whole: whole})
		glued = true
	}
	for _, t := range text.Segment(s) {
		if len(ws) >= MaxWords {
			break
		}
		switch {
		case t.Kind == text.KindOther:
			for _, r := range t.Text {
				if unicode.IsSpace(r) {
					glued = false
				} else {
					add(string(r), false)
				}
			}
		case t.Kind == text.KindWord:
			w, rest := contraction(t.Text)
			add(w, false)
			if rest != "" {
				add(rest, false)
			}
		default:
			add(t.Text, wholeKind[t.Kind])
		}
	}
	return ws
}

// wholeKind are the kinds of spans that name a thing. Numbers, amounts and dates are words for the tagger.
var wholeKind = map[text.Kind]bool{
	text.KindURL: true, text.KindEmail: true, text.KindPath: true, text.KindVersion: true, text.KindIdent: true, text.KindPhone: true, text.KindHost: true,
}

// contraction is w in the two parts in which the tagger knows it: do|n't, Tom|'s.
func contraction(w string) (string, string) {
	low := strings.ToLower(strings.ReplaceAll(w, "’", "'"))
	if len(low) != len(w) { // the other apostrophe is three bytes long
		w = strings.ReplaceAll(w, "’", "'")
		low = strings.ToLower(w)
	}
	if len(low) != len(w) {
		return w, ""
	}
	if strings.HasSuffix(low, "n't") && len(w) > 3 {
		return w[:len(w)-3], w[len(w)-3:]
	}
	if i := strings.LastIndexByte(w, '\''); i > 0 {
		switch low[i:] {
		case "'s", "'re", "'ve", "'ll", "'d", "'m":
			return w[:i], w[i:]
		}
	}
	return w, ""
}

// isSign reports whether w is a sign rather than a word.
func isSign(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
