package clean

import "strings"

func newBase64(arg string) (Func, error) {
	if err := noArg(arg); err != nil {
		return nil, err
	}
	return func(text, _ string) (string, error) { return dropBlobs(text), nil }, nil
}

const (
	blobMark    = "[data]"
	minBlob     = 160 // characters of one unbroken run; SHA-512 in hex has 128
	minBlobLine = 60  // characters of a line of a wrapped blob (MIME: 76, PEM: 64)
	minLines    = 3
)

// dropBlobs replaces data: URIs and long base64 text, on one line or wrapped, by a mark. Idempotent.
func dropBlobs(text string) string {
	return dropWrapped(dropRuns(dropDataURIs(text)))
}

// dropDataURIs replaces data:<type>/<subtype>[;…],<data> up to the first character that a URI cannot hold.
func dropDataURIs(text string) string {
	i := indexDataURI(text, 0)
	if i < 0 {
		return text
	}
	var b strings.Builder
	last := 0
	for i >= 0 {
		end, ok := dataURIEnd(text, i)
		if ok {
			b.WriteString(text[last:i])
			b.WriteString(blobMark)
			last = end
		}
		i = indexDataURI(text, end)
	}
	b.WriteString(text[last:])
	return b.String()
}

func indexDataURI(text string, from int) int {
	for {
		i := strings.Index(text[from:], "data:")
		if i < 0 {
			return -1
		}
		i += from
		if i == 0 || !isAlnum(text[i-1]) {
			return i
		}
		from = i + 5
	}
}

// dataURIEnd is the end of the data URI that begins at i; ok is false where there is none ("data: see below").
func dataURIEnd(text string, i int) (end int, ok bool) {
	j := i + 5
	slash := false
	for ; j < len(text) && j-i < 160 && text[j] != ','; j++ {
		c := text[j]
		if c == '/' {
			slash = true
		} else if !isAlnum(c) && strings.IndexByte("+-.;=_\"", c) < 0 {
			return j, false
		}
	}
	if j >= len(text) || text[j] != ',' || !slash && j != i+5 && !strings.HasPrefix(text[i+5:], ";") {
		return j, false
	}
	start := j + 1
	for j = start; j < len(text); j++ {
		c := text[j]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"'`<>()[]{}\\", c) >= 0 {
			break
		}
	}
	return j, j-start >= 4
}

// dropRuns replaces unbroken base64 of at least minBlob characters. Hex, paths and words joined by one sign are
// left: a run must hold both cases and digits, and no part between slashes may look like a word in a path.
func dropRuns(text string) string {
	var b strings.Builder
	last := 0
	for i := 0; i+minBlob <= len(text); {
		// Look at the last character that a long enough run would have: most of the text is skipped over.
		j := i + minBlob - 1
		for j >= i && isBase64(text[j]) {
			j--
		}
		if j >= i {
			i = j + 1
			continue
		}
		end := i + minBlob
		for end < len(text) && isBase64(text[end]) {
			end++
		}
		start := i
		for start > last && isBase64(text[start-1]) {
			start--
		}
		if mixed(text[start:end]) {
			b.WriteString(text[last:start])
			b.WriteString(blobMark)
			last = end
		}
		i = end
	}
	if last == 0 {
		return text
	}
	b.WriteString(text[last:])
	return b.String()
}

// dropWrapped replaces minLines or more lines in a row that are base64 from end to end, and the shorter last one.
func dropWrapped(text string) string {
	if len(text) < minLines*minBlobLine {
		return text
	}
	var b strings.Builder
	last, run, runStart := 0, 0, 0
	flush := func(end int) {
		if run >= minLines && mixed(text[runStart:end]) {
			b.WriteString(text[last:runStart])
			b.WriteString(blobMark)
			b.WriteByte('\n')
			last = end
		}
		run = 0
	}
	for pos := 0; pos < len(text); {
		next := len(text)
		if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
			next = pos + i + 1
		}
		line := strings.TrimSpace(text[pos:next])
		switch {
		case len(line) >= minBlobLine && allBase64(line):
			if run == 0 {
				runStart = pos
			}
			run++
		case run >= minLines && line != "" && allBase64(line) && (len(line)%4 == 0 || strings.HasSuffix(line, "=")):
			flush(next)
		default:
			flush(pos)
		}
		pos = next
	}
	flush(len(text))
	if last == 0 {
		return text
	}
	b.WriteString(text[last:])
	return b.String()
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isBase64(c byte) bool {
	return isAlnum(c) || c == '+' || c == '/' || c == '=' || c == '-' || c == '_'
}

func allBase64(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isBase64(s[i]) {
			return false
		}
	}
	return true
}

// mixed tells base64 from long identifiers, rules of signs, hex and paths: both cases and digits, in the share
// that random bytes would give at least a quarter of.
func mixed(s string) bool {
	var up, low, dig, sign int
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			up++
		case c >= 'a' && c <= 'z':
			low++
		case c >= '0' && c <= '9':
			dig++
		case c != '\n' && c != ' ' && c != '\r' && c != '\t':
			sign++
		}
	}
	n := up + low + dig + sign
	return up*10 >= n && low*10 >= n && dig*40 >= n && sign*8 <= n || up*3 >= n*2 && low*20 >= n && dig > 0 && sign*8 <= n
}
