package clean

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// lineRange is a range of 1-based line numbers; negative ones count from the end, 0 is open.
type lineRange struct{ from, to int }

// newLines: "1-50", "10-", "-20" (up to 20), "7", "head:20", "tail:20", several by comma.
func newLines(arg string) (Func, error) {
	var ranges []lineRange
	for _, spec := range strings.Split(arg, ",") {
		r, err := parseLines(strings.TrimSpace(spec))
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, r)
	}
	return func(text, _ string) (string, error) { return keepLines(text, ranges), nil }, nil
}

func parseLines(spec string) (lineRange, error) {
	bad := fmt.Errorf("%q is no range of lines, e.g. 1-50, head:20 or tail:20", spec)
	if spec == "" {
		return lineRange{}, errors.New("needs a range of lines, e.g. lines:1-50")
	}
	num := func(s string) (int, bool) {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		return n, err == nil && n >= 1
	}
	if s, ok := strings.CutPrefix(spec, "head:"); ok {
		if n, ok := num(s); ok {
			return lineRange{1, n}, nil
		}
		return lineRange{}, bad
	}
	if s, ok := strings.CutPrefix(spec, "tail:"); ok {
		if n, ok := num(s); ok {
			return lineRange{-n, 0}, nil
		}
		return lineRange{}, bad
	}
	a, b, dash := strings.Cut(spec, "-")
	if !dash {
		if n, ok := num(a); ok {
			return lineRange{n, n}, nil
		}
		return lineRange{}, bad
	}
	r := lineRange{1, 0}
	var ok bool
	if a != "" {
		if r.from, ok = num(a); !ok {
			return lineRange{}, bad
		}
	}
	if b != "" {
		if r.to, ok = num(b); !ok || r.to < r.from {
			return lineRange{}, bad
		}
	}
	if a == "" && b == "" {
		return lineRange{}, bad
	}
	return r, nil
}

// keepLines keeps each line that a range names, once, in the order of the text.
func keepLines(text string, ranges []lineRange) string {
	body, final := strings.CutSuffix(text, "\n")
	total := strings.Count(body, "\n") + 1
	var b strings.Builder
	wrote := false
	rest := body
	for n := 1; n <= total; n++ {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		for _, r := range ranges {
			from, to := r.from, r.to
			if from < 0 {
				from += total + 1
			}
			if n >= from && (to == 0 || n <= to) {
				if wrote {
					b.WriteByte('\n')
				}
				b.WriteString(line)
				wrote = true
				break
			}
		}
	}
	if final && wrote {
		b.WriteByte('\n')
	}
	return b.String()
}
