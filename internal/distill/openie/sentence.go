package openie

import (
	"strings"
	"unicode/utf8"
)

// MaxWords is how many words of a sentence are read: what is longer is a list or a dump.
const MaxWords = 160

// Word is one word or sign of a sentence.
type Word struct {
	Text  string
	Tag   string // part of speech: the Penn Treebank's in English, jieba's in Chinese
	Glued bool   // stands at the word before it without a space
	Whole bool   // a path, an address, a version: one thing, whatever signs are in it
	class byte
}

// Phrase is words of a sentence, by their places.
type Phrase []int

// Triple is one relation that a sentence states.
type Triple struct {
	Subject, Relation, Object Phrase
}

// Sentence is the words of a sentence, and what was read out of them.
type Sentence struct {
	Words   []Word
	Triples []Triple
	Lang    string
}

// Text is a phrase as it is written in the sentence. Words that are not neighbours there get a space between them, unless
// both are Chinese.
func (s *Sentence) Text(p Phrase) string {
	var b strings.Builder
	for k, i := range p {
		w := &s.Words[i]
		switch {
		case k == 0:
		case p[k-1] == i-1:
			if !w.Glued {
				b.WriteByte(' ')
			}
		case !hanEdge(s.Words[p[k-1]].Text, w.Text):
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
	}
	return b.String()
}

// hanEdge reports whether no space belongs between a and b.
func hanEdge(a, b string) bool {
	x, _ := utf8.DecodeLastRuneInString(a)
	y, _ := utf8.DecodeRuneInString(b)
	return x >= 0x2e80 || y >= 0x2e80
}

// span is the words from a up to b.
func span(a, b int) Phrase {
	p := make(Phrase, 0, b-a)
	for ; a < b; a++ {
		p = append(p, a)
	}
	return p
}

// join is phrases as one.
func join(ps ...Phrase) Phrase {
	var out Phrase
	for _, p := range ps {
		out = append(out, p...)
	}
	return out
}

// add keeps a triple whose parts all say something, once.
func (s *Sentence) add(t Triple) {
	if len(t.Subject) == 0 || len(t.Relation) == 0 || len(t.Object) == 0 || len(s.Triples) >= maxTriples {
		return
	}
	for _, o := range s.Triples {
		if equal(o.Subject, t.Subject) && equal(o.Relation, t.Relation) && equal(o.Object, t.Object) {
			return
		}
	}
	s.Triples = append(s.Triples, t)
}

// maxTriples bounds what one sentence gives.
const maxTriples = 48

func equal(a, b Phrase) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
