package text

import "strings"

// Digest is what is kept of a text whose words are given up: enough to find it by, and to tell what it was about.
type Digest struct {
	Summary string   // [Doc.Summary]: whole sentences of the text
	Names   []string // [Doc.Entities], files and paths among them, as they stand, in order of first occurrence
	Words   []string // [Doc.Keywords] that neither the summary nor the names hold, best first
}

// Bounds of a [Digest].
const (
	digestSummary = 160 // characters
	digestNames   = 100
	digestWords   = 8
	digestName    = 300 // bytes of one; longer ones are left out
)

// Digest makes the digest of a text. It is the same on every machine: no clock, no randomness, no model.
func (d *Doc) Digest() Digest {
	out := Digest{Summary: d.Summary(digestSummary)}
	held := FoldMatch(out.Summary)
	for _, e := range d.Entities(digestNames) {
		if len(e.Text) <= digestName {
			out.Names = append(out.Names, e.Text)
			held += "\n" + FoldMatch(e.Text)
		}
	}
	for _, k := range d.Keywords(2 * digestWords) {
		if len(out.Words) < digestWords && !strings.Contains(held, FoldMatch(k.Text)) {
			out.Words = append(out.Words, k.Text)
		}
	}
	return out
}
