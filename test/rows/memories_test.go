package rows

import (
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// must is what an explicit write is answered with, once it holds.
func must(t *testing.T, c *stacktest.Tenant) func(schema.Written, error) schema.Written {
	return func(w schema.Written, err error) schema.Written {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if w.ID == "" || w.Event == "" || w.Seq == 0 {
			t.Fatalf("answered with %+v", w)
		}
		c.Settle()
		return w
	}
}

func TestC1_AnExplicitMemoryIsFoundAndCarriesItsFields(t *testing.T) {
	for lang, x := range map[string]struct{ content, question, key string }{
		"en": {"The greenhouse key hangs behind the barometer.", "Where is the greenhouse key?", "barometer"},
		"zh": {"温室的钥匙挂在气压计后面。", "温室的钥匙在哪里？", "气压计"},
	} {
		t.Run(lang, func(t *testing.T) {
			c := tenant(t)
			share := .95
			w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypeFact, Content: x.content, Importance: &share}))
			it, ok := stacktest.Find(c.Ask(schema.Query{User: "ann", Query: x.question}).Items, x.key)
			if !ok || it.ID != w.ID || it.Importance != share || it.Confidence != 1 || !it.Explicit || it.Source.Class != schema.ClassUser || it.Source.Event != w.Event {
				t.Errorf("found %t: %+v", ok, it)
			}
			v, err := c.Memory(t.Context(), "ann", w.ID)
			if err != nil || v.Memory.Content != x.content || v.Memory.Kind == "" || v.Memory.ContentHash == "" || len(v.History) != 0 || len(v.Events) != 1 || v.Events[0].Seq != w.Seq {
				t.Errorf("the memory is %+v, %v", v, err)
			}
			if r := c.Ask(schema.Query{User: "bob", Query: x.question}); strings.Contains(r.Block, x.key) {
				t.Error("another user sees it")
			}
			balanced(t, c)
		})
	}
}

// balanced: explicit writes are in the ledger like any event.
func balanced(t *testing.T, c *stacktest.Tenant) {
	t.Helper()
	stacktest.Balanced(t, c.Settle().Ledger)
}
