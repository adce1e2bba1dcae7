package upkeep

import (
	"context"
	"fmt"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// EntryLog reads single entries of the log.
type EntryLog interface {
	Read(ctx context.Context, seq uint64) (schema.Event, error)
}

// Archiver carries out archive events. Safe for concurrent use; doing one again changes nothing.
type Archiver struct {
	Points KeyedPoints
	Log    EntryLog
	Floor  Floor
	Logger *slog.Logger
}

// archiveAtOnce bounds the turns that one archive event prunes at a time.
const archiveAtOnce = 8

// Handle carries out one archive event in its generation, once the log is settled there up to the event: it has prune take
// each turn that the event names, as its entry in the log. Until then its error is [events.Wait], as that of
// [Forgetter.Handle]. What the event reaches is that user's turns up to itself; what is no memory there is left alone, and
// what comes into the index later, out of the dead letters or by a late worker, sees to it by itself (see [Marks.Archived]).
// A generation that sleeps is told of the event once it is worked on again.
func (a *Archiver) Handle(ctx context.Context, ev schema.Event, prune events.Handler) error {
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
	uuids := make([]string, len(req.IDs))
	for i, id := range req.IDs {
		uuids[i] = schema.EventUUID(ev.Tenant, id)
	}
	ps, err := a.Points.GetKeys(ctx, ev.Generation, schema.Events, unique(uuids), schema.KeyOwner, schema.KeySeq)
	if err != nil {
		return fmt.Errorf("archive event %s: read event points: %w", ev.UUID, err)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(archiveAtOnce)
	for _, p := range ps {
		seq := uint64(number(p.Payload[schema.KeySeq]))
		if str(p.Payload, schema.KeyOwner) != schema.Owner(ev.Tenant, ev.User) || seq == 0 || seq >= ev.Seq {
			continue
		}
		g.Go(func() error { return a.one(ctx, ev.Generation, seq, prune) })
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("archive event %s: %w", ev.UUID, err)
	}
	return nil
}

// one prunes one turn. One that cannot be read any more, or that no build can read, keeps what the index has of it: that
// must not keep the others from being archived.
func (a *Archiver) one(ctx context.Context, gen int, seq uint64, prune events.Handler) error {
	turn, err := a.Log.Read(ctx, seq)
	if err == nil {
		turn.Generation = gen
		err = prune(ctx, turn)
	}
	if schema.IsPermanent(err) {
		a.Logger.LogAttrs(ctx, slog.LevelError, "a turn cannot be archived", slog.Int(obs.KeyGen, gen), slog.Uint64(obs.KeySeq, seq), slog.String(obs.KeyError, err.Error()))
		return nil
	}
	return err
}
