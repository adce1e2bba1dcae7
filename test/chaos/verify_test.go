//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// findings are what is wrong in the end, by kind, as far as it is told.
type findings struct {
	lost    []string // acknowledged, and not in the log as it was
	faults  []string // of the audits
	unequal []string // counts that do not add up
}

func (f findings) none() bool { return len(f.lost)+len(f.faults)+len(f.unequal) == 0 }

func (f findings) String() string {
	show := func(name string, s []string) string {
		if len(s) == 0 {
			return ""
		}
		return fmt.Sprintf("%d %s: %v\n", len(s), name, s[:min(len(s), 20)])
	}
	return show("lost", f.lost) + show("faults", f.faults) + show("counts", f.unequal)
}

// tally is what a run had to do with.
type tally struct {
	entries, distinct, dead, forgotten, dropped, indexed, duplicate uint64
}

// verify holds what was acknowledged and what must become of it against the log and the stores, once nothing is on its
// way any more. Whole says that everything was acknowledged, so that what there is can be counted beforehand.
func verify(t *testing.T, s *stacktest.Stack, connect string, w *workload, acked map[string]uint64, whole bool) (findings, tally) {
	t.Helper()
	var f findings
	var all tally
	log, closing, err := openLog(t.Context(), connect)
	if err != nil {
		t.Fatal(err)
	}
	defer closing()
	for _, tenant := range tenants {
		c := s.As(t, tenant)
		begun := time.Now()
		settled := settledLedger(t, c)
		settling := time.Since(begun)
		entries, seen := uint64(0), map[string]bool{}
		places := map[string][]uint64{}
		err := log.Audit(t.Context(), tenant, math.MaxUint64, func(ev schema.Event, damage error) error {
			entries++
			e := w.events[key(tenant, ev.ID)]
			switch {
			case damage != nil:
				f.lost = append(f.lost, fmt.Sprintf("%s at %d is damaged: %v", ev.ID, ev.Seq, damage))
			case e == nil:
				f.faults = append(f.faults, fmt.Sprintf("%s at %d was never published", ev.ID, ev.Seq))
			case e.body != nil && string(e.body) != string(ev.Body):
				f.lost = append(f.lost, fmt.Sprintf("%s at %d has other bytes", ev.ID, ev.Seq))
			}
			seen[ev.ID] = true
			places[ev.ID] = append(places[ev.ID], ev.Seq)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := schema.Ledger{Accepted: entries, Duplicate: entries - uint64(len(seen))}
		for _, e := range w.events {
			if e.tenant != tenant {
				continue
			}
			seq, ok := acked[key(tenant, e.id)]
			if !ok && whole {
				f.lost = append(f.lost, e.id+" was never acknowledged")
			}
			if ok && !slices.Contains(places[e.id], seq) {
				f.lost = append(f.lost, fmt.Sprintf("%s was acknowledged at %d, and is at %v", e.id, seq, places[e.id]))
			}
			if !whole {
				continue
			}
			switch e.fate {
			case indexed:
				want.Indexed++
			case dropped:
				want.Dropped++
			case dead:
				want.Dead++
			case forgotten:
				want.Forgotten++
				if raw, err := c.Event(t.Context(), e.id); schema.CodeOf(err) != schema.CodeNotFound {
					f.faults = append(f.faults, fmt.Sprintf("%s was forgotten, and is %d bytes, %v", e.id, len(raw), err))
				}
			}
		}
		ls, err := letters(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		buried := map[string]bool{} // a replay buries them again
		for _, l := range ls {
			buried[l.Event] = true
			if e := w.events[key(tenant, l.Event)]; e == nil || e.fate != dead {
				f.faults = append(f.faults, fmt.Sprintf("%s of %s has a dead letter of %s: %s", l.Event, tenant, l.Stage, l.Reason))
			}
		}
		if whole && uint64(len(buried)) != want.Dead {
			f.unequal = append(f.unequal, fmt.Sprintf("%s: %d events have dead letters, want %d", tenant, len(buried), want.Dead))
		}
		walked := time.Since(begun) - settling
		a := audit(t, c)
		t.Logf("%s: settled in %s, %d entries read in %s, audited in %s", tenant, settling.Round(time.Millisecond), entries, walked.Round(time.Millisecond), (time.Since(begun) - settling - walked).Round(time.Millisecond))
		for _, x := range a.Found {
			f.faults = append(f.faults, fmt.Sprintf("%+v", x))
		}
		if !whole {
			want = a.Ledger
			if sum := want.Indexed + want.Duplicate + want.Dropped + want.Dead + want.Forgotten; want.Pending != 0 || sum != entries || want.Accepted != entries {
				f.unequal = append(f.unequal, fmt.Sprintf("%s: the audit counts %+v of %d entries", tenant, want, entries))
			}
		}
		if a.Ledger != want {
			f.unequal = append(f.unequal, fmt.Sprintf("%s: the audit counts %+v, want %+v", tenant, a.Ledger, want))
		}
		if settled != want {
			f.unequal = append(f.unequal, fmt.Sprintf("%s: the ledger counts %+v, want %+v", tenant, settled, want))
		}
		all.entries += entries
		all.distinct += uint64(len(seen))
		all.dead += want.Dead
		all.forgotten += want.Forgotten
		all.dropped += want.Dropped
		all.indexed += want.Indexed
		all.duplicate += want.Duplicate
	}
	return f, all
}

// settledLedger waits until everything of a tenant is settled, and tells now and then what that waits for.
func settledLedger(t *testing.T, c *stacktest.Tenant) schema.Ledger {
	t.Helper()
	told := time.Now()
	var l schema.Ledger
	stacktest.Eventually(t, "the tenant to be idle", func() error {
		st, err := c.Status(t.Context())
		if err == nil && !st.Idle {
			err = fmt.Errorf("floor %d of %d, ledger %+v, stages %+v", st.Floor, st.LastSeq, st.Ledger, st.Stages)
		}
		if err != nil && time.Since(told) > 10*time.Second {
			told = time.Now()
			t.Log(err)
		}
		l = st.Ledger
		return err
	})
	return l
}

// audit is what siltstone audit tells of a tenant.
func audit(t *testing.T, c *stacktest.Tenant) schema.Audit {
	t.Helper()
	id, err := c.Audit(t.Context(), schema.AuditRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return *c.Finished(id).Audit
}

// letters are the dead letters of a tenant.
func letters(ctx context.Context, c *stacktest.Tenant) (out []schema.DeadLetter, err error) {
	for cursor := ""; ; {
		l, err := c.DeadLetters(ctx, cursor, 100)
		if err != nil {
			return out, err
		}
		out = append(out, l.Items...)
		if cursor = l.Cursor; cursor == "" {
			return out, nil
		}
	}
}
