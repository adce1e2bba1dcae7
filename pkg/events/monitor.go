package events

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Monitor answers how far a generation is. It is safe for concurrent use and cheap enough to be polled.
type Monitor struct {
	log   *Log
	floor *Floor

	mu    sync.Mutex
	lasts map[string]lastOf
}

// lastOf is a tenant's last sequence, and its last request to forget or to archive, as found when the log ended at end: no new entry,
// no new request.
type lastOf struct{ end, last, forget uint64 }

// NewMonitor watches the generation of floor.
func NewMonitor(l *Log, f *Floor) *Monitor {
	return &Monitor{log: l, floor: f, lasts: map[string]lastOf{}}
}

// Stages is one status a durable of the generation, in the order of the pipeline, from the servers' own counts.
// OldestMS is by the local clock against the time at which the oldest open message was stored.
func (m *Monitor) Stages(ctx context.Context) ([]schema.StageStatus, error) {
	t := Topology{}
	specs := []ConsumerSpec{t.clean(m.floor.gen)}
	specs = append(specs, t.WorkConsumers(m.floor.gen)...)
	specs = append(specs, t.forget(m.floor.gen))
	out := make([]schema.StageStatus, 0, len(specs))
	specs = append(specs, t.llm(m.floor.gen))
	for _, s := range specs {
		st, err := m.stage(ctx, s)
		if errors.Is(err, jetstream.ErrConsumerNotFound) && s.Config.Durable == Durable(StageLLM, m.floor.gen) {
			continue // no language model was ever asked
		}
		if err != nil {
			return nil, fmt.Errorf("look at durable %s: %w", s.Config.Durable, mapError(err))
		}
		out = append(out, st)
	}
	return out, nil
}

func (m *Monitor) stage(ctx context.Context, s ConsumerSpec) (schema.StageStatus, error) {
	c, err := m.log.js.Consumer(ctx, s.Stream, s.Config.Durable)
	if err != nil {
		return schema.StageStatus{}, err
	}
	i := c.CachedInfo()
	st := schema.StageStatus{
		Name: stageOf(s.Config.Durable), Pending: i.NumPending, AckPending: i.NumAckPending, Redelivered: i.NumRedelivered, Workers: i.NumWaiting,
		PausedMS: i.PauseRemaining.Milliseconds(),
	}
	if st.Pending == 0 && st.AckPending == 0 {
		return st, nil
	}
	stream, err := m.log.js.Stream(ctx, s.Stream)
	if err != nil {
		return st, err
	}
	// The first open message lies above the floor. It may be gone by now; then the age stays 0.
	for _, filter := range s.Filters() {
		if o, err := stream.GetMsg(ctx, i.AckFloor.Stream+1, jetstream.WithGetMsgSubject(filter)); err == nil {
			st.OldestMS = max(st.OldestMS, time.Since(o.Time).Milliseconds())
		}
	}
	return st, nil
}

// Idle reports whether everything of a tenant ("" for all) that the log held at the call is settled, with the
// floor, at most the tenant's last sequence, and that: the floor has reached it, and the tenant's own last request to
// forget or to archive is carried out, with what was asked before it. What others ask for later is not waited for. It costs about
// eight requests, three less as long as the log does not grow; polling it every 50 ms is fine.
func (m *Monitor) Idle(ctx context.Context, tenant string) (idle bool, floor, last uint64, err error) {
	known, err := m.last(ctx, tenant)
	if err != nil {
		return false, 0, 0, err
	}
	last = known.last
	if floor, err = m.floor.Read(ctx); err != nil {
		return false, 0, last, err
	}
	if floor < last {
		return false, floor, last, nil
	}
	if known.forget == 0 {
		return true, last, last, nil
	}
	idle, err = m.Forgotten(ctx, known.forget)
	return idle, last, last, err
}

// Forgotten reports whether the request to forget with sequence seq is carried out in the generation, and those before it.
func (m *Monitor) Forgotten(ctx context.Context, seq uint64) (bool, error) {
	to, err := m.CarriedTo(ctx)
	return err == nil && to >= seq, err
}

// CarriedTo is the log sequence up to which the generation has carried out every request to forget or to archive.
func (m *Monitor) CarriedTo(ctx context.Context) (uint64, error) {
	name := Durable(StageForget, m.floor.gen)
	c, err := m.log.js.Consumer(ctx, StreamLog, name)
	if err != nil {
		return 0, fmt.Errorf("look at durable %s: %w", name, mapError(err))
	}
	return c.CachedInfo().AckFloor.Stream, nil
}

// CarriedOut reports whether the generation has carried out those requests of a tenant to forget or to archive that the
// log held up to seq. It does not wait for later ones.
func (m *Monitor) CarriedOut(ctx context.Context, tenant string, seq uint64) (bool, error) {
	floor, err := m.CarriedTo(ctx)
	if err != nil || floor >= seq {
		return err == nil, err
	}
	for _, op := range []schema.Op{schema.OpForget, schema.OpArchive} {
		first, err := m.log.stream.GetMsg(ctx, floor+1, jetstream.WithGetMsgSubject(LogFilter(tenant, op)))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
		case err != nil:
			return false, fmt.Errorf("look for requests to %s: %w", op, mapError(err))
		case first.Sequence <= seq:
			return false, nil
		}
	}
	return true, nil
}

func (m *Monitor) last(ctx context.Context, tenant string) (lastOf, error) {
	info, err := m.log.stream.Info(ctx)
	if err != nil {
		return lastOf{}, fmt.Errorf("look at the log: %w", mapError(err))
	}
	end := info.State.LastSeq
	m.mu.Lock()
	known, ok := m.lasts[tenant]
	m.mu.Unlock()
	if ok && known.end == end {
		return known, nil
	}
	known = lastOf{end: end}
	if known.last, err = m.log.Last(ctx, tenant); err != nil {
		return lastOf{}, err
	}
	for _, op := range []schema.Op{schema.OpForget, schema.OpArchive} {
		seq, err := m.log.last(ctx, LogFilter(tenant, op))
		if err != nil {
			return lastOf{}, err
		}
		known.forget = max(known.forget, seq)
	}
	m.mu.Lock()
	if len(m.lasts) > 10_000 { // tenants come and go
		clear(m.lasts)
	}
	m.lasts[tenant] = known
	m.mu.Unlock()
	return known, nil
}

// stageOf is the stage in the name of a durable.
func stageOf(durable string) string {
	for i := 0; i < len(durable); i++ {
		if durable[i] == '_' {
			return durable[:i]
		}
	}
	return durable
}
