package intake

import (
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestExplicitWritesAreOpsOfTheirClassAndUser(t *testing.T) {
	w := &world{}
	in := newTest(t, w)
	m := schema.MemoryWrite{User: "u", Type: schema.TypeFact, Content: "x"}
	a, err := in.Memory(t.Context(), "t", schema.ClassOperator, "w-1", m)
	if err != nil || a.ID != "w-1" || a.Seq != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	b, err := in.Pin(t.Context(), "t", schema.ClassUser, "", schema.Pin{User: "u", Content: "x"})
	if err != nil || b.ID != "drawn-1" || b.Seq != 2 {
		t.Fatalf("%+v, %v", b, err)
	}
	for i, want := range []schema.Envelope{{Op: schema.OpMemory, Class: schema.ClassOperator, ID: "w-1"}, {Op: schema.OpPin, Class: schema.ClassUser, ID: "drawn-1"}} {
		got := w.log[i]
		if got.Op != want.Op || got.Class != want.Class || got.ID != want.ID || got.User != "u" || got.Tenant != "t" || !got.At.Equal(now) ||
			got.UUID != schema.EventUUID("t", want.ID) || got.BodyHash != schema.Hash(got.Body) {
			t.Errorf("entry %d is %+v", i, got.Envelope)
		}
	}
	// Beyond the log's window of duplicates the index tells.
	w.points = map[string]map[string]any{schema.EventUUID("t", "w-1"): {schema.KeyBodyHash: w.log[0].BodyHash, schema.KeySeq: int64(1)}}
	if a, err := in.Memory(t.Context(), "t", schema.ClassOperator, "w-1", m); err != nil || a.Seq != 1 || !a.Duplicate {
		t.Errorf("again: %+v, %v", a, err)
	}
	m.Content = "y"
	if _, err := in.Memory(t.Context(), "t", schema.ClassOperator, "w-1", m); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("another body: %v", err)
	}
	if len(w.log) != 2 {
		t.Errorf("the log has %d entries", len(w.log))
	}
	for field, call := range map[string]func() error{
		"id":     func() error { _, err := in.Memory(t.Context(), "t", schema.ClassUser, "a*", m); return err },
		"tenant": func() error { _, err := in.Memory(t.Context(), "", schema.ClassUser, "", m); return err },
		"user": func() error {
			_, err := in.Pin(t.Context(), "t", schema.ClassUser, "", schema.Pin{Content: "x"})
			return err
		},
		"content": func() error {
			_, err := in.Pin(t.Context(), "t", schema.ClassUser, "", schema.Pin{User: "u"})
			return err
		},
	} {
		err := call()
		if e, ok := err.(*schema.Error); !ok || e.Code != schema.CodeInvalid || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
