package upkeep

import (
	"context"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// emptyLog is a log without entries.
type emptyLog struct{ AuditLog }

func (emptyLog) Audit(context.Context, string, uint64, func(schema.Event, error) error) error {
	return nil
}

// oneGhost is a store that holds a point of no entry.
type oneGhost struct{ AuditStore }

func (oneGhost) Some(_ context.Context, _ int, col schema.Collection, _ schema.Filter, _ []string, _ string) ([]schema.Point, string, error) {
	if col != schema.Events {
		return nil, "", nil
	}
	return []schema.Point{{ID: "p", Payload: map[string]any{schema.KeyEvent: "p", schema.KeySeq: 3}}}, "", nil
}

func (oneGhost) GetKeys(context.Context, int, schema.Collection, []string, ...string) ([]schema.Point, error) {
	return nil, nil
}

// removing counts the points that are deleted.
type removing struct {
	oneGhost
	deleted *int
}

func (removing) GetKeys(context.Context, int, schema.Collection, []string, ...string) ([]schema.Point, error) {
	return []schema.Point{{ID: "p", Payload: map[string]any{schema.KeyOwner: "acme.ann"}}}, nil
}

func (r removing) Apply(_ context.Context, _ int, ws []schema.Write) error {
	*r.deleted += len(ws)
	return nil
}

// What is left in the stores of entries that the log has lost is not deleted as a ghost.
func TestARepairKeepsWhatIsLeftOfLostEntries(t *testing.T) {
	for name, c := range map[string]struct {
		lost []schema.LogFault
		want bool
	}{
		"a sound log":        {nil, true},
		"a log that lacks 3": {[]schema.LogFault{{Kind: schema.LogMissing, From: 3, To: 3}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			deleted := 0
			a := &Auditor{
				Log: emptyLog{}, Store: removing{deleted: &deleted},
				Settled: func(context.Context, int) (uint64, error) { return 5, nil },
				Verify:  func(context.Context) ([]schema.LogFault, error) { return c.lost, nil },
				Pause:   func(context.Context, time.Duration) error { return nil },
			}
			if _, err := a.Run(t.Context(), 1, func(uint64) bool { return true }, "acme", schema.AuditRequest{Repair: true}, func(uint64, uint64) {}); err != nil {
				t.Fatal(err)
			}
			if (deleted > 0) != c.want {
				t.Errorf("%d points were deleted", deleted)
			}
		})
	}
}

// A fault is looked at twice before it is told; the log is read against its witness a second time only where it was not what
// was witnessed.
func TestAnAuditReadsASoundLogOnce(t *testing.T) {
	for name, c := range map[string]struct {
		lost []schema.LogFault
		want int
	}{
		"sound": {nil, 1},
		"not":   {[]schema.LogFault{{Kind: schema.LogMissing, From: 2, To: 2}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			reads := 0
			a := &Auditor{
				Log: emptyLog{}, Store: oneGhost{},
				Settled: func(context.Context, int) (uint64, error) { return 5, nil },
				Verify:  func(context.Context) ([]schema.LogFault, error) { reads++; return c.lost, nil },
				Pause:   func(context.Context, time.Duration) error { return nil },
			}
			rep, err := a.Run(t.Context(), 1, func(uint64) bool { return true }, "acme", schema.AuditRequest{}, func(uint64, uint64) {})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Kinds[schema.AuditGhost] != 1 || rep.Kinds[schema.AuditLost] != uint64(len(c.lost)) {
				t.Errorf("found %v", rep.Kinds)
			}
			if reads != c.want {
				t.Errorf("the log is read %d times, want %d", reads, c.want)
			}
		})
	}
}
