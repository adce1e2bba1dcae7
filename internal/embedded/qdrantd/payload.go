package qdrantd

import (
	"encoding/binary"
	"math"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// A payload is kept as the bytes of its map entries as they stand in an answer: field 2 of RetrievedPoint and of
// ScoredPoint (a test holds them to that number). Filters walk these bytes without decoding, and an answer carries them
// as they are. They are written by encodePayload only, so key comes before value in every entry, and are immutable:
// a change makes new bytes.

// encodePayload never fails on what came off the wire: strings are valid UTF-8 there.
func encodePayload(m map[string]*qdrant.Value) ([]byte, error) {
	if len(m) == 0 {
		return []byte{}, nil
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(&qdrant.RetrievedPoint{Payload: m})
	if err != nil {
		return nil, invalid("malformed payload: %v", err)
	}
	return b, nil
}

func decodePayload(b []byte) (map[string]*qdrant.Value, error) {
	var p qdrant.RetrievedPoint
	if err := proto.Unmarshal(b, &p); err != nil {
		return nil, internal("stored payload is damaged: %v", err)
	}
	if p.Payload == nil {
		p.Payload = map[string]*qdrant.Value{}
	}
	return p.Payload, nil
}

type valueKind uint8

// Kinds of a payload value; the numbers are the fields of qdrant.Value.
const (
	kindNone   valueKind = 0 // as null
	kindNull   valueKind = 1
	kindDouble valueKind = 2
	kindInt    valueKind = 3
	kindString valueKind = 4
	kindBool   valueKind = 5
	kindObject valueKind = 6
	kindList   valueKind = 7
)

// value is an undecoded payload value: a view into a payload's bytes.
type value struct {
	kind valueKind
	bits uint64 // double, int, bool
	b    []byte // string; entries of an object; elements of a list
}

func (v value) null() bool { return v.kind <= kindNull }

// number is the value as a float64, as the engine compares ranges.
func (v value) number() (float64, bool) {
	switch v.kind {
	case kindDouble:
		return math.Float64frombits(v.bits), true
	case kindInt:
		return float64(int64(v.bits)), true
	}
	return 0, false
}

// integer is the value as an integer index takes it: Qdrant's counts 2.0 as 2 there, though without an index a match
// does not.
func (v value) integer() (int64, bool) {
	switch v.kind {
	case kindInt:
		return int64(v.bits), true
	case kindDouble:
		if f := math.Float64frombits(v.bits); f == math.Trunc(f) && f >= math.MinInt64 && f < math.MaxInt64 {
			return int64(f), true
		}
	}
	return 0, false
}

// varint is binary.Uvarint with an ok; ours is inlined for one byte.
func varint(b []byte) (uint64, []byte, bool) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), b[1:], true
	}
	x, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return x, b[n:], true
}

func chunk(b []byte) (part, rest []byte, ok bool) {
	n, b, ok := varint(b)
	if !ok || n > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n], b[n:], true
}

// nextEntry splits the first entry of a map off: the whole entry with its tag, its key, and its value's bytes.
func nextEntry(b []byte) (entry, key, val, rest []byte, ok bool) {
	if len(b) == 0 {
		return nil, nil, nil, nil, false
	}
	body, rest, ok := chunk(b[1:]) // the tag is one byte
	if !ok {
		return nil, nil, nil, nil, false
	}
	entry = b[:len(b)-len(rest)]
	if len(body) > 0 && body[0] == 0x0a {
		if key, body, ok = chunk(body[1:]); !ok {
			return nil, nil, nil, nil, false
		}
	}
	if len(body) > 0 && body[0] == 0x12 {
		if val, _, ok = chunk(body[1:]); !ok {
			return nil, nil, nil, nil, false
		}
	}
	return entry, key, val, rest, true
}

func parseValue(b []byte) (v value) {
	if len(b) == 0 {
		return v
	}
	v.kind = valueKind(b[0] >> 3)
	b = b[1:]
	switch v.kind {
	case kindDouble:
		if len(b) >= 8 {
			v.bits = binary.LittleEndian.Uint64(b)
		}
	case kindNull, kindInt, kindBool:
		v.bits, _, _ = varint(b)
	case kindString, kindObject, kindList:
		v.b, _, _ = chunk(b)
	}
	return v
}

// elements calls fn for each element of a list until it returns true, and says whether it did.
func (v value) elements(fn func(value) bool) bool {
	for b := v.b; len(b) > 0; {
		el, rest, ok := chunk(b[1:])
		if !ok {
			return false
		}
		if fn(parseValue(el)) {
			return true
		}
		b = rest
	}
	return false
}

// flat calls fn for the elements of a list, or for the value itself: how conditions and indexes look at a field.
func (v value) flat(fn func(value) bool) bool {
	if v.kind == kindList {
		return v.elements(fn)
	}
	return fn(v)
}

func entryOf(object []byte, key string) (value, bool) {
	for len(object) > 0 {
		_, k, val, rest, ok := nextEntry(object)
		if !ok {
			break
		}
		if string(k) == key {
			return parseValue(val), true
		}
		object = rest
	}
	return value{}, false
}

// each calls fn for every value at the path until it returns true, and says whether it did.
func (p *path) each(payload []byte, fn func(value) bool) bool {
	v, ok := entryOf(payload, p.steps[0].key)
	if !ok {
		return false
	}
	return walk(p.steps[1:], v, fn)
}

func walk(steps []step, v value, fn func(value) bool) bool {
	if len(steps) == 0 {
		return fn(v)
	}
	switch s := &steps[0]; s.kind {
	case stepKey:
		if v.kind != kindObject {
			return false
		}
		v, ok := entryOf(v.b, s.key)
		return ok && walk(steps[1:], v, fn)
	case stepIndex:
		if v.kind != kindList {
			return false
		}
		i := 0
		return v.elements(func(el value) bool {
			i++
			return i-1 == s.index && walk(steps[1:], el, fn)
		})
	default:
		if v.kind != kindList {
			return false
		}
		return v.elements(func(el value) bool { return walk(steps[1:], el, fn) })
	}
}

// flat calls fn for every value at the path, lists flattened by one level, until it returns true.
func (p *path) flat(payload []byte, fn func(value) bool) bool {
	return p.each(payload, func(v value) bool { return v.flat(fn) })
}
