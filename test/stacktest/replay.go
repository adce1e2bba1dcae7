package stacktest

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Finished waits until a job has ended and returns it; one that failed fails the test.
func (c *Tenant) Finished(id string) schema.Job {
	c.t.Helper()
	var job schema.Job
	Eventually(c.t, "the end of "+id, func() error {
		var err error
		if job, err = c.Job(c.t.Context(), id); err != nil {
			return err
		}
		if job.State == schema.JobRunning {
			return fmt.Errorf("%d of %d, %+v", job.Done, job.Total, job.Replay)
		}
		return nil
	})
	if job.State == schema.JobFailed {
		c.t.Fatalf("%s failed: %+v", id, job.Error)
	}
	return job
}

// Replayed replays the log and waits until the new generation is filled.
func (c *Tenant) Replayed(r schema.ReplayRequest) schema.Job {
	c.t.Helper()
	id, err := c.Replay(c.t.Context(), r)
	if err != nil {
		c.t.Fatalf("replay %+v: %v", r, err)
	}
	return c.Finished(id)
}

// Hash is the hash of a generation once nothing is on its way in it.
func (c *Tenant) Hash(generation int) schema.Snapshot {
	c.t.Helper()
	var snap schema.Snapshot
	Eventually(c.t, "a settled generation", func() error {
		id, err := c.Snapshot(c.t.Context(), generation)
		if err != nil {
			return err
		}
		snap = *c.Finished(id).Snapshot
		if !snap.Settled {
			return fmt.Errorf("not settled: %+v", snap)
		}
		return nil
	})
	return snap
}

// Differences are the points that two generations hold differently, at most so many of each collection: for the message
// of a test whose hashes differ.
func (s *Stack) Differences(t testing.TB, a, b, most int) []string {
	t.Helper()
	c := s.Connect(t)
	store, err := qdrant.New(qdrant.Options{URL: "http://" + c.Qdrant.Addr, APIKey: c.Qdrant.Key})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var out []string
	for _, col := range schema.Collections {
		all := map[string][2]string{}
		for i, gen := range []int{a, b} {
			for cursor := ""; ; {
				ps, next, err := store.Scroll(t.Context(), gen, col, schema.Filter{}, qdrant.ScrollOptions{Limit: 1000, Cursor: cursor, Vectors: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range ps {
					maps.DeleteFunc(p.Payload, func(k string, _ any) bool { // what the hash leaves out
						gone := p.Payload[schema.KeyOutcome] == string(schema.OutcomeForgotten)
						return k == "replaced" || gone && (k == "facts" || strings.HasPrefix(k, schema.KeyDone))
					})
					text, err := json.Marshal(p)
					if err != nil {
						t.Fatal(err)
					}
					both := all[p.ID]
					both[i] = string(text)
					all[p.ID] = both
				}
				if cursor = next; cursor == "" {
					break
				}
			}
		}
		n := 0
		for id, both := range all {
			if both[0] != both[1] && n < most {
				n++
				out = append(out, fmt.Sprintf("%s %s\n\t%d: %s\n\t%d: %s", col, id, a, cut(both[0], both[1]), b, cut(both[1], both[0])))
			}
		}
	}
	return out
}

// cut is s from shortly before where it differs from other.
func cut(s, other string) string {
	i := 0
	for i < len(s) && i < len(other) && s[i] == other[i] {
		i++
	}
	return s[max(0, i-100):min(len(s), i+500)]
}
