package upkeep

import (
	"context"
	"fmt"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Entries reads single entries of the log.
type Entries interface {
	// Read is the entry with sequence seq, whole; a permanent error where it is not there or damaged.
	Read(ctx context.Context, seq uint64) (schema.Event, error)
}

// Again tells of what is published again under its id whether it was forgotten since. Safe for concurrent use.
type Again struct {
	Marks   *Marks
	Points  EventPoints
	Entries Entries
	Active  func() int // generation
}

// Forgotten implements intake.Forgotten. It brings the marks up to the log first, so that a request that another process has
// answered counts, too. Index and log are asked only for users who have asked to forget since the entry. Errors are
// retryable.
func (a *Again) Forgotten(ctx context.Context, evs []schema.Event) ([]bool, error) {
	if err := a.Marks.Load(ctx); err != nil {
		return nil, err
	}
	out := make([]bool, len(evs))
	for i, ev := range evs {
		if !a.Marks.since(ev) {
			continue
		}
		// Carried out, the point says so, also where the text or a memory's id took it along.
		p, err := a.Points.EventPoint(ctx, a.Active(), ev.UUID)
		if err != nil {
			return nil, fmt.Errorf("read event point %s: %w", ev.UUID, err)
		}
		if p[schema.KeyOutcome] == string(schema.OutcomeForgotten) {
			out[i] = true
			continue
		}
		// Until then the entry is asked, which has the time at which it happened: ev's may be that of today.
		switch entry, err := a.Entries.Read(ctx, ev.Seq); {
		case err == nil:
			ev = entry
		case !schema.IsPermanent(err):
			return nil, err
		}
		out[i] = a.Marks.HidesEntry(ev)
	}
	return out, nil
}

// since reports whether ev's user has asked to forget anything since ev.
func (m *Marks) since(ev schema.Event) bool {
	marks := m.of(ev.Tenant, ev.User)
	return len(marks) > 0 && marks[len(marks)-1].seq > ev.Seq
}
