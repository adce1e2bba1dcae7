package app

import (
	"context"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// memories is the side of explicit writes, as the HTTP edge calls it. Whoever holds the credential speaks for the
// user.
type memories struct{ *app }

const writerClass = schema.ClassUser

// Remember implements httpapi.MemoryWriter.
func (w memories) Remember(ctx context.Context, tenant string, m schema.MemoryWrite) (schema.Written, error) {
	if m.Delete {
		return schema.Written{}, schema.Invalid("delete", "stands for DELETE /v1/memories/{id}")
	}
	if err := lasts(m.ExpiresAt); err != nil {
		return schema.Written{}, err
	}
	id := m.ID
	m.ID = ""
	acc, err := w.intake.Memory(ctx, tenant, writerClass, id, m)
	return written(tenant, acc), err
}

// Pin implements httpapi.Pinner.
func (w memories) Pin(ctx context.Context, tenant string, p schema.Pin) (schema.Written, error) {
	if p.Delete {
		return schema.Written{}, schema.Invalid("delete", "stands for DELETE /v1/pins/{id}")
	}
	if err := lasts(p.ExpiresAt); err != nil {
		return schema.Written{}, err
	}
	id := p.ID
	p.ID = ""
	acc, err := w.intake.Pin(ctx, tenant, writerClass, id, p)
	return written(tenant, acc), err
}

// lasts refuses an end that is over: what is stated with it would be accepted and never shown.
func lasts(end time.Time) error {
	if !end.IsZero() && !end.After(time.Now()) {
		return schema.Invalid("expires_at", "%s is past: what is stated with it would never be shown", end.Format(time.RFC3339))
	}
	return nil
}

func written(tenant string, acc schema.Accepted) schema.Written {
	return schema.Written{ID: stages.ExplicitID(tenant, acc.ID, acc.Seq), Event: acc.ID, Seq: acc.Seq, Duplicate: acc.Duplicate, Forgotten: acc.Forgotten}
}

// EditMemory implements httpapi.MemoryWriter. The edit is a statement of its own that holds in the place of the old
// one, whole: what the patch leaves open is taken from what holds now, so the log is settled first. Of two edits at
// the same moment the later one in the log holds, with what it took from before the other.
func (w memories) EditMemory(ctx context.Context, tenant, id string, p schema.MemoryPatch) (schema.Written, error) {
	if err := schema.CheckID("user", p.User); err != nil {
		return schema.Written{}, err
	}
	if acc, ok, err := w.repeated(ctx, tenant, id, p); ok || err != nil {
		return written(tenant, acc), err
	}
	if err := lasts(p.ExpiresAt); err != nil {
		return schema.Written{}, err
	}
	if err := w.settle(ctx, tenant); err != nil {
		return schema.Written{}, err
	}
	head, err := w.head(ctx, tenant, p.User, id)
	if err != nil {
		return schema.Written{}, err
	}
	if head.Status != schema.StatusActive {
		return schema.Written{}, &schema.Error{Code: schema.CodeSuperseded, Field: "id", Message: "that memory is history; what holds instead is " + head.SupersededBy}
	}
	acc, err := w.intake.Memory(ctx, tenant, writerClass, p.ID, p.Changes(schema.MemoryWrite{
		ID: lineOf(&head), User: head.User, Type: head.Type, Content: head.Content,
		Importance: &head.Importance, Confidence: &head.Confidence, Pinned: &head.Pinned, ExpiresAt: head.ExpiresAt,
	}))
	return written(tenant, acc), err
}

// repeated answers a patch whose id the log knows: it was carried out if it asks for what was written then.
func (w memories) repeated(ctx context.Context, tenant, id string, p schema.MemoryPatch) (acc schema.Accepted, ok bool, err error) {
	if p.ID == "" {
		return acc, false, nil
	}
	pl, err := w.points.EventPoint(ctx, w.active(), schema.EventUUID(tenant, p.ID))
	if err != nil || pl == nil {
		return acc, false, err
	}
	seq, _ := pl[schema.KeySeq].(int64)
	ev, err := w.eventLog.Read(ctx, uint64(seq))
	if err != nil {
		return acc, false, err
	}
	taken := &schema.Error{Code: schema.CodeConflict, Field: "id", Message: "the id is taken by an event with another body"}
	if ev.Op != schema.OpMemory || ev.User != p.User {
		return acc, false, taken
	}
	was, err := schema.DecodeStored[schema.MemoryWrite](ev.Op, ev.Version, ev.Body)
	if err != nil {
		return acc, false, err
	}
	m, err := w.memory(ctx, tenant, p.User, id)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return acc, false, err
	}
	if err != nil || lineOf(&m) != was.ID || !asks(p, was) {
		return acc, false, taken
	}
	return schema.Accepted{ID: p.ID, Seq: ev.Seq, Duplicate: true}, true, nil
}

// asks reports whether p asks for nothing else than what was written.
func asks(p schema.MemoryPatch, was schema.MemoryWrite) bool {
	same := func(a, b *float64) bool { return a == nil || b != nil && *a == *b }
	return (p.Type == "" || p.Type == was.Type) && (p.Content == "" || p.Content == was.Content) &&
		same(p.Importance, was.Importance) && same(p.Confidence, was.Confidence) &&
		(p.Pinned == nil || was.Pinned != nil && *p.Pinned == *was.Pinned) && (p.ExpiresAt.IsZero() || p.ExpiresAt.Equal(was.ExpiresAt))
}

// DeleteMemory implements httpapi.MemoryWriter. All that the memory ever said by way of edits goes with it.
func (w memories) DeleteMemory(ctx context.Context, tenant, user, id string) (schema.Written, error) {
	m, err := w.look(ctx, tenant, user, id)
	if err != nil {
		return schema.Written{}, err
	}
	return w.drop(ctx, tenant, &m)
}

func (w memories) drop(ctx context.Context, tenant string, m *schema.Memory) (schema.Written, error) {
	acc, err := w.intake.Memory(ctx, tenant, writerClass, "", schema.MemoryWrite{ID: lineOf(m), User: m.User, Type: m.Type, Delete: true})
	return schema.Written{ID: m.ID, Event: acc.ID, Seq: acc.Seq}, err
}

// Unpin implements httpapi.Pinner: what was stated as a pin goes, and so does a rule, which stands in every block for being
// one; any other memory stays and is pinned no more.
func (w memories) Unpin(ctx context.Context, tenant, user, id string) (schema.Written, error) {
	if _, err := w.look(ctx, tenant, user, id); err != nil {
		return schema.Written{}, err
	}
	m, err := w.head(ctx, tenant, user, id)
	if err != nil {
		return schema.Written{}, err
	}
	if !m.Pinned && m.Type != schema.TypeConstraint {
		return schema.Written{}, noSuch()
	}
	first, err := w.memory(ctx, tenant, user, lineOf(&m))
	if err == nil && first.Rule == stages.RulePin || m.Type == schema.TypeConstraint {
		return w.drop(ctx, tenant, &m)
	}
	no := false
	return w.EditMemory(ctx, tenant, id, schema.MemoryPatch{User: user, Pinned: &no})
}

func noSuch() error {
	return &schema.Error{Code: schema.CodeNotFound, Field: "id", Message: "the user has no such memory"}
}

// look reads a memory; one that is not there may still be on its way, so it looks again once the log is settled.
func (w memories) look(ctx context.Context, tenant, user, id string) (schema.Memory, error) {
	m, err := w.memory(ctx, tenant, user, id)
	if schema.CodeOf(err) != schema.CodeNotFound {
		return m, err
	}
	if err := w.settle(ctx, tenant); err != nil {
		return m, err
	}
	return w.memory(ctx, tenant, user, id)
}

// settle waits until everything of the tenant is searchable, within the time limit of a query.
func (w memories) settle(ctx context.Context, tenant string) error {
	last, err := w.eventLog.Last(ctx, tenant)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Read.Timeout)
	defer cancel()
	return w.WaitFloor(ctx, w.active(), last)
}

// memory reads a memory of the user's that was not taken back.
func (w memories) memory(ctx context.Context, tenant, user, id string) (m schema.Memory, err error) {
	if err := schema.CheckID("user", user); err != nil {
		return m, err
	}
	if err := schema.CheckID("id", id); err != nil {
		return m, err
	}
	ms, err := slotReader{w.points, w.slots}.FactsByID(ctx, w.active(), schema.Owner(tenant, user), []string{id})
	if err != nil {
		return m, err
	}
	for _, m := range ms {
		if !schema.IsTarget(m.Slot) && m.Status != schema.StatusDeleted && !w.marks.Hides(tenant, user, schema.Item{ID: m.ID, Content: m.Content, Conversation: m.Conversation, ObservedAt: m.ObservedAt, Source: m.Source}) {
			return m, nil
		}
	}
	return m, noSuch()
}

// maxLine bounds the way from a memory to the statement that holds for it now.
const maxLine = 10_000

// head is the statement that holds for a memory now: the last of its line of edits, and of duplicates the canonical
// one or, once that was edited (the mark on the duplicate says so), the last of its edits. Where another statement superseded it, it is what was superseded.
func (w memories) head(ctx context.Context, tenant, user, id string) (schema.Memory, error) {
	m, err := w.memory(ctx, tenant, user, id)
	for range maxLine {
		if err != nil || m.Status == schema.StatusActive || m.SupersededBy == "" {
			return m, err
		}
		next, err := w.memory(ctx, tenant, user, m.SupersededBy)
		if err != nil {
			return m, err
		}
		if m.Status != schema.StatusDuplicate && m.Mark == "" && lineOf(&next) != lineOf(&m) {
			return m, nil
		}
		m = next
	}
	return m, schema.Permanent(schema.CodeInternal, nil, "the line of memory %s has no end", id)
}

// lineOf is the id under which a memory was first stated: its edits name it.
func lineOf(m *schema.Memory) string {
	if m.Edits != "" {
		return m.Edits
	}
	return m.ID
}
