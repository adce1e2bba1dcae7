package upkeep

import (
	"context"
	"fmt"
	"sync"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// ForgetLog tells where the forget events in the log end.
type ForgetLog interface {
	// LastForget is the log sequence of the newest forget event, 0 where there is none, as the log's leader knows it.
	LastForget(ctx context.Context) (uint64, error)
}

// EventPoints reads the payload of one event point, nil where there is none.
type EventPoints interface {
	EventPoint(ctx context.Context, generation int, uuid string) (map[string]any, error)
}

// Marks holds every forget event of the log. One goroutine feeds it in order of the log ([Marks.Apply]); any
// number may ask.
type Marks struct {
	log    ForgetLog
	points EventPoints

	mu      sync.Mutex
	owners  map[string][]mark
	applied uint64
	moved   chan struct{} // closed and replaced whenever applied rises
}

type mark struct {
	seq    uint64
	forget schema.Forget
	match  string // folded
	ids    map[string]bool
}

// NewMarks returns marks without an event.
func NewMarks(log ForgetLog, points EventPoints) *Marks {
	return &Marks{log: log, points: points, owners: map[string][]mark{}, moved: make(chan struct{})}
}

// Apply adds one forget event. A body that cannot be read is an error: what it reaches is unknown.
func (m *Marks) Apply(ev schema.Event) error {
	f, err := schema.DecodeStored[schema.Forget](schema.OpForget, ev.Version, ev.Body)
	if err != nil {
		return fmt.Errorf("read forget event %s: %w", ev.UUID, err)
	}
	mk := mark{seq: ev.Seq, forget: f, match: text.FoldMatch(f.Match), ids: map[string]bool{}}
	for _, id := range f.IDs {
		mk.ids[id] = true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if ev.Seq <= m.applied {
		return nil
	}
	owner := schema.Owner(ev.Tenant, ev.User)
	m.owners[owner] = append(m.owners[owner], mk)
	m.applied = ev.Seq
	close(m.moved)
	m.moved = make(chan struct{})
	return nil
}

// of is a snapshot of an owner's marks; they are only ever appended to.
func (m *Marks) of(tenant, user string) []mark {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.owners[schema.Owner(tenant, user)]
}

// Hides reports whether a forget event reaches an item that is about to be shown. It does not block.
func (m *Marks) Hides(tenant, user string, it schema.Item) bool {
	var folded string
	for _, mk := range m.of(tenant, user) {
		f := mk.forget
		switch {
		case it.Source.Seq > mk.seq:
		case f.All,
			mk.ids[it.ID], mk.ids[it.Source.Event],
			f.Conversation != "" && f.Conversation == it.Conversation,
			!f.Before.IsZero() && it.ObservedAt.Before(f.Before):
			return true
		case mk.match != "":
			if folded == "" {
				folded = text.FoldMatch(it.Content)
			}
			if contains(folded, mk.match) {
				return true
			}
		}
	}
	return false
}

// Forgotten reports whether a forget event that was in the log when it was asked reaches ev. It asks the log's
// leader for the newest forget event and waits until that one is applied here.
func (m *Marks) Forgotten(ctx context.Context, ev schema.Event) (bool, error) {
	last, err := m.log.LastForget(ctx)
	if err != nil {
		return false, fmt.Errorf("ask for the last forget event: %w", err)
	}
	if last <= ev.Seq {
		return false, nil
	}
	if err := m.wait(ctx, last); err != nil {
		return false, err
	}
	byText := false
	for _, mk := range m.of(ev.Tenant, ev.User) {
		f := mk.forget
		switch {
		case ev.Seq > mk.seq:
		case f.All, mk.ids[ev.ID], !f.Before.IsZero() && ev.At.Before(f.Before):
			return true, nil
		default: // by text, conversation or a memory's id: the forgetter has resolved it on the event point
			byText = true
		}
	}
	if !byText {
		return false, nil
	}
	p, err := m.points.EventPoint(ctx, ev.Generation, ev.UUID)
	if err != nil {
		return false, fmt.Errorf("read event point %s: %w", ev.UUID, err)
	}
	return p[schema.KeyOutcome] == string(schema.OutcomeForgotten), nil
}

func (m *Marks) wait(ctx context.Context, seq uint64) error {
	for {
		m.mu.Lock()
		applied, moved := m.applied, m.moved
		m.mu.Unlock()
		if applied >= seq {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return schema.Retryable(schema.CodeUnavailable, 0, ctx.Err(), "forget events are known to %d, not yet to %d", applied, seq)
		}
	}
}
