package qdrant

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/qdrant/go-client/qdrant"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// maxDepth of nested objects and lists. The server's decoder stops at 100 levels of messages, three a nesting.
const maxDepth = 24

// toPayload converts a payload for the wire; [reader] reads it back as it was. at is the JSON path for errors. An unknown
// type, invalid UTF-8 or a number that JSON cannot hold is a permanent error: the client library's own helper panics, or
// sends base64.
func toPayload(at string, m map[string]any, depth int) (map[string]*qdrant.Value, error) {
	out := make(map[string]*qdrant.Value, len(m))
	for k, v := range m {
		if k == "" || !utf8.ValidString(k) {
			return nil, schema.Invalid(at, "a payload key is empty or not valid UTF-8")
		}
		x, err := toValue(at+"."+k, v, depth)
		if err != nil {
			return nil, err
		}
		out[k] = x
	}
	return out, nil
}

func toValue(at string, v any, depth int) (*qdrant.Value, error) {
	if depth >= maxDepth {
		return nil, schema.Invalid(at, "is nested more than %d deep", maxDepth)
	}
	switch x := v.(type) {
	case nil:
		return qdrant.NewValueNull(), nil
	case string:
		if !utf8.ValidString(x) {
			return nil, schema.Invalid(at, "is not valid UTF-8")
		}
		return qdrant.NewValueString(x), nil
	case bool:
		return qdrant.NewValueBool(x), nil
	case int:
		return qdrant.NewValueInt(int64(x)), nil
	case int64:
		return qdrant.NewValueInt(x), nil
	case uint32:
		return qdrant.NewValueInt(int64(x)), nil
	case uint64:
		if x > math.MaxInt64 {
			return nil, schema.Invalid(at, "is over the largest integer, 2^63-1")
		}
		return qdrant.NewValueInt(int64(x)), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, schema.Invalid(at, "is not a finite number")
		}
		return qdrant.NewValueDouble(x), nil
	case map[string]any:
		f, err := toPayload(at, x, depth+1)
		if err != nil {
			return nil, err
		}
		return qdrant.NewValueFromFields(f), nil
	case []string:
		return toList(at, x, depth)
	case []int64:
		return toList(at, x, depth)
	case []float64:
		return toList(at, x, depth)
	case []map[string]any:
		return toList(at, x, depth)
	case []any:
		return toList(at, x, depth)
	}
	return nil, schema.Invalid(at, "has the type %T, which payloads do not hold", v)
}

func toList[T any](at string, xs []T, depth int) (*qdrant.Value, error) {
	vs := make([]*qdrant.Value, len(xs))
	for i, x := range xs {
		v, err := toValue(at+"["+strconv.Itoa(i)+"]", x, depth+1)
		if err != nil {
			return nil, err
		}
		vs[i] = v
	}
	return qdrant.NewValueFromList(vs...), nil
}
