package clean

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
)

// maxJSONDepth bounds the walk over nested values; deeper ones are a fault, not a stack overflow.
const maxJSONDepth = 64

func newJSON(arg string) (Func, error) {
	paths, err := parsePaths(arg)
	if err != nil {
		return nil, err
	}
	return func(text, _ string) (string, error) { return extractJSON(text, paths) }, nil
}

func newJSONLenient(arg string) (Func, error) {
	paths, err := parsePaths(arg)
	if err != nil {
		return nil, err
	}
	return func(text, _ string) (string, error) {
		if !beginsAsJSON(text) {
			return text, nil
		}
		return extractJSON(text, paths)
	}, nil
}

// beginsAsJSON reports whether text begins like an object or a list of objects, lists or strings: "[1] a footnote"
// and "[![badge]" are prose.
func beginsAsJSON(text string) bool {
	t := strings.TrimLeft(text, " \t\r\n\ufeff")
	if t == "" || t[0] != '{' && t[0] != '[' {
		return false
	}
	rest := strings.TrimLeft(t[1:], " \t\r\n")
	if rest == "" {
		return false
	}
	if t[0] == '{' {
		return rest[0] == '"' || rest[0] == '}'
	}
	return strings.IndexByte(`{["]`, rest[0]) >= 0
}

// jsonPath is a path cut at its dots; nil is the whole document ("*").
type jsonPath []string

func parsePaths(arg string) ([]jsonPath, error) {
	if strings.TrimSpace(arg) == "" {
		return nil, errors.New("needs a path, e.g. json:content")
	}
	var paths []jsonPath
	for _, p := range strings.Split(arg, ",") {
		p = strings.TrimSpace(p)
		p = strings.TrimPrefix(strings.TrimPrefix(p, "$"), ".")
		if p == "*" {
			paths = append(paths, nil)
			continue
		}
		p = strings.NewReplacer("[]", "", "[", ".", "]", "").Replace(p)
		parts := strings.Split(p, ".")
		for _, part := range parts {
			if part == "" {
				return nil, fmt.Errorf("the path %q has an empty part", p)
			}
		}
		if len(parts) > maxJSONDepth {
			return nil, fmt.Errorf("the path is %d parts long, at most %d are allowed", len(parts), maxJSONDepth)
		}
		paths = append(paths, parts)
	}
	return paths, nil
}

// extractJSON takes the values at the paths out of one JSON document or several in a row (NDJSON), one value a
// line. No value at any path is a fault: the output has another shape than its policy says.
func extractJSON(text string, paths []jsonPath) (string, error) {
	dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	dec.UseNumber()
	w := &jsonWriter{}
	for docs := 0; ; docs++ {
		var v any
		err := dec.Decode(&v)
		if errors.Is(err, io.EOF) && docs > 0 {
			break
		}
		if err != nil {
			// The decoder's own message quotes a character of the text; the offset says enough.
			return "", fmt.Errorf("not valid JSON at byte %d", dec.InputOffset())
		}
		for _, p := range paths {
			if err := w.walk(v, p, "", 0); err != nil {
				return "", err
			}
		}
	}
	if w.found == 0 {
		return "", fmt.Errorf("no value at %s", pathNames(paths))
	}
	return w.b.String(), nil
}

func pathNames(paths []jsonPath) string {
	names := make([]string, len(paths))
	for i, p := range paths {
		if names[i] = strings.Join(p, "."); p == nil {
			names[i] = "*"
		}
	}
	return strings.Join(names, ", ")
}

type jsonWriter struct {
	b     strings.Builder
	found int
}

// walk follows path into v; name is the key that v stands under.
func (w *jsonWriter) walk(v any, path jsonPath, name string, depth int) error {
	if depth > maxJSONDepth {
		return fmt.Errorf("is nested deeper than %d levels", maxJSONDepth)
	}
	if len(path) == 0 {
		return w.value(v, name, name == "", depth)
	}
	switch x := v.(type) {
	case map[string]any:
		child, ok := x[path[0]]
		if !ok {
			return nil
		}
		return w.walk(child, path[1:], path[0], depth+1)
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil {
			if i < 0 || i >= len(x) {
				return nil
			}
			return w.walk(x[i], path[1:], name, depth+1)
		}
		for _, e := range x {
			if err := w.walk(e, path, name, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// value writes v: a scalar as itself, the members of an object as "key: value" lines, in the order of their keys
// (a decoded object has no other).
func (w *jsonWriter) value(v any, name string, named bool, depth int) error {
	if depth > maxJSONDepth {
		return fmt.Errorf("is nested deeper than %d levels", maxJSONDepth)
	}
	switch x := v.(type) {
	case map[string]any:
		w.found++
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			if err := w.value(x[k], k, true, depth+1); err != nil {
				return err
			}
		}
	case []any:
		w.found++
		for _, e := range x {
			if err := w.value(e, name, named, depth+1); err != nil {
				return err
			}
		}
	case nil:
		w.found++
	default:
		w.found++
		s := fmt.Sprint(x)
		if kind := secretKey(name); kind != "" && s != "" && !isBool(x) {
			s = mask(kind) // once taken out of its object the value would stand without the key that gives it away
		}
		if w.b.Len() > 0 {
			w.b.WriteByte('\n')
		}
		if named && name != "" {
			w.b.WriteString(name)
			w.b.WriteString(": ")
		}
		w.b.WriteString(s)
	}
	return nil
}

func isBool(v any) bool { _, ok := v.(bool); return ok }
