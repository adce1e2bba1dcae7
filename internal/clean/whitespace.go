package clean

import "strings"

func newWhitespace(arg string) (Func, error) {
	if err := noArg(arg); err != nil {
		return nil, err
	}
	return func(text, _ string) (string, error) { return foldWhitespace(text), nil }, nil
}

// foldWhitespace makes every run of blanks one space, drops blank lines and trims. Idempotent.
func foldWhitespace(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		start := b.Len()
		for f := range strings.FieldsSeq(line) {
			if b.Len() > start {
				b.WriteByte(' ')
			} else if start > 0 {
				b.WriteByte('\n')
				start = b.Len()
			}
			b.WriteString(f)
		}
	}
	return b.String()
}

// tidy is the gentle form that every segment gets: no blanks at line ends, at most one blank line in a row, no
// blank at either end of the text. Indentation stays. Idempotent.
func tidy(text string) string {
	if !untidy(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	blank := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n\u00a0\u3000")
		if line == "" {
			blank++
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if blank > 0 {
				b.WriteByte('\n')
			}
		} else {
			line = strings.TrimLeft(line, " \t\u00a0\u3000")
		}
		blank = 0
		b.WriteString(line)
	}
	return b.String()
}

func untidy(s string) bool {
	if s == "" {
		return false
	}
	return s != strings.Trim(s, " \t\n\u00a0\u3000") || strings.Contains(s, "\n\n\n") || strings.Contains(s, " \n") ||
		strings.Contains(s, "\t\n") || strings.Contains(s, "\u00a0\n") || strings.Contains(s, "\u3000\n")
}
