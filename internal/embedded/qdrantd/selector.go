package qdrantd

import "github.com/qdrant/go-client/qdrant"

// payloadSelector says which part of a payload an answer carries.
type payloadSelector struct {
	none    bool
	include []path
	exclude []path
	flat    bool // every path is a single key: bytes can be picked without decoding
}

func newPayloadSelector(sel *qdrant.WithPayloadSelector, byDefault bool) (payloadSelector, error) {
	var s payloadSelector
	var err error
	switch o := sel.GetSelectorOptions().(type) {
	case nil:
		if sel != nil {
			return s, invalid("No PayloadSelector") // Qdrant refuses the empty message
		}
		s.none = !byDefault
	case *qdrant.WithPayloadSelector_Enable:
		s.none = !o.Enable
	case *qdrant.WithPayloadSelector_Include:
		s.include, err = parsePaths(o.Include.GetFields())
		s.none = len(s.include) == 0
	case *qdrant.WithPayloadSelector_Exclude:
		s.exclude, err = parsePaths(o.Exclude.GetFields())
	}
	s.flat = true
	for _, p := range append(s.include[:len(s.include):len(s.include)], s.exclude...) {
		s.flat = s.flat && len(p.steps) == 1
	}
	return s, err
}

func parsePaths(keys []string) ([]path, error) {
	ps := make([]path, len(keys))
	for i, k := range keys {
		p, err := parsePath(k)
		if err != nil {
			return nil, err
		}
		ps[i] = p
	}
	return ps, nil
}

// pick is the selected part of payload in wire form.
func (s *payloadSelector) pick(payload []byte) ([]byte, error) {
	switch {
	case s.none:
		return nil, nil
	case len(s.include) == 0 && len(s.exclude) == 0:
		return payload, nil
	case s.flat:
		return s.pickFlat(payload), nil
	}
	m, err := decodePayload(payload)
	if err != nil {
		return nil, err
	}
	at := make([]step, 0, 8)
	return encodePayload(s.object(m, at))
}

func (s *payloadSelector) pickFlat(payload []byte) []byte {
	out := make([]byte, 0, min(len(payload), 1024))
	for b := payload; len(b) > 0; {
		entry, key, _, rest, ok := nextEntry(b)
		if !ok {
			break
		}
		named := func(ps []path) bool {
			for i := range ps {
				if ps[i].steps[0].key == string(key) {
					return true
				}
			}
			return false
		}
		if len(s.include) > 0 && named(s.include) || len(s.exclude) > 0 && !named(s.exclude) {
			out = append(out, entry...)
		}
		b = rest
	}
	return out
}

// keep follows Qdrant: an included path keeps what lies on the way to it and below it, an excluded one drops itself and
// what is below.
func (s *payloadSelector) keep(at []step) bool {
	for _, p := range s.exclude {
		if len(p.steps) <= len(at) && samePrefix(p.steps, at) {
			return false
		}
	}
	for _, p := range s.include {
		if samePrefix(p.steps, at) {
			return true
		}
	}
	return len(s.include) == 0
}

func samePrefix(a, b []step) bool {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (s *payloadSelector) object(m map[string]*qdrant.Value, at []step) map[string]*qdrant.Value {
	out := make(map[string]*qdrant.Value, len(m))
	for k, v := range m {
		if here := append(at, step{kind: stepKey, key: k}); s.keep(here) {
			out[k] = s.value(v, here)
		}
	}
	return out
}

func (s *payloadSelector) value(v *qdrant.Value, at []step) *qdrant.Value {
	switch o := v.GetKind().(type) {
	case *qdrant.Value_StructValue:
		fields := s.object(o.StructValue.GetFields(), at)
		return &qdrant.Value{Kind: &qdrant.Value_StructValue{StructValue: &qdrant.Struct{Fields: fields}}}
	case *qdrant.Value_ListValue:
		here := append(at, step{kind: stepAll})
		var vs []*qdrant.Value
		for _, el := range o.ListValue.GetValues() {
			if s.keep(here) {
				vs = append(vs, s.value(el, here))
			}
		}
		return &qdrant.Value{Kind: &qdrant.Value_ListValue{ListValue: &qdrant.ListValue{Values: vs}}}
	default:
		return v
	}
}

// vectorSelector says which vectors an answer carries.
type vectorSelector struct {
	dense, sparse []int // positions in the schema
	any           bool
}

func newVectorSelector(sel *qdrant.WithVectorsSelector, sc *schema) (vectorSelector, error) {
	var s vectorSelector
	switch o := sel.GetSelectorOptions().(type) {
	case *qdrant.WithVectorsSelector_Enable:
		if o.Enable {
			for i := range sc.dense {
				s.dense = append(s.dense, i)
			}
			for i := range sc.sparse {
				s.sparse = append(s.sparse, i)
			}
			s.any = true
		}
	case *qdrant.WithVectorsSelector_Include:
		for _, name := range o.Include.GetNames() {
			if i, ok := sc.denseAt(name); ok {
				s.dense = append(s.dense, i)
			} else if i, ok := sc.sparseAt(name); ok {
				s.sparse = append(s.sparse, i)
			} else {
				return s, noVector(name)
			}
		}
		s.any = len(o.Include.GetNames()) > 0
	}
	return s, nil
}
