package text

import (
	"strings"
	"unicode/utf8"
)

// Bounds of what is handed to the segmenter. A lattice over one unbroken run costs 400 bytes of memory a byte, so
// runs are cut; see the package comment.
const (
	maxRun  = 2 << 10 // bytes of a run without a break
	maxTerm = 64      // bytes of an indexed term; what is longer is indexed by its beginning
)

// Sanitize makes any bytes safe to read: valid UTF-8 (each run of invalid bytes becomes U+FFFD) and no NUL (a space
// instead, because C strings end there). Text without either is returned as it is.
func Sanitize(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", " ")
	}
	return s
}

// cutRun is the length of the longest prefix of s that is at most maxRun bytes and ends between characters.
func cutRun(s string) int {
	if len(s) <= maxRun {
		return len(s)
	}
	n := maxRun
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if n == 0 {
		return min(maxRun, len(s))
	}
	return n
}
