package schema

import (
	"reflect"
	"strings"
	"testing"
)

func TestErasureValidate(t *testing.T) {
	r := func(ns ...uint64) (out []SequenceRange) {
		for i := 0; i < len(ns); i += 2 {
			out = append(out, SequenceRange{ns[i], ns[i+1]})
		}
		return out
	}
	for name, x := range map[string]struct {
		e     Erasure
		field string
	}{
		"mark":          {Erasure{ID: "e", Whose: "f0"}, ""},
		"sequences":     {Erasure{ID: "e", Sequences: r(1, 1, 3, 9)}, ""},
		"adjacent":      {Erasure{ID: "e", Sequences: r(1, 1, 2, 2)}, ""},
		"no id":         {Erasure{Whose: "f0"}, "id"},
		"neither":       {Erasure{ID: "e"}, "sequences"},
		"both":          {Erasure{ID: "e", Whose: "f0", Sequences: r(1, 1)}, "sequences"},
		"zero":          {Erasure{ID: "e", Sequences: r(0, 1)}, "sequences"},
		"overlap":       {Erasure{ID: "e", Sequences: r(1, 3, 3, 4)}, "sequences"},
		"falls":         {Erasure{ID: "e", Sequences: r(5, 6, 1, 2)}, "sequences"},
		"upside down":   {Erasure{ID: "e", Sequences: r(5, 4)}, "sequences"},
		"too many":      {Erasure{ID: "e", Sequences: make([]SequenceRange, MaxErasureRanges+1)}, "sequences"},
		"last sequence": {Erasure{ID: "e", Sequences: r(1, ^uint64(0))}, ""},
	} {
		field := ""
		if err := x.e.Validate(); err != nil {
			field = err.(*Error).Field
		}
		if field != x.field {
			t.Errorf("%s: faulty is %q, want %q", name, field, x.field)
		}
	}
}

func TestAddSequenceJoinsWhatLiesSideBySide(t *testing.T) {
	var rs []SequenceRange
	for _, n := range []uint64{1, 2, 3, 7, 9, 10} {
		rs = AddSequence(rs, n)
	}
	if want := []SequenceRange{{1, 3}, {7, 7}, {9, 10}}; !reflect.DeepEqual(rs, want) {
		t.Errorf("%v, want %v", rs, want)
	}
}

func TestErasureKeyTellsOwnersApartAndNamesNone(t *testing.T) {
	a, b := ErasureKey(strings.Repeat("a", 32)), ErasureKey(strings.Repeat("b", 32))
	ann, bob := Owner("acme", "ann"), Owner("acme", "bob")
	if again := a.Of(ann); a.Of(ann) != again || a.Of(ann) == a.Of(bob) || a.Of(ann) == b.Of(ann) {
		t.Error("marks are not one an owner and key")
	}
	// Computed with another implementation: Python's hmac.new(b"a"*32, b"acme.ann", "sha256").
	if got, want := a.Of(ann), "3c8b390fdfe4e0e77aeede67e69fec4d8252b92e980a0c91a6076eb7d9453dca"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
