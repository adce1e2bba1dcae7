package distill

import (
	"regexp"
	"sync"
)

// pattern is a regular expression behind a gate: a text that holds none of the literals which the expression cannot
// do without is turned away at a byte or two a nanosecond, before the expression is tried. It answers as its
// expression would. Both are made when they are first needed, since most processes read no facts.
type pattern struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
	gate *index
}

// gated is a pattern of expr, which a test compiles.
func gated(expr string) *pattern { return &pattern{expr: expr} }

// may reports whether s may match.
func (p *pattern) may(s string) bool {
	p.once.Do(p.make)
	return p.gate.may(s)
}

func (p *pattern) make() {
	p.re, p.gate = regexp.MustCompile(p.expr), newIndex(rowOf(0), [][]string{literals(p.expr)})
}

func (p *pattern) match(s string) bool { return p.may(s) && p.re.MatchString(s) }

// first is what matches first, "" where nothing does.
func (p *pattern) first(s string) string {
	if !p.may(s) {
		return ""
	}
	return p.re.FindString(s)
}

// find is the first match and its groups, nil where there is none.
func (p *pattern) find(s string) []string {
	if !p.may(s) {
		return nil
	}
	return p.re.FindStringSubmatch(s)
}

// findIndex is find by bytes: pairs of start and end.
func (p *pattern) findIndex(s string) []int {
	if !p.may(s) {
		return nil
	}
	return p.re.FindStringSubmatchIndex(s)
}

// replace is s with every match replaced.
func (p *pattern) replace(s, by string) string {
	if !p.may(s) {
		return s
	}
	return p.re.ReplaceAllString(s, by)
}
