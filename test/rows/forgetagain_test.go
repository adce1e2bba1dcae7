package rows

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
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

// Over NATS nobody waits for the answer: the refusal is a dead letter, for a turn with an id of its own.
func TestWhatWasForgottenAndComesAgainByNATSIsADeadLetter(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
	c := s.As(t, "")
	js, err := jetstream.New(stacktest.Dial(t, s.Connect(t)))
	if err != nil {
		t.Fatal(err)
	}
	c.Put(turn("c", "My locker code word is zanzibar.", ""))
	body, err := c.Event(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	forget(t, c, schema.Forget{User: "ann", All: true})
	if _, err := js.Publish(t.Context(), events.InSubject(c.Name), body); err != nil {
		t.Fatal(err)
	}
	dlq, err := js.Stream(t.Context(), events.StreamDLQ)
	if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(20 * time.Second); ; {
		info, err := dlq.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.State.Msgs == 1 {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("%d dead letters, want 1", info.State.Msgs)
		}
	}
	if got := there(t, c, "c"); len(got) != 0 {
		t.Error("it can be read again")
	}
}
