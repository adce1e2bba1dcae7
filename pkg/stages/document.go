package stages

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// keyDocument is the key of the segment that is the document of an archived turn.
const keyDocument = "archive"

// maxDocument bounds a document in characters: what more tools put out than that holds is left out of its end.
const maxDocument = 6000

// document is what remains of the segments of a turn once it is archived; none where nothing is said in them. First come
// the summaries of what was said in and out; then a line for each tool, with the names, files and keywords of its
// output; then the names and keywords of what was said that no line above holds. All of it stands in the segments, or is a
// folded word of them: what a cleaner took out and what is not remembered cannot come back.
func document(segs []schema.Segment) []schema.Segment {
	var b builder
	var classes []schema.Class
	tools := map[string]*text.Digest{}
	var order, rest []string
	lang := ""
	for _, s := range segs {
		classes = append(classes, s.Class)
		d := text.Analyze(s.Text).Digest()
		if s.Kind != schema.SegTool {
			b.line("", d.Summary)
			if rest = append(append(rest, d.Names...), d.Words...); lang == "" {
				lang = s.Lang
			}
			continue
		}
		t := tools[s.Tool]
		if t == nil {
			t, order = &text.Digest{}, append(order, s.Tool)
			tools[s.Tool] = t
		}
		t.Names, t.Words = append(t.Names, d.Names...), append(t.Words, d.Words...)
	}
	for _, name := range order {
		b.line("[source: "+name+"] ", append(tools[name].Names, tools[name].Words...)...)
	}
	b.line("", b.fresh(rest)...)
	out := strings.TrimSpace(b.String())
	if out == "" {
		return nil
	}
	slices.Sort(order)
	if lang == "" {
		lang = text.Lang(out)
	}
	return []schema.Segment{{Key: keyDocument, Kind: schema.SegArchive, Tools: order, Class: schema.Least(classes...), Text: out, Lang: lang}}
}

// builder writes lines of comma-separated parts, up to maxDocument characters in all.
type builder struct {
	strings.Builder
	runes int
	seen  []string // parts of the present line, folded
}

// line writes a line of parts, each once, unless there is nothing to stand in it: a tool's name is worth one of its own.
// Where there is no room for the head there is no line: what a tool put out must not stand there as what was said.
func (b *builder) line(head string, parts ...string) {
	if head == "" && strings.TrimSpace(strings.Join(parts, "")) == "" {
		return
	}
	if b.Len() > 0 {
		head = "\n" + head
	}
	if !b.write(head) {
		return
	}
	b.seen = b.seen[:0]
	for _, p := range parts {
		f := text.FoldMatch(p)
		if strings.TrimSpace(p) == "" || slices.Contains(b.seen, f) {
			continue
		}
		if len(b.seen) > 0 {
			p = ", " + p
		}
		if b.write(p) {
			b.seen = append(b.seen, f)
		}
	}
}

// fresh are those of parts that nothing written so far holds.
func (b *builder) fresh(parts []string) []string {
	held := text.FoldMatch(b.String())
	return slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return strings.Contains(held, text.FoldMatch(p)) })
}

// write adds s whole, or not at all.
func (b *builder) write(s string) bool {
	n := utf8.RuneCountInString(s)
	if b.runes+n > maxDocument {
		return false
	}
	b.runes += n
	b.WriteString(s)
	return true
}
