package qdrant

import (
	"strings"
	"unicode/utf8"

	"github.com/qdrant/go-client/qdrant"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// toFilter converts a filter, nil for one without conditions.
func toFilter(f schema.Filter) (*qdrant.Filter, error) {
	if len(f.Must) == 0 && len(f.MustNot) == 0 && len(f.Should) == 0 {
		return nil, nil
	}
	var out qdrant.Filter
	for _, l := range []struct {
		from []schema.Cond
		to   *[]*qdrant.Condition
	}{{f.Must, &out.Must}, {f.MustNot, &out.MustNot}, {f.Should, &out.Should}} {
		for _, c := range l.from {
			x, err := toCond(c)
			if err != nil {
				return nil, err
			}
			*l.to = append(*l.to, x)
		}
	}
	return &out, nil
}

func toCond(c schema.Cond) (*qdrant.Condition, error) {
	used := 0
	for _, u := range []bool{c.Equal != nil, c.Any != nil, c.Range != nil, c.HasID != nil, c.Empty} {
		if u {
			used++
		}
	}
	if used != 1 {
		return nil, schema.Invalid("filter."+c.Key, "a condition needs exactly one of equal, any, range, has_id, empty")
	}
	if c.HasID != nil {
		return qdrant.NewHasID(toIDs(c.HasID)...), nil
	}
	key, err := path(c.Key)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Any != nil:
		for _, s := range c.Any {
			if !utf8.ValidString(s) {
				return nil, schema.Invalid("filter."+c.Key, "is not valid UTF-8")
			}
		}
		return qdrant.NewMatchKeywords(key, c.Any...), nil
	case c.Range != nil:
		return qdrant.NewRange(key, &qdrant.Range{Gte: c.Range.GTE, Gt: c.Range.GT, Lte: c.Range.LTE, Lt: c.Range.LT}), nil
	case c.Empty:
		return qdrant.NewIsEmpty(key), nil
	}
	switch x := c.Equal.(type) {
	case string:
		if !utf8.ValidString(x) {
			return nil, schema.Invalid("filter."+c.Key, "is not valid UTF-8")
		}
		return qdrant.NewMatchKeyword(key, x), nil
	case bool:
		return qdrant.NewMatchBool(key, x), nil
	case int:
		return qdrant.NewMatchInt(key, int64(x)), nil
	case int64:
		return qdrant.NewMatchInt(key, x), nil
	case float64:
		// A number of a JSON request. The server's match knows integers only; a range of one value finds the same
		// number however it was stored.
		return qdrant.NewRange(key, &qdrant.Range{Gte: &x, Lte: &x}), nil
	}
	return nil, schema.Invalid("filter."+c.Key, "cannot compare with a value of type %T", c.Equal)
}

// path is key as the server's JSON path. Metadata keys come from clients and may hold anything; what the path
// grammar would read as more than a name is quoted, and what no path can name is refused.
func path(key string) (string, error) {
	const meta = schema.KeyMetadata + "."
	rest, isMeta := strings.CutPrefix(key, meta)
	if !isMeta {
		list, field, isList := strings.Cut(key, "[].") // a field of the objects in a list
		if !plain(list) || isList && !plain(field) {
			return "", schema.Invalid("filter", "%q is not a payload key", key)
		}
		return key, nil
	}
	if plain(rest) {
		return key, nil
	}
	if rest == "" || strings.ContainsAny(rest, `"\`) || !utf8.ValidString(rest) {
		return "", schema.Invalid("filter."+key, "keys with quotes or backslashes cannot be filtered on")
	}
	return meta + `"` + rest + `"`, nil
}

func plain(key string) bool {
	for i := 0; i < len(key); i++ {
		c := key[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return key != ""
}
