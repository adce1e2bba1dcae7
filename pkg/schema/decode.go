package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxDepth is how deep a request may nest.
const MaxDepth = 64

// Decode reads a request strictly into T and validates it: invalid UTF-8, a syntax error, an unknown field, a key
// that stands twice (in any case of letters), a value of the wrong type, a time without zone, nesting beyond
// [MaxDepth] or trailing data is an invalid [Error] that names the field. Field names match exactly, unlike in
// encoding/json. If *T has a method Validate() error, its verdict is Decode's. b is neither kept nor changed.
//
// What JSON leaves open is settled so:
//   - null is as if the field were absent, in a list as if its entry were empty;
//   - a byte order mark before the value is refused;
//   - a number that a float64 cannot hold (1e400) is refused, one that it holds inexactly is rounded;
//   - half of a surrogate pair ("\ud800"), which cutting a string in JavaScript leaves behind, becomes U+FFFD in
//     texts, while the raw layer keeps the bytes as they came; in an id it is refused ([CheckID]), since two ids
//     would become one;
//   - a time lies in the years 1 to 9999 in UTC and has no leap second ("23:59:60"); year 1, January 1, 0:00 UTC
//     exactly is no time, as if absent.
func Decode[T any](b []byte) (T, error) {
	var v T
	if err := decodeInto(b, &v); err != nil {
		return v, err
	}
	if c, ok := any(&v).(interface{ Validate() error }); ok {
		return v, c.Validate()
	}
	return v, nil
}

func decodeInto(b []byte, v any) error {
	if !utf8.Valid(b) {
		return Invalid("", "the body is not valid UTF-8")
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return Invalid("", "the body is empty")
	}
	if bytes.HasPrefix(b, []byte("\ufeff")) {
		return Invalid("", "the body begins with a byte order mark, which JSON does not allow")
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	w := walker{dec: dec}
	if err := w.value(reflect.TypeOf(v).Elem(), "", 0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Invalid("", "there is more after the end of the JSON value")
	}
	if err := json.Unmarshal(b, v); err != nil { // the walker lets nothing of that kind pass
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) {
			return Invalid(te.Field, "does not take the value %s", clip(te.Value))
		}
		return Invalid("", "is not the JSON expected")
	}
	return nil
}

// walker checks a JSON text token by token against a Go type, before encoding/json reads it.
type walker struct{ dec *json.Decoder }

func (w *walker) token(path string) (json.Token, error) {
	t, err := w.dec.Token()
	if err != nil {
		var se *json.SyntaxError
		if errors.As(err, &se) {
			return nil, Invalid(path, "JSON syntax error at byte %d: %v", se.Offset, se)
		}
		return nil, Invalid(path, "the JSON text ends too early")
	}
	return t, nil
}

var (
	timeType  = reflect.TypeFor[time.Time]()
	classType = reflect.TypeFor[Class]()
)

// value checks the next value of the text against t; a nil t takes anything.
func (w *walker) value(t reflect.Type, path string, depth int) error {
	if depth > MaxDepth {
		return Invalid(path, "is nested deeper than %d levels", MaxDepth)
	}
	tok, err := w.token(path)
	if err != nil {
		return err
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch x := tok.(type) {
	case json.Delim:
		if x == '{' {
			return w.object(t, path, depth)
		}
		return w.array(t, path, depth)
	case nil:
		return nil
	default:
		return scalar(t, path, x)
	}
}

// scalar checks a string, number or boolean.
func scalar(t reflect.Type, path string, x any) error {
	if n, ok := x.(json.Number); ok {
		if f, err := n.Float64(); err != nil || math.IsInf(f, 0) {
			return Invalid(path, "is a number out of range")
		}
	}
	if t == nil || t.Kind() == reflect.Interface {
		return nil
	}
	if t == timeType {
		return checkTime(path, x)
	}
	if t == classType {
		if s, ok := x.(string); !ok || s != "" && !isClass(s) {
			return Invalid(path, "must be one of tool, assistant, user, operator")
		}
		return nil
	}
	want := ""
	switch t.Kind() {
	case reflect.String:
		want = "a string"
		if _, ok := x.(string); ok {
			return nil
		}
	case reflect.Bool:
		want = "true or false"
		if _, ok := x.(bool); ok {
			return nil
		}
	case reflect.Float32, reflect.Float64:
		want = "a number"
		if _, ok := x.(json.Number); ok {
			return nil
		}
	case reflect.Int, reflect.Int64:
		want = "a whole number"
		if n, ok := x.(json.Number); ok {
			if _, err := n.Int64(); err == nil {
				return nil
			}
		}
	case reflect.Uint64:
		want = "a whole number, not negative"
		if n, ok := x.(json.Number); ok {
			if _, err := strconv.ParseUint(n.String(), 10, 64); err == nil {
				return nil
			}
		}
	case reflect.Slice:
		want = "a list"
	default:
		want = "an object"
	}
	return Invalid(path, "must be %s", want)
}

func checkTime(path string, x any) error {
	const want = "a time as RFC 3339 with zone, such as 2026-01-31T09:00:00Z"
	s, ok := x.(string)
	if !ok {
		return Invalid(path, "must be %s", want)
	}
	var at time.Time
	// The time package parses more than RFC 3339 has, and then cannot write it: one digit of hours, a comma before
	// fractions, an offset of 24 hours.
	err := at.UnmarshalText([]byte(s))
	if err == nil {
		_, err = at.MarshalText()
	}
	if err != nil || s[13] != ':' || strings.Contains(s, ",") {
		return Invalid(path, "must be %s", want) // no word of the text: what is wrong with a turn is logged
	}
	if y := at.UTC().Year(); y < 1 || y > 9999 {
		return Invalid(path, "lies outside the years 1 to 9999 in UTC")
	}
	return nil
}

// clip keeps an error message short.
func clip(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}

func (w *walker) object(t reflect.Type, path string, depth int) error {
	var known map[string]reflect.Type
	var elem reflect.Type
	switch {
	case t == nil || t.Kind() == reflect.Interface:
	case t.Kind() == reflect.Struct && t != timeType:
		known = fieldsOf(t)
	case t.Kind() == reflect.Map:
		elem = t.Elem()
	default:
		return Invalid(path, "must not be an object")
	}
	seen := map[string]bool{}
	for w.dec.More() {
		tok, err := w.token(path)
		if err != nil {
			return err
		}
		key := tok.(string)
		at := join(path, key)
		if f := foldKey(key); seen[f] {
			return Invalid(at, "stands twice")
		} else {
			seen[f] = true
		}
		vt := elem
		if known != nil {
			ft, ok := known[key]
			if !ok {
				return Invalid(at, "is not a known field%s", suggest(key, known))
			}
			vt = ft
		}
		if err := w.value(vt, at, depth+1); err != nil {
			return err
		}
	}
	_, err := w.token(path)
	return err
}

func (w *walker) array(t reflect.Type, path string, depth int) error {
	var elem reflect.Type
	switch {
	case t == nil || t.Kind() == reflect.Interface:
	case t.Kind() == reflect.Slice:
		elem = t.Elem()
	default:
		return Invalid(path, "must not be a list")
	}
	for i := 0; w.dec.More(); i++ {
		if err := w.value(elem, path+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
			return err
		}
	}
	_, err := w.token(path)
	return err
}

func join(path, key string) string {
	if path == "" {
		return clip(key)
	}
	return path + "." + clip(key)
}

// foldKey maps keys that encoding/json would take for one another to one string: the least rune of every
// simple-folding orbit, so that "user", "USER" and "uſer" are one key.
func foldKey(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

// fieldCache remembers the JSON fields of struct types; types are few and fixed.
var fieldCache sync.Map // reflect.Type → map[string]reflect.Type

func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if m, ok := fieldCache.Load(t); ok {
		return m.(map[string]reflect.Type)
	}
	m := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "-" && name != "" {
			m[name] = f.Type
		}
	}
	fieldCache.Store(t, m)
	return m
}

// KnownField reports whether path, as [Decode] puts it into an error ("tool_results[2].name"), names a field of T and
// not a key that the client made up, which may be anything.
func KnownField[T any](path string) bool {
	t := reflect.TypeFor[T]()
	for part := range strings.SplitSeq(path, ".") {
		for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || t == timeType {
			return false
		}
		name, index, indexed := strings.Cut(part, "[")
		if n := strings.TrimSuffix(index, "]"); indexed && (n == index || strings.Trim(n, "0123456789") != "") {
			return false
		}
		ft, ok := fieldsOf(t)[name]
		if !ok {
			return false
		}
		t = ft
	}
	return true
}

// suggest names the known field nearest to key, where one is near.
func suggest(key string, known map[string]reflect.Type) string {
	best, dist := "", min(2, (len(key)+2)/3)+1 // two letters at most, and no more than a third
	if len(key) < 3 {
		dist = 1 // nothing but another case
	}
	for k := range known {
		if d := distance(strings.ToLower(key), k); d < dist || d == dist && best != "" && k < best {
			best, dist = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the Levenshtein distance of two short ASCII strings; long ones are far apart.
func distance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return 99
	}
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := prev[0]
		prev[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost++
			}
			diag = prev[j]
			prev[j] = min(cost, prev[j]+1, prev[j-1]+1)
		}
	}
	return prev[len(b)]
}
