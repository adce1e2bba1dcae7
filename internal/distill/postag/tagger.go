package postag

import (
	"strings"
	"sync"
)

// kind is what a feature looks at.
type kind uint64

// The features of textblob-aptagger.
const (
	bias      kind = iota + 1
	suffix         // the last three bytes of the word
	prefix         // its first byte
	tag1           // the tag before
	tag2           // the tag before that
	tagTag         // both
	word           // the word, as norm gives it
	tagWord        // the tag before and the word
	before         // the word before
	beforeSuf      // the last three bytes of that
	before2        // the word before that
	after          // the word behind
	afterSuf       // the last three bytes of that
	after2         // the word behind that
)

// kinds are the features by their names in the model's file.
var kinds = map[string]kind{
	"bias": bias, "i suffix": suffix, "i pref1": prefix, "i-1 tag": tag1, "i-2 tag": tag2, "i tag+i-2 tag": tagTag, "i word": word,
	"i-1 tag+i word": tagWord, "i-1 word": before, "i-1 suffix": beforeSuf, "i-2 word": before2, "i+1 word": after,
	"i+1 suffix": afterSuf, "i+2 word": after2,
}

// What stands before the first and behind the last word.
const (
	start1, start2 = "-START-", "-START2-"
	end1, end2     = "-END-", "-END2-"
)

// Tagger tags English words. It is safe for concurrent use.
type Tagger struct{ m *model }

var shared = sync.OnceValue(func() *Tagger { return &Tagger{m: load()} })

// English is the tagger. The first call in a process loads the model (60 ms and 4.3 MB), others return the same.
func English() *Tagger { return shared() }

// seen is a word with the hashes of which its features are made.
type seen struct{ word, suf uint64 }

// Tag returns the tag of each word: one string of the Penn Treebank's tags a word, in order.
// Words are cut as the Treebank cuts them: "do n't", "Michael 's", signs apart.
func (t *Tagger) Tag(words []string) []string {
	m := t.m
	ctx := make([]seen, 0, len(words)+4)
	ctx = append(ctx, see(start1), see(start2))
	for _, w := range words {
		ctx = append(ctx, see(norm(w)))
	}
	ctx = append(ctx, see(end1), see(end2))
	out := make([]string, len(words))
	p1, p2 := m.byTag[start1], m.byTag[start2]
	scores := make([]int32, len(m.tags))
	for i, w := range words {
		n, ok := m.certain[w]
		if !ok {
			n = m.predict(scores, ctx[i:i+5], w, m.hashes[p1], m.hashes[p2])
		}
		out[i] = m.tags[n]
		p1, p2 = n, p1
	}
	return out
}

// predict is the tag with the highest score for the word in the middle of five; of equal ones the first in the file.
func (m *model) predict(scores []int32, c []seen, w string, t1, t2 uint64) uint32 {
	clear(scores)
	suf := hash(w[max(0, len(w)-3):])
	pre := uint64(0)
	if w != "" {
		pre = hash(w[:1])
	}
	for _, key := range [...]uint64{
		feature(bias, hash(""), 0), feature(suffix, suf, 0), feature(prefix, pre, 0), feature(tag1, t1, 0), feature(tag2, t2, 0),
		feature(tagTag, t1, t2), feature(word, c[2].word, 0), feature(tagWord, t1, c[2].word), feature(before, c[1].word, 0),
		feature(beforeSuf, c[1].suf, 0), feature(before2, c[0].word, 0), feature(after, c[3].word, 0), feature(afterSuf, c[3].suf, 0),
		feature(after2, c[4].word, 0),
	} {
		s := m.find(key)
		for _, w := range m.weights[s.from:s.to] {
			scores[w.tag] += w.add
		}
	}
	best := uint32(2) // behind the two that only stand before a sentence
	for n := best + 1; n < uint32(len(scores)); n++ {
		if scores[n] > scores[best] {
			best = n
		}
	}
	return best
}

func see(w string) seen { return seen{hash(w), hash(w[max(0, len(w)-3):])} }

// norm is a word as the model knows it: words with a hyphen and numbers are one word each.
func norm(w string) string {
	switch {
	case w == "":
		return w
	case w[0] != '-' && strings.IndexByte(w, '-') > 0:
		return "!HYPHEN"
	case len(w) == 4 && digits(w):
		return "!YEAR"
	case w[0] >= '0' && w[0] <= '9':
		return "!DIGITS"
	}
	return strings.ToLower(w)
}

func digits(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] < '0' || w[i] > '9' {
			return false
		}
	}
	return true
}

// feature is the number of a feature. Reading the model fails if two have one.
func feature(k kind, a, b uint64) uint64 {
	h := (uint64(k) * 0x9e3779b97f4a7c15) ^ a
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	h = (h ^ b ^ h>>32) * 0x94d049bb133111eb
	return h ^ h>>31 | 1
}

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
