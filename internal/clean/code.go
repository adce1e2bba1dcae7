package clean

import "strings"

// codeFinder answers which places of a text lie in Markdown code. Places must be asked in rising order.
type codeFinder struct {
	spans [][2]int
	next  int
}

func (c *codeFinder) holds(i int) bool {
	for c.next < len(c.spans) && c.spans[c.next][1] <= i {
		c.next++
	}
	return c.next < len(c.spans) && c.spans[c.next][0] <= i
}

// codeSpans finds fenced blocks and inline code of s from from on, as CommonMark reads them: a fence that is never
// closed reaches to the end; a run of backticks is closed by the next run as long, in the same paragraph. Linear.
func codeSpans(s string, from int) codeFinder {
	var c codeFinder
	if strings.IndexByte(s[from:], '`') < 0 && !strings.Contains(s[from:], "~~~") {
		return c
	}
	type run struct{ pos, n int }
	var runs []run
	inline := func() {
		// next[i] is the next run as long as runs[i]; filled from the end.
		seen := make(map[int]int, 4)
		next := make([]int, len(runs))
		for i := len(runs) - 1; i >= 0; i-- {
			next[i] = -1
			if j, ok := seen[runs[i].n]; ok {
				next[i] = j
			}
			seen[runs[i].n] = i
		}
		for i := 0; i < len(runs); i++ {
			if j := next[i]; j >= 0 {
				c.spans = append(c.spans, [2]int{runs[i].pos, runs[j].pos + runs[j].n})
				i = j
			}
		}
		runs = runs[:0]
	}
	fence, fenceStart, fenceLen := byte(0), 0, 0
	for pos := from; pos < len(s); {
		line, next := lineAt(s, pos)
		mark, n := fenceOf(line)
		switch {
		case fence != 0:
			if mark == fence && n >= fenceLen && strings.Trim(strings.TrimSpace(line), string(mark)) == "" {
				c.spans = append(c.spans, [2]int{fenceStart, next})
				fence = 0
			}
		case n > 0:
			inline()
			fence, fenceStart, fenceLen = mark, pos, n
		case strings.TrimSpace(line) == "":
			inline()
		default:
			for i := 0; i < len(line); {
				k := strings.IndexByte(line[i:], '`')
				if k < 0 {
					break
				}
				i += k
				start := i
				for i < len(line) && line[i] == '`' {
					i++
				}
				runs = append(runs, run{pos + start, i - start})
			}
		}
		pos = next
	}
	inline()
	if fence != 0 {
		c.spans = append(c.spans, [2]int{fenceStart, len(s)})
	}
	return c
}

// fenceOf tells whether a line opens or closes a fence: its sign and length, 0 for none.
func fenceOf(line string) (mark byte, n int) {
	t := strings.TrimLeft(line, " >\t")
	if len(t) < 3 || t[0] != '`' && t[0] != '~' {
		return 0, 0
	}
	for n < len(t) && t[n] == t[0] {
		n++
	}
	if n < 3 || t[0] == '`' && strings.IndexByte(t[n:], '`') >= 0 {
		return 0, 0
	}
	return t[0], n
}
