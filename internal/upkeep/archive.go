package upkeep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// EntryLog reads single entries of the log.
type EntryLog interface {
	Read(ctx context.Context, seq uint64) (schema.Event, error)
}

// Archiver carries out archive events, one at a time. Safe for concurrent use; doing one again changes nothing.
type Archiver struct {
	Points KeyedPoints
	Log    EntryLog
	Floor  Floor
	Point  func(uuid string, seq uint64, part, stage string) string // id of what a stage derives from a part of an entry
	Memory int64                                                    // bytes of turns that are worked on at a time; a longer turn is worked on alone
	Logger *slog.Logger

	carried turnstile
}

const (
	archiveAtOnce = 8           // turns that are pruned at a time
	archiveQueue  = time.Second // how long an event waits for another one before it is given back, so that requests to forget get through
)

// Handle carries out one archive event in its generation, once the log is settled there up to the event: it has prune take
// each turn that the event names, as its entry in the log. Until then its error is [events.Wait], as that of
// [Forgetter.Handle]. What the event reaches is that user's turns up to itself; what is no memory there is left alone, and
// what comes into the index later, out of the dead letters or by a late worker, sees to it by itself (see [Marks.Archived]).
// A generation that sleeps is told of the event once it is worked on again.
func (a *Archiver) Handle(ctx context.Context, ev schema.Event, prune events.Handler) error {
	if ev.Op != schema.OpArchive {
		return schema.Permanent(schema.CodeUnsupported, nil, "the operation %q is no request to archive", ev.Op)
	}
	req, err := schema.DecodeStored[schema.Archive](ev.Op, ev.Version, ev.Body)
	if err != nil {
		return err
	}
	settled, err := a.Floor.Settled(ctx, ev.Generation, ev.Seq)
	if err != nil {
		return fmt.Errorf("archive event %s: read the settled floor: %w", ev.UUID, err)
	}
	if !settled {
		return events.Wait(floorEvery, "archive event %s: generation %d is not settled to %d", ev.UUID, ev.Generation, ev.Seq)
	}
	wait, cancel := context.WithTimeout(ctx, archiveQueue)
	defer cancel()
	leave, err := a.carried.enter(wait)
	if err != nil {
		return events.Wait(archiveQueue, "archive event %s: %v", ev.UUID, err)
	}
	defer leave()
	seqs, err := a.open(ctx, ev, req)
	if err == nil {
		err = a.each(ctx, ev.Generation, seqs, prune)
	}
	if err != nil {
		return fmt.Errorf("archive event %s: %w", ev.UUID, err)
	}
	return nil
}

// open are the log sequences of the turns that ev names and that are not pruned yet. A turn is, where its document is
// there and its point says so: the document comes last.
func (a *Archiver) open(ctx context.Context, ev schema.Event, req schema.Archive) ([]uint64, error) {
	uuids := make([]string, len(req.IDs))
	for i, id := range req.IDs {
		uuids[i] = schema.EventUUID(ev.Tenant, id)
	}
	ps, err := a.Points.GetKeys(ctx, ev.Generation, schema.Events, unique(uuids), schema.KeyOwner, schema.KeySeq, schema.KeyArchived)
	if err != nil {
		return nil, fmt.Errorf("read event points: %w", err)
	}
	var seqs []uint64
	marked := map[uint64][]string{} // by sequence, the points of the document
	var docs []string
	for _, p := range ps {
		seq := uint64(number(p.Payload[schema.KeySeq]))
		if str(p.Payload, schema.KeyOwner) != schema.Owner(ev.Tenant, ev.User) || seq == 0 || seq >= ev.Seq {
			continue
		}
		seqs = append(seqs, seq)
		if p.Payload[schema.KeyArchived] == true {
			marked[seq] = a.document(p.ID, seq)
			docs = append(docs, marked[seq]...)
		}
	}
	if len(docs) == 0 {
		return seqs, nil
	}
	there := map[string]bool{}
	if ps, err = a.Points.GetKeys(ctx, ev.Generation, schema.Passages, docs, schema.KeySeq); err != nil {
		return nil, fmt.Errorf("read documents: %w", err)
	}
	for _, p := range ps {
		there[p.ID] = true
	}
	var out []uint64
	for _, seq := range seqs {
		if ids := marked[seq]; ids == nil || !there[ids[0]] || !there[ids[1]] {
			out = append(out, seq)
		}
	}
	return out, nil
}

// document are the ids of the two points of a document.
func (a *Archiver) document(uuid string, seq uint64) []string {
	part := string(schema.SegArchive)
	return []string{a.Point(uuid, seq, part, events.StageVectorize), a.Point(uuid, seq, part, events.StageExtract)}
}

// each has the turns with these sequences pruned, several at a time, as far as there is room for them.
func (a *Archiver) each(ctx context.Context, gen int, seqs []uint64, prune events.Handler) error {
	room := semaphore.NewWeighted(max(a.Memory, 1))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(archiveAtOnce)
	for _, seq := range seqs {
		turn, err := a.Log.Read(ctx, seq)
		if err != nil {
			if schema.IsPermanent(err) {
				a.tell(ctx, gen, seq, err)
				continue
			}
			return errors.Join(g.Wait(), err)
		}
		turn.Generation = gen
		n := min(int64(len(turn.Body)), max(a.Memory, 1))
		if err := room.Acquire(ctx, n); err != nil { // one of the others failed, or the time is over
			return errors.Join(g.Wait(), err)
		}
		g.Go(func() error {
			defer room.Release(n)
			return a.one(ctx, turn, prune)
		})
	}
	return g.Wait()
}

// one prunes one turn. One that no build can read keeps what the index has of it: that must not keep the others from being
// archived. An audit finds it, and the job tells of it.
func (a *Archiver) one(ctx context.Context, turn schema.Event, prune events.Handler) error {
	err := guarded(ctx, turn, prune)
	if schema.IsPermanent(err) {
		a.tell(ctx, turn.Generation, turn.Seq, err)
		return nil
	}
	return err
}

// guarded is prune of turn. A panic is a fault of that turn: nothing above catches it where many are pruned side by side.
func guarded(ctx context.Context, turn schema.Event, prune events.Handler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = schema.Permanent(schema.CodeInternal, nil, "pruning panicked: %T at %s", p, debug.Stack())
		}
	}()
	return prune(ctx, turn)
}

func (a *Archiver) tell(ctx context.Context, gen int, seq uint64, err error) {
	a.Logger.LogAttrs(ctx, slog.LevelError, "a turn cannot be archived", slog.Int(obs.KeyGen, gen), slog.Uint64(obs.KeySeq, seq), slog.String(obs.KeyError, err.Error()))
}
