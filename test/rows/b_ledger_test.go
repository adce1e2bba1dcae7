package rows

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// While turns of all fates flow, of two tenants, every look at a ledger finds each accepted event in exactly one place, and
// the reasons sum up to the places that they explain.
func TestB2_TheLedgerAddsUpAtAnyMoment(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
	tenants := []*stacktest.Tenant{s.As(t, "ledger-a"), s.As(t, "ledger-b")}
	const rounds, each = 8, 25
	holds := func(st schema.StatusReply) error {
		l := st.Ledger
		if sum := l.Indexed + l.Duplicate + l.Dropped + l.Dead + l.Forgotten + l.Pending; sum != l.Accepted {
			return fmt.Errorf("%d are accounted for of %d: %+v", sum, l.Accepted, l)
		}
		sum := uint64(0)
		for _, n := range st.Reasons.Dropped {
			sum += n
		}
		if sum != l.Dropped || st.Reasons.Conflict > l.Duplicate {
			return fmt.Errorf("reasons %+v of %+v", st.Reasons, l)
		}
		return nil
	}
	var flow sync.WaitGroup
	for n, c := range tenants {
		flow.Go(func() {
			for r := range rounds {
				var turns []schema.Turn
				for i := range each {
					id := fmt.Sprintf("%d-%d-%d", n, r, i)
					if i%5 == 0 {
						turns = append(turns, schema.Turn{ID: id, User: "ann", At: day, ToolResults: []schema.ToolResult{tool("todo_write", "1. plan "+id)}})
						continue
					}
					turns = append(turns, turn(id, "Shelf "+id+" holds jars.", "Noted."))
				}
				turns = append(turns, turns[1]) // again
				c.PutMany(turns)
				if _, err := c.Forget(t.Context(), schema.Forget{User: "ann", IDs: []string{turns[2].ID}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { flow.Wait(); close(over) }()
	looks, busy := 0, 0
	last := map[string]uint64{}
	for flowing := true; flowing; {
		select {
		case <-over:
			flowing = false
		default:
		}
		for _, c := range tenants {
			st, err := c.Status(t.Context())
			if err == nil {
				err = holds(st)
			}
			if err != nil {
				t.Fatal(err)
			}
			if st.Ledger.Accepted < last[c.Name] {
				t.Fatalf("accepted went from %d to %d", last[c.Name], st.Ledger.Accepted)
			}
			if last[c.Name] = st.Ledger.Accepted; st.Ledger.Pending > 0 {
				busy++
			}
			looks++
		}
	}
	if busy == 0 {
		t.Errorf("none of %d looks found anything pending", looks)
	}
	for _, c := range tenants {
		st := c.Settle()
		if err := holds(st); err != nil {
			t.Error(err)
		}
		want := schema.Ledger{Accepted: rounds * each, Indexed: rounds * (each*4/5 - 1), Dropped: rounds * each / 5, Forgotten: rounds}
		if st.Ledger != want || st.Reasons.Dropped["not_ingested"] != want.Dropped {
			t.Errorf("%s: %+v, want %+v; reasons %+v", c.Name, st.Ledger, want, st.Reasons)
		}
	}
}
