package qdrant

import (
	"errors"
	"math"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// The client library decodes a payload by reflection, an entry of a map at a time, and it would then be copied into
// the pipeline's own form: together more than a third of what a query cost. The three replies that carry points are
// therefore read from the wire into that form at once (ADR 0013); everything else goes through the library.

// reply is a message of the server that reads itself. It must not keep b.
type reply interface{ read(b []byte) error }

// wire is gRPC's own codec for requests, and reads replies by themselves.
type wire struct{ encoding.CodecV2 }

var asWire = grpc.ForceCodecV2(wire{encoding.GetCodecV2(proto.Name)})

func (w wire) Unmarshal(data mem.BufferSlice, v any) error {
	r, own := v.(reply)
	if !own {
		return w.CodecV2.Unmarshal(data, v)
	}
	buf := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buf.Free()
	return r.read(buf.ReadOnlyData())
}

var errWire = errors.New("the server's reply is malformed")

// maxWireDepth of nested values: twice what is ever written.
const maxWireDepth = 2 * maxDepth

// field is one field of a message: num holds the value of a varint or fixed field, b that of a length-delimited one.
type field struct {
	no  protowire.Number
	typ protowire.Type
	num uint64
	b   []byte
}

// fields calls do for each field of a message. Groups, which no message here has, are refused.
func fields(b []byte, do func(f field) error) error {
	for len(b) > 0 {
		f, rest, err := next(b)
		if err != nil {
			return err
		}
		b = rest
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// next splits the first field of a message off. Nearly all have a tag and a length, or a value, of one byte each.
func next(b []byte) (f field, rest []byte, err error) {
	if len(b) >= 2 && b[0] >= 8 && b[0]|b[1] < 0x80 {
		f.no, f.typ = protowire.Number(b[0]>>3), protowire.Type(b[0]&7)
		switch n := 2 + int(b[1]); {
		case f.typ == protowire.VarintType:
			f.num = uint64(b[1])
			return f, b[2:], nil
		case f.typ == protowire.BytesType && n <= len(b):
			f.b = b[2:n]
			return f, b[n:], nil
		}
	}
	no, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return f, nil, errWire
	}
	b = b[n:]
	f = field{no: no, typ: typ}
	switch typ {
	case protowire.VarintType:
		f.num, n = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		var x uint32
		x, n = protowire.ConsumeFixed32(b)
		f.num = uint64(x)
	case protowire.Fixed64Type:
		f.num, n = protowire.ConsumeFixed64(b)
	case protowire.BytesType:
		f.b, n = protowire.ConsumeBytes(b)
	default:
		return f, nil, errWire
	}
	if n < 0 {
		return f, nil, errWire
	}
	return f, b[n:], nil
}

// found is a point of a reply.
type found struct {
	schema.Point
	score float64
	order any // int64 or float64 that the page is ordered by, nil without order
}

// shape is where the two messages that hold a point differ.
type shape struct{ score, vectors, order protowire.Number }

var (
	scored    = shape{score: 3, vectors: 6, order: 8}  // ScoredPoint
	retrieved = shape{score: -1, vectors: 4, order: 6} // RetrievedPoint
)

// reader reads points. Keys and the short strings that many points share are kept once.
type reader struct {
	words map[string]string
	known map[string]map[string]any // payloads by the id of their point; nil: each is read by itself
}

// point reads one; with known, the payload of a point that stands in the message again is read once and shared.
func (r *reader) point(b []byte, at shape) (found, error) {
	var p found
	shared := false
	err := fields(b, func(f field) (err error) {
		switch f.no {
		case 1:
			if p.ID, err = r.id(f.b); err == nil && p.Payload == nil {
				p.Payload, shared = r.known[p.ID]
			}
		case 2:
			if shared {
				return nil
			}
			if p.Payload == nil {
				p.Payload = make(map[string]any, 16)
			}
			err = r.entry(p.Payload, f.b, 0)
		case at.score:
			p.score = float64(math.Float32frombits(uint32(f.num)))
		case at.vectors:
			err = r.vectors(&p.Point, f.b)
		case at.order:
			p.order, err = order(f.b)
		}
		return err
	})
	if p.Payload == nil {
		p.Payload = map[string]any{}
	}
	if err == nil && r.known != nil {
		r.known[p.ID] = p.Payload
	}
	return p, err
}

func (r *reader) id(b []byte) (id string, err error) {
	err = fields(b, func(f field) (err error) {
		if f.no == 2 {
			id, err = text(f.b)
		}
		return err
	})
	return id, err
}

func order(b []byte) (v any, err error) {
	err = fields(b, func(f field) error {
		switch f.no {
		case 1:
			v = int64(f.num)
		case 2:
			v = math.Float64frombits(f.num)
		}
		return nil
	})
	return v, err
}

// entry reads an entry of a map of values.
func (r *reader) entry(into map[string]any, b []byte, depth int) error {
	key, value := "", any(nil)
	for len(b) > 0 {
		f, rest, err := next(b)
		if err != nil {
			return err
		}
		b = rest
		switch f.no {
		case 1:
			key, err = r.word(f.b)
		case 2:
			value, err = r.value(f.b, depth)
		}
		if err != nil {
			return err
		}
	}
	into[key] = value
	return nil
}

func (r *reader) value(b []byte, depth int) (v any, err error) {
	if depth >= maxWireDepth {
		return nil, errWire
	}
	for len(b) > 0 {
		f, rest, err := next(b)
		if err != nil {
			return nil, err
		}
		b = rest
		switch f.no {
		case 1:
			v = nil
		case 2:
			v = math.Float64frombits(f.num)
		case 3:
			v = int64(f.num)
		case 4:
			v, err = r.word(f.b)
		case 5:
			v = f.num != 0
		case 6:
			m := map[string]any{}
			v = m
			err = fields(f.b, func(f field) error {
				if f.no != 1 {
					return nil
				}
				return r.entry(m, f.b, depth+1)
			})
		case 7:
			v, err = r.list(f.b, depth+1)
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}

// list reads a list. One of one kind comes back as []string, []int64, []float64 or []map[string]any, an empty and a
// mixed one as []any.
func (r *reader) list(b []byte, depth int) (any, error) {
	xs := []any{}
	err := fields(b, func(f field) error {
		if f.no != 1 {
			return nil
		}
		x, err := r.value(f.b, depth)
		xs = append(xs, x)
		return err
	})
	if err != nil || len(xs) == 0 {
		return xs, err
	}
	switch xs[0].(type) {
	case string:
		return allOf[string](xs), nil
	case int64:
		return allOf[int64](xs), nil
	case float64:
		return allOf[float64](xs), nil
	case map[string]any:
		return allOf[map[string]any](xs), nil
	}
	return xs, nil
}

func allOf[T any](xs []any) any {
	out := make([]T, len(xs))
	for i, x := range xs {
		t, ok := x.(T)
		if !ok {
			return xs
		}
		out[i] = t
	}
	return out
}

// vectors reads named vectors into the two that points have here.
func (r *reader) vectors(p *schema.Point, b []byte) error {
	return fields(b, func(f field) error { // VectorsOutput
		if f.no != 2 {
			return nil
		}
		return fields(f.b, func(f field) error { // NamedVectorsOutput
			if f.no != 1 {
				return nil
			}
			name, vector := "", []byte(nil)
			err := fields(f.b, func(f field) (err error) { // its entry
				switch f.no {
				case 1:
					name, err = r.word(f.b)
				case 2:
					vector = f.b
				}
				return err
			})
			if err != nil {
				return err
			}
			return fields(vector, func(f field) error { // VectorOutput
				switch {
				case f.no == 101 && name == schema.VectorDense:
					return fields(f.b, func(f field) (err error) {
						if f.no == 1 {
							p.Dense, err = floats(p.Dense, f)
						}
						return err
					})
				case f.no == 102 && name == schema.VectorTerms:
					p.Sparse = &schema.Sparse{}
					return fields(f.b, func(f field) (err error) {
						switch f.no {
						case 1:
							p.Sparse.Values, err = floats(p.Sparse.Values, f)
						case 2:
							p.Sparse.Indices, err = indices(p.Sparse.Indices, f)
						}
						return err
					})
				}
				return nil
			})
		})
	})
}

// floats reads a repeated float, packed or not.
func floats(to []float32, f field) ([]float32, error) {
	if f.typ == protowire.Fixed32Type {
		return append(to, math.Float32frombits(uint32(f.num))), nil
	}
	if len(f.b)%4 != 0 {
		return nil, errWire
	}
	if to == nil {
		to = make([]float32, 0, len(f.b)/4)
	}
	for b := f.b; len(b) > 0; b = b[4:] {
		x, _ := protowire.ConsumeFixed32(b)
		to = append(to, math.Float32frombits(x))
	}
	return to, nil
}

// indices reads a repeated uint32, packed or not.
func indices(to []uint32, f field) ([]uint32, error) {
	if f.typ == protowire.VarintType {
		return append(to, uint32(f.num)), nil
	}
	for b := f.b; len(b) > 0; {
		x, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, errWire
		}
		to, b = append(to, uint32(x)), b[n:]
	}
	return to, nil
}

// maxWord is the length in bytes up to which a string is looked up among those read already.
const maxWord = 40

func (r *reader) word(b []byte) (string, error) {
	if len(b) > maxWord {
		return text(b)
	}
	if s, ok := r.words[string(b)]; ok {
		return s, nil
	}
	s, err := text(b)
	if r.words == nil {
		r.words = map[string]string{}
	}
	r.words[s] = s
	return s, err
}

func text(b []byte) (string, error) {
	if !utf8.Valid(b) {
		return "", errWire
	}
	return string(b), nil
}
