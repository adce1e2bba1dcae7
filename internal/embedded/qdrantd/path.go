package qdrantd

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// path is a key of a payload: `a`, `a.b`, `a[].b`, `a[0].b`, `a."odd key".b`. As in Qdrant a key step does not reach
// into the elements of a list unless `[]` says so.
type path struct {
	text  string // canonical: the key of index tables
	steps []step
}

type stepKind uint8

const (
	stepKey   stepKind = iota
	stepIndex          // [n]
	stepAll            // []
)

type step struct {
	kind  stepKind
	key   string
	index int
}

// parsePath follows the grammar of Qdrant's JsonPath.
func parsePath(s string) (path, error) {
	p := path{text: s}
	bad := invalid("Invalid json path: '%s'", s)
	rest := s
	for {
		var key string
		switch {
		case strings.HasPrefix(rest, `"`):
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 || strings.ContainsRune(rest[1:1+end], '\\') {
				return path{}, bad
			}
			key, rest = rest[1:1+end], rest[2+end:]
		default:
			n := 0
			for n < len(rest) {
				r, w := utf8.DecodeRuneInString(rest[n:])
				if r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsNumber(r) {
					break
				}
				n += w
			}
			if n == 0 {
				return path{}, bad
			}
			key, rest = rest[:n], rest[n:]
		}
		p.steps = append(p.steps, step{kind: stepKey, key: key})
		for strings.HasPrefix(rest, "[") {
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return path{}, bad
			}
			if end == 1 {
				p.steps = append(p.steps, step{kind: stepAll})
			} else {
				n, err := strconv.ParseUint(rest[1:end], 10, 31)
				if err != nil || rest[1] == '+' {
					return path{}, bad
				}
				p.steps = append(p.steps, step{kind: stepIndex, index: int(n)})
			}
			rest = rest[end+1:]
		}
		if rest == "" {
			p.text = p.String()
			return p, nil
		}
		if rest[0] != '.' {
			return path{}, bad
		}
		rest = rest[1:]
	}
}

// String is the path in canonical form: keys are quoted only where they must be.
func (p path) String() string {
	var b strings.Builder
	for i, s := range p.steps {
		switch s.kind {
		case stepIndex:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case stepAll:
			b.WriteString("[]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			plain := s.key != ""
			for _, r := range s.key {
				plain = plain && (r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsNumber(r))
			}
			if plain {
				b.WriteString(s.key)
			} else {
				b.WriteString(`"` + s.key + `"`)
			}
		}
	}
	return b.String()
}
