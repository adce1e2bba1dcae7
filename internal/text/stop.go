package text

import (
	"strconv"
	"strings"
)

// loadCommon reads the bands of common_en.txt; a word in two bands keeps the first.
func (e *engine) loadCommon(s string) {
	idf := 0.0
	for line := range strings.Lines(s) {
		if v, ok := strings.CutPrefix(line, "= "); ok {
			x, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
			if err != nil {
				panic(err) // the binary itself is broken
			}
			idf = x
			continue
		}
		for w := range strings.FieldsSeq(line) {
			for _, k := range []string{w, stemEnglish(w)} {
				if _, ok := e.common[k]; !ok {
					e.common[k] = idf
				}
			}
		}
	}
}

// IsStop reports whether a folded word is a function word of Chinese or English.
func IsStop(w string) bool { return eng().stop[w] }
