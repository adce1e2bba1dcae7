package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Mode is a way to write a block.
type Mode string

// The modes: sections with headings, lines with their type, or no block at all.
const (
	TypedV2 Mode = "typed_v2"
	Flat    Mode = "flat"
	None    Mode = "none"
)

// Valid reports whether m is a known mode.
func (m Mode) Valid() bool { return m == TypedV2 || m == Flat || m == None }

// Options of a block.
type Options struct {
	Mode    Mode
	Lang    string                        // zh or en
	Zone    *time.Location                // zone of the dates; nil means UTC
	Runes   int                           // most runes of one memory, 0 for no limit
	Section func(schema.Item) schema.Type // under which heading an item goes; nil: its type, episodes under facts
	Line    func(schema.Item) string      // writes an item where the caller has its line already; nil: [Line]
}

// Block writes items, in their order within each section; it is "" without items or in mode none.
func Block(items []schema.Item, o Options) string {
	if len(items) == 0 || o.Mode == None {
		return ""
	}
	w := in(o.Lang)
	line := o.Line
	if line == nil {
		line = func(it schema.Item) string { return Line(it, o) }
	}
	var b strings.Builder
	b.WriteString(Open + "\n" + w.intro + "\n")
	if o.Mode == Flat {
		for _, it := range items {
			b.WriteString(line(it) + "\n")
		}
	} else {
		for _, s := range sections {
			first := true
			for _, it := range items {
				if o.section(it) != s {
					continue
				}
				if first {
					b.WriteString(w.headings[s] + "\n")
					first = false
				}
				b.WriteString(line(it) + "\n")
			}
		}
	}
	b.WriteString(Close)
	return b.String()
}

// Line writes one item as it stands in a block, without the line break.
func Line(it schema.Item, o Options) string {
	w := in(o.Lang)
	content := Text(it.Content, o.Runes)
	if it.Type == schema.TypeEpisode {
		content = w.open + content + w.shut
	}
	content += notes(it, o, w)
	if o.Mode == Flat {
		return "[" + string(o.kind(it)) + "] " + content
	}
	return "- " + content
}

// Heading is the heading of a section, for those who count what a block costs.
func Heading(t schema.Type, lang string) string { return in(lang).headings[t] }

// Frame is a block without items and headings.
func Frame(lang string) string { return Open + "\n" + in(lang).intro + "\n" + Close }

// notes are the time of an item, and what a reader must know of it: that it no longer holds, until when it does,
// that it is what is left of a turn, that a tool said it.
func notes(it schema.Item, o Options, w words) string {
	var ns []string
	if d := o.date(it.ObservedAt); d != "" {
		ns = append(ns, d)
	}
	switch until := o.date(it.ValidTo); {
	case it.Status == schema.StatusSuperseded && until != "":
		ns = append(ns, fmt.Sprintf(w.since, until))
	case it.Status == schema.StatusSuperseded:
		ns = append(ns, w.superseded)
	case until != "":
		ns = append(ns, fmt.Sprintf(w.until, until))
	}
	if it.Status == schema.StatusArchived {
		ns = append(ns, w.archived)
	}
	if it.Source.Tool != "" {
		ns = append(ns, w.tool+" "+Text(it.Source.Tool, 64))
	}
	if len(ns) == 0 {
		return ""
	}
	if o.Lang == ZH {
		return "（" + strings.Join(ns, "，") + "）"
	}
	return " (" + strings.Join(ns, ", ") + ")"
}

func (o Options) date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	z := o.Zone
	if z == nil {
		z = time.UTC
	}
	return t.In(z).Format(time.DateOnly)
}

// kind is the type that a flat line names: the item's own, but never one that its section denies it.
func (o Options) kind(it schema.Item) schema.Type {
	if !it.Type.Valid() {
		return schema.TypeFact
	}
	if it.Type == schema.TypeEpisode {
		return it.Type
	}
	return o.section(it)
}

func (o Options) section(it schema.Item) schema.Type {
	s := it.Type
	if o.Section != nil {
		s = o.Section(it)
	}
	if !slices.Contains(sections[:], s) {
		return schema.TypeFact
	}
	return s
}
