package client_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// ingester answers as silt.ingest and silt.status do, and notes which requests ask to wait. A line that holds "bad" is
// refused, one that holds "old" is in the log since before all others.
type ingester struct {
	mu        sync.Mutex
	seq       uint64
	waits     []bool
	statuses  int
	unsettled int // so many times the status tells a floor below the last sequence
}

func (i *ingester) serve(t *testing.T, nc *nats.Conn) {
	t.Helper()
	answer := func(m *nats.Msg, v any) {
		b, err := json.Marshal(v)
		if err == nil {
			err = m.Respond(b)
		}
		if err != nil {
			t.Errorf("answer %s: %v", m.Subject, err)
		}
	}
	for subject, fn := range map[string]nats.MsgHandler{
		events.SubjectIngest: func(m *nats.Msg) {
			i.mu.Lock()
			defer i.mu.Unlock()
			wait := m.Header.Get("Silt-Wait") == "indexed"
			i.waits = append(i.waits, wait)
			var out schema.BatchReply
			for num, line := range slices.Collect(bytes.Lines(m.Data)) {
				switch {
				case bytes.Contains(line, []byte("bad")):
					out.Rejected = append(out.Rejected, schema.Rejected{Line: num + 1, Error: schema.WireError{Code: schema.CodeInvalid}})
				case bytes.Contains(line, []byte("old")):
					out.Accepted = append(out.Accepted, schema.Accepted{Seq: 1, Duplicate: true})
				default:
					i.seq++
					out.Accepted = append(out.Accepted, schema.Accepted{Seq: 1 + i.seq})
				}
			}
			var indexed *bool
			if yes := true; wait && len(out.Accepted) > 0 {
				indexed = &yes
			}
			if m.Header.Get("Content-Type") == "" {
				out.Accepted[0].Indexed = indexed
				answer(m, out.Accepted[0])
				return
			}
			out.Indexed = indexed
			answer(m, out)
		},
		events.SubjectStatus: func(m *nats.Msg) {
			i.mu.Lock()
			defer i.mu.Unlock()
			floor := i.seq + 1
			if i.statuses++; i.statuses <= i.unsettled {
				floor--
			}
			answer(m, schema.StatusReply{Floor: floor})
		},
	} {
		sub, err := nc.Subscribe(subject, fn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = sub.Unsubscribe() })
	}
}

// A batch of many requests waits for the index once, and what it says is true of all of it.
func TestABatchWaitsOnce(t *testing.T) {
	nc, _ := broker(t, nil)
	long := strings.Repeat("x", int(nc.MaxPayload())-1024) // in a request of its own, with the claim's body in the object store
	turns := func(n int) string {
		return strings.Repeat(`{"id":"a","user":"u","input":"x"}`+"\n", n)
	}
	longTurn := `{"id":"long","user":"u","input":"` + long + `"}` + "\n"
	for name, x := range map[string]struct {
		body     string
		requests int
		statuses int
	}{
		"many requests":         {turns(1600), 4, 0},
		"full requests":         {turns(1000), 2, 0},
		"long lines between":    {turns(10) + longTurn + turns(10) + longTurn + turns(10), 5, 0},
		"a long line at last":   {turns(600) + longTurn + "\n \n", 3, 0},
		"the last are refused":  {turns(500) + `{"bad":1}`, 2, 3},
		"the last are old":      {turns(500) + `{"old":1}`, 2, 3},
		"all of it is refused":  {strings.Repeat(`{"bad":1}`+"\n", 600), 2, 0},
		"nothing at all":        {"\n\n", 0, 0},
		"one line without end":  {strings.TrimSuffix(turns(1), "\n"), 1, 0},
		"refused, then old too": {turns(499) + `{"bad":1}` + "\n" + `{"old":1}`, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			i := &ingester{unsettled: 2}
			i.serve(t, nc)
			out, err := over(t, nc).PublishBatch(t.Context(), strings.NewReader(x.body), client.WaitIndexed())
			if err != nil {
				t.Fatal(err)
			}
			want := make([]bool, x.requests)
			if x.requests > 0 {
				want[x.requests-1] = true
			}
			if !slices.Equal(i.waits, want) || i.statuses != x.statuses {
				t.Errorf("the requests ask to wait: %v, want %v; %d statuses, want %d", i.waits, want, i.statuses, x.statuses)
			}
			if indexed := out.Indexed != nil && *out.Indexed; indexed != (len(out.Accepted) > 0) {
				t.Errorf("of %d turns accepted all are indexed: %v", len(out.Accepted), indexed)
			}
			if lines := len(strings.Fields(strings.ReplaceAll(x.body, " ", ""))); len(out.Accepted)+len(out.Rejected) != lines {
				t.Errorf("%d accepted and %d rejected of %d", len(out.Accepted), len(out.Rejected), lines)
			}
		})
	}
	i := &ingester{}
	i.serve(t, nc)
	if out, err := over(t, nc).PublishBatch(t.Context(), strings.NewReader(turns(600))); err != nil || out.Indexed != nil || slices.Contains(i.waits, true) {
		t.Errorf("without the option: %v %v %v", out.Indexed, i.waits, err)
	}
}
