package rows

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// TestB2_TheFirstBodyOfAnIDWinsWhoeverIsFaster: no clean runs while sixty ids are published with one body, and again
// with another and with the first once the log's window of duplicates has passed. Then two processes work on all of
// them at once: each id is the event that came first, every other entry is a duplicate, and none waits for ever.
func TestB2_TheFirstBodyOfAnIDWinsWhoeverIsFaster(t *testing.T) {
	s, at := servers(t)
	in := stacktest.Up(t, process(at, "ingester")).As(t, "entries")
	out := stacktest.Up(t, process(at, "retriever")).As(t, "entries")
	js, err := jetstream.New(stacktest.Dial(t, at))
	if err != nil {
		t.Fatal(err)
	}
	log, err := js.Stream(t.Context(), "SILT_LOG")
	if err != nil {
		t.Fatal(err)
	}
	cfg := log.CachedInfo().Config
	cfg.Duplicates = 100 * time.Millisecond
	if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}

	const n = 60
	said := func(i int, body string) schema.Turn {
		x := turn("id"+itoa(i), fmt.Sprintf("My locker number is %s%d.", body, i), "Noted.")
		x.User = "u" + itoa(i%5)
		return x
	}
	first := map[string]uint64{}
	publish := func(body string, count int) {
		t.Helper()
		var left []schema.Turn
		for i := range count {
			left = append(left, said(i, body))
		}
		stacktest.Eventually(t, "entries of ids that are there to be taken", func() error {
			r := in.PutMany(left)
			for _, a := range r.Accepted {
				if first[a.ID] == 0 {
					first[a.ID] = a.Seq
				}
				if !a.Duplicate {
					left = slices.DeleteFunc(left, func(x schema.Turn) bool { return x.ID == a.ID })
				}
			}
			if len(left) > 0 {
				return fmt.Errorf("%d are within the window: %+v", len(left), r.Rejected)
			}
			return nil
		})
	}
	publish("walrus", n)
	publish("needle-gannet", n)
	publish("walrus", n/3)

	workers := []config.Config{process(at, "distiller"), process(at, "distiller")}
	for i := range workers {
		workers[i].Pipeline.Window = 128
		stacktest.Up(t, workers[i])
	}
	l := in.Settle().Ledger
	stacktest.Balanced(t, l)
	if want := (schema.Ledger{Accepted: 2*n + n/3, Indexed: n, Duplicate: n + n/3}); l != want {
		t.Errorf("the ledger is %+v, want %+v", l, want)
	}
	for i := range n {
		id := "id" + itoa(i)
		st := out.What(id)
		if st.State != "indexed" || st.Seq != first[id] || !strings.Contains(segment(st, "input"), "walrus"+itoa(i)) {
			t.Errorf("%s is %s as entry %d (first was %d): %q", id, st.State, st.Seq, first[id], segment(st, "input"))
		}
	}
	for i := range 5 {
		q := ask("Which locker number is mine?")
		q.User = "u" + itoa(i)
		if items := out.Ask(q).Items; len(items) == 0 || !strings.Contains(contents(items)[0], "walrus") {
			t.Errorf("%s is answered with %v", q.User, contents(items))
		}
	}
	var stored []stacktest.Entry
	for _, e := range s.Scan(t).Everything() {
		if strings.HasPrefix(e.Where, "qdrant") || strings.HasPrefix(e.Where, "redis") {
			stored = append(stored, e)
		}
	}
	nowhere(t, stored, "needle-gannet")
	somewhere(t, stored, "walrus", "qdrant events", "qdrant facts", "qdrant triples")
}
