package rows

import (
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// What is published again under its id after it was forgotten is a retry that is told so, through every door: a single
// turn, a batch, a memory and a pin. Under another id it is remembered.
func TestARetryOfWhatWasForgottenIsToldSo(t *testing.T) {
	for name, carriedOut := range map[string]bool{"at once": false, "when it is carried out": true} {
		t.Run(name, func(t *testing.T) {
			c := tenant(t)
			said := turn("c", "My locker code word is zanzibar.", "")
			w := schema.MemoryWrite{ID: "m", User: "ann", Type: schema.TypeFact, Content: "The spare key is under the Zanzibar pot."}
			p := schema.Pin{ID: "p", User: "ann", Content: "Never mention Zanzibar."}
			again := func(want bool) {
				t.Helper()
				one, err := c.Publish(t.Context(), said)
				if err != nil || !one.Duplicate || one.Forgotten != want {
					t.Errorf("turn: %+v, %v", one, err)
				}
				many := c.PutMany([]schema.Turn{said})
				if len(many.Accepted) != 1 || !many.Accepted[0].Duplicate || many.Accepted[0].Forgotten != want {
					t.Errorf("batch: %+v", many)
				}
				m, err := c.Remember(t.Context(), w)
				if err != nil || !m.Duplicate || m.Forgotten != want {
					t.Errorf("memory: %+v, %v", m, err)
				}
				pin, err := c.Pin(t.Context(), p)
				if err != nil || !pin.Duplicate || pin.Forgotten != want {
					t.Errorf("pin: %+v, %v", pin, err)
				}
			}
			c.Put(said)
			if _, err := c.Remember(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Pin(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			c.Settle()
			again(false)
			if _, err := c.Forget(t.Context(), schema.Forget{User: "ann", All: true}); err != nil {
				t.Fatal(err)
			}
			if carriedOut {
				c.Settle()
			}
			again(true)
			said.ID = "c2"
			c.Put(said)
			r := c.Ask(schema.Query{User: "ann", Query: "What is my locker code word?"})
			if !strings.Contains(r.Block, "zanzibar") {
				t.Errorf("said again under another id: %+v", r)
			}
		})
	}
}
