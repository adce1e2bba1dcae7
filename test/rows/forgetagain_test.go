package rows

import (
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// What is published again under its id after it was forgotten is refused, not answered as stored: it is not. Under
// another id it is remembered.
func TestWhatWasForgottenNeedsAnotherIDToBeSaidAgain(t *testing.T) {
	for name, x := range map[string]struct {
		req   schema.Forget
		twice bool // once more when the request has been carried out
	}{
		"all, at once":   {schema.Forget{User: "ann", All: true}, false},
		"match, at once": {schema.Forget{User: "ann", Match: "ZANZIBAR"}, false},
		"all":            {schema.Forget{User: "ann", All: true}, true},
		"ids":            {schema.Forget{User: "ann", IDs: []string{"c", "m", "p"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := tenant(t)
			said := turn("c", "My locker code word is zanzibar.", "")
			w := schema.MemoryWrite{ID: "m", User: "ann", Type: schema.TypeFact, Content: "The spare key is under the Zanzibar pot."}
			p := schema.Pin{ID: "p", User: "ann", Content: "Never mention Zanzibar."}
			again := func() [3]error {
				_, turnErr := c.Publish(t.Context(), said)
				_, memErr := c.Remember(t.Context(), w)
				_, pinErr := c.Pin(t.Context(), p)
				return [3]error{turnErr, memErr, pinErr}
			}
			for i, err := range again() {
				if err != nil {
					t.Fatalf("first, %d: %v", i, err)
				}
			}
			c.Settle()
			for i, err := range again() {
				if err != nil {
					t.Errorf("the same again, %d: %v", i, err)
				}
			}
			if _, err := c.Forget(t.Context(), x.req); err != nil {
				t.Fatal(err)
			}
			if x.twice {
				c.Settle()
			}
			for i, err := range again() {
				if schema.CodeOf(err) != schema.CodeConflict {
					t.Errorf("after it was forgotten, %d: %v, want a conflict", i, err)
				}
			}
			other := said
			other.ID = "c2"
			c.Put(other)
			if got := there(t, c, "c2"); len(got) != 1 {
				t.Error("under another id it is not remembered")
			}
		})
	}
}
