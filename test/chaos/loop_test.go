//go:build chaos

package chaos

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// An event whose handler ends the process, servers and all, is found and goes to the dead letters, and it alone: whoever
// starts the process again and again has it running after a few times.
func TestB2_AnEventThatEndsTheWholeProcessGoesToTheDeadLetters(t *testing.T) {
	s := newSite(t)
	l := s.whole()
	c, err := l.Start(t)
	if err != nil {
		t.Fatal(err)
	}
	const n, most = 60, 8
	c.As(t, "loop").Put(turn(0))
	c.End()

	turns := make([][]byte, n)
	for i := range turns {
		turns[i] = encode(turn(i))
	}
	batch := bytes.Join(turns, []byte("\n"))
	l.Env = []string{crash.Variable + "=" + string(crash.HandlerBegin) + "@t30"}
	deaths, published := 0, false
	for {
		c, err := l.Start(t)
		if c == nil {
			t.Fatal(err)
		}
		if err == nil {
			if !published {
				cl, err := c.Bare("loop")
				if err != nil {
					t.Fatal(err)
				}
				out, err := cl.PublishBatch(t.Context(), bytes.NewReader(batch))
				published = err == nil && len(out.Accepted) == n
			}
			if settled(t, c) {
				break
			}
		}
		c.End()
		if p, ok := diedAt(c); !ok || p != crash.HandlerBegin {
			t.Fatalf("it ended by itself: %s", c.Logs)
		}
		if deaths++; deaths > most {
			t.Fatalf("the event has ended %d processes", deaths)
		}
	}
	v := (&stacktest.Stack{URL: s.url()}).As(t, "loop")
	if got := v.Settle().Ledger; got != (schema.Ledger{Accepted: n, Indexed: n - 1, Dead: 1}) {
		t.Errorf("the ledger is %+v", got)
	}
	if st := v.What("t30"); st.State != "dead" {
		t.Errorf("the event is %+v", st)
	}
	ds, err := v.DeadLetters(t.Context(), "", 10)
	if err != nil || len(ds.Items) != 1 || ds.Items[0].Event != "t30" {
		t.Errorf("dead letters %+v, %v", ds, err)
	}
	t.Logf("%d processes ended", deaths)
}

// settled waits until everything is settled (true), or the process is gone.
func settled(t *testing.T, c *stacktest.Child) (done bool) {
	t.Helper()
	cl, err := c.Bare("loop")
	if err != nil {
		t.Fatal(err)
	}
	stacktest.Eventually(t, "the turns to be settled, or the process to end", func() error {
		select {
		case <-c.Gone():
			return nil
		default:
		}
		st, err := cl.Status(t.Context())
		if err == nil && !st.Idle {
			err = fmt.Errorf("floor %d of %d", st.Floor, st.LastSeq)
		}
		done = err == nil
		return err
	})
	return done
}

// turn is one of a few plain ones.
func turn(i int) schema.Turn {
	return schema.Turn{ID: fmt.Sprint("t", i), User: fmt.Sprint("u", i%3), At: day, Input: fmt.Sprintf("The pump zq%dw is in the garden.", i), Response: "Noted."}
}
