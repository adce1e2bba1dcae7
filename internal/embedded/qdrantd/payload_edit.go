package qdrantd

import "github.com/qdrant/go-client/qdrant"

// mergePayload sets the top-level keys of patch in payload; a null removes its key. Bytes of untouched keys are copied.
func mergePayload(payload []byte, patch map[string]*qdrant.Value) ([]byte, error) {
	add := make(map[string]*qdrant.Value, len(patch))
	for k, v := range patch {
		if !isNull(v) {
			add[k] = v
		}
	}
	enc, err := encodePayload(add)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(payload)+len(enc))
	for b := payload; len(b) > 0; {
		entry, key, _, rest, ok := nextEntry(b)
		if !ok {
			return nil, internal("stored payload is damaged")
		}
		if _, touched := patch[string(key)]; !touched {
			out = append(out, entry...)
		}
		b = rest
	}
	return append(out, enc...), nil
}

func isNull(v *qdrant.Value) bool {
	switch v.GetKind().(type) {
	case nil, *qdrant.Value_NullValue:
		return true
	}
	return false
}

// mergeAt merges patch into the object at p, making objects on the way as Qdrant does.
func mergeAt(payload []byte, p path, patch map[string]*qdrant.Value) ([]byte, error) {
	m, err := decodePayload(payload)
	if err != nil {
		return nil, err
	}
	setKey(m, p.steps[0].key, p.steps[1:], patch)
	return encodePayload(m)
}

func setKey(m map[string]*qdrant.Value, key string, rest []step, patch map[string]*qdrant.Value) {
	v := m[key]
	if v == nil {
		v = &qdrant.Value{}
		m[key] = v
	}
	setValue(v, rest, patch)
}

func setValue(v *qdrant.Value, steps []step, patch map[string]*qdrant.Value) {
	object := func() map[string]*qdrant.Value {
		s := v.GetStructValue()
		if s == nil {
			s = &qdrant.Struct{}
			v.Kind = &qdrant.Value_StructValue{StructValue: s}
		}
		if s.Fields == nil {
			s.Fields = map[string]*qdrant.Value{}
		}
		return s.Fields
	}
	if len(steps) == 0 {
		m := object()
		for k, pv := range patch {
			if isNull(pv) {
				delete(m, k)
			} else {
				m[k] = pv
			}
		}
		return
	}
	list, isList := v.GetKind().(*qdrant.Value_ListValue)
	switch s := steps[0]; s.kind {
	case stepKey:
		setKey(object(), s.key, steps[1:], patch)
	case stepIndex:
		if !isList {
			v.Kind = &qdrant.Value_ListValue{ListValue: &qdrant.ListValue{}}
		} else if vs := list.ListValue.GetValues(); s.index < len(vs) {
			setValue(vs[s.index], steps[1:], patch)
		}
	default:
		if !isList {
			v.Kind = &qdrant.Value_ListValue{ListValue: &qdrant.ListValue{}}
			return
		}
		for _, el := range list.ListValue.GetValues() {
			setValue(el, steps[1:], patch)
		}
	}
}

// removeAt deletes what lies at the paths.
func removeAt(payload []byte, paths []path) ([]byte, error) {
	m, err := decodePayload(payload)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if len(p.steps) == 1 {
			delete(m, p.steps[0].key)
		} else if v := m[p.steps[0].key]; v != nil {
			removeValue(v, p.steps[1:])
		}
	}
	return encodePayload(m)
}

func removeValue(v *qdrant.Value, steps []step) {
	list, isList := v.GetKind().(*qdrant.Value_ListValue)
	s, last := steps[0], len(steps) == 1
	switch s.kind {
	case stepKey:
		fields := v.GetStructValue().GetFields()
		if last {
			delete(fields, s.key)
		} else if el := fields[s.key]; el != nil {
			removeValue(el, steps[1:])
		}
	case stepIndex:
		// Removing one element would shift the others and not be idempotent: Qdrant leaves it alone too.
		if !isList || last {
			return
		}
		if vs := list.ListValue.GetValues(); s.index < len(vs) {
			removeValue(vs[s.index], steps[1:])
		}
	default:
		if !isList {
			return
		}
		if last {
			list.ListValue.Values = nil
			return
		}
		for _, el := range list.ListValue.GetValues() {
			removeValue(el, steps[1:])
		}
	}
}
