package clean

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// maxDropLine is how much of a line drop looks at, in bytes: RE2 is linear, but slow enough on long lines of
// bounded repeats (about a second a megabyte) that a page on one line must not stall a worker.
const maxDropLine = 4 << 10

func newDrop(arg string) (Func, error) {
	if arg == "" {
		return nil, errors.New("needs a regular expression, e.g. drop:^DEBUG")
	}
	re, err := regexp.Compile(arg)
	if err != nil {
		return nil, fmt.Errorf("bad regular expression: %w", err)
	}
	return func(text, _ string) (string, error) {
		var b strings.Builder
		b.Grow(len(text))
		for line := range strings.Lines(text) {
			body := strings.TrimSuffix(line, "\n")
			if len(body) > maxDropLine {
				body = body[:maxDropLine]
			}
			if !re.MatchString(body) {
				b.WriteString(line)
			}
		}
		return b.String(), nil
	}, nil
}
