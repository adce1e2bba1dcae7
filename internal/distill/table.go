package distill

import (
	"fmt"
	"sync"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// The tables are made ready when they are first needed: most processes read no facts.
var (
	tableEn = sync.OnceValue(func() *table {
		t := newTable(rulesEn)
		t.frames = framedEn
		return t
	})
	tableZh = sync.OnceValue(func() *table {
		t := newTable(rulesZh)
		t.frames = framedZh
		return t
	})
)

func tableOf(lang string) *table {
	if lang == "zh" {
		return tableZh()
	}
	return tableEn()
}

// Rule describes one row of a table, for people and for the documentation.
type Rule struct {
	Name       string      `json:"name"`
	Predicate  string      `json:"predicate"`
	Type       schema.Type `json:"type"`
	Confidence float64     `json:"confidence"`
}

// Rules lists both tables in their order.
func Rules() []Rule {
	var out []Rule
	for _, t := range [...][]rule{rulesEn, rulesZh, rulesResult} {
		for i := range t {
			out = append(out, Rule{t[i].name, t[i].pred.name, t[i].pred.typ, t[i].conf})
		}
	}
	for i := range framesZh {
		out = append(out, Rule{framesZh[i].name, framesZh[i].pred.name, framesZh[i].pred.typ, framesZh[i].conf})
	}
	for i := range framesEn {
		fr := &framesEn[i]
		out = append(out, Rule{fr.name, fr.pred.name, fr.pred.typ, fr.conf})
	}
	return out
}

// String shows a rule as name → predicate.
func (r Rule) String() string { return fmt.Sprintf("%s → %s", r.Name, r.Predicate) }
