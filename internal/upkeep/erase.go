package upkeep

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// EraseLog removes a user's bytes from the log. Each call may be repeated.
type EraseLog interface {
	// Entries calls fn with what a user has in the log up to a sequence, of every op; see [events.Log.ScanUser].
	Entries(ctx context.Context, tenant, user string, upTo uint64, fn func(schema.Event, error) error) error
	RemoveEntries(ctx context.Context, seqs []uint64, told func(done int)) error
	// RemoveBlobs removes the bodies of events by their inside ids, but for those that an entry claims that does not go.
	RemoveBlobs(ctx context.Context, tenant string, uuids map[string]bool, goes func(seq uint64) bool) error
}

// EraseMarks keeps the keys by which the marks of erasures are understood.
type EraseMarks interface {
	Begin(ctx context.Context, id string, key schema.ErasureKey) error
	// Write appends an entry of an erasure to the log.
	Write(ctx context.Context, tenant string, e schema.Erasure) (schema.Accepted, error)
	End(ctx context.Context, id string, key schema.ErasureKey) error
}

// EraseRest removes what is neither in the log nor in the vector store.
type EraseRest interface {
	// RemoveWork removes what a generation has still to do for a user of what the log held up to a sequence.
	RemoveWork(ctx context.Context, generation int, tenant, user string, upTo uint64) error
	// RemoveState removes settings, records of what was injected, and what caches hold in the generations.
	RemoveState(ctx context.Context, tenant, user string, generations []int) error
	// RemoveVectors removes the vectors that are kept of texts.
	RemoveVectors(ctx context.Context, texts []string) error
}

// Eraser makes every trace of a user go. Safe for concurrent use, also of one user: an erasure that ended half-way is
// made up for by the next.
type Eraser struct {
	Forgetter *Forgetter
	Marks     *Marks
	Log       EraseLog
	Entries   EraseMarks
	Rest      EraseRest
	NewID     func() string
	Logger    *slog.Logger

	// Generations are those whose points there are. Awake tells of which the work goes on: only those can be waited for.
	Generations func() (all, awake []int)

	// CarriedOut reports whether a generation has carried out the tenant's requests to forget and to archive that the log held
	// up to a sequence. One that is under way may write of a turn what it read before the turn was erased.
	CarriedOut func(ctx context.Context, generation int, tenant string, seq uint64) (bool, error)

	// Stages are those that work on a generation, and how far each is.
	Stages func(ctx context.Context, generation int) ([]schema.StageStatus, error)

	Patience Patience // the zero value: DefaultPatience
}

// Erase removes everything that a user of a tenant has up to now, and tells how far it is. From the mark on, which is its
// first step, nothing of it is shown, and late work takes itself back. Where the stages do not come to the mark it gives up
// ([Patience]) with a retryable error that names them; the mark stays, and asked again it begins anew. what, where it is not nil, is shown every entry of
// the log that goes, before it does. It blocks until nothing is left in the stores; compacting their files is the
// caller's.
func (e *Eraser) Erase(ctx context.Context, tenant, user string, what func(schema.Event), tell func(done, total uint64)) (schema.ErasureReport, error) {
	key := make(schema.ErasureKey, 32)
	_, _ = rand.Read(key) // never fails
	out := schema.ErasureReport{ID: e.NewID()}
	owner := schema.Owner(tenant, user)
	if err := e.Entries.Begin(ctx, out.ID, key); err != nil {
		return out, err
	}
	acc, err := e.Entries.Write(ctx, tenant, schema.Erasure{ID: out.ID, Whose: key.Of(owner)})
	if err != nil {
		return out, fmt.Errorf("mark the erasure: %w", err)
	}
	out.Mark = acc.Seq
	if err := e.Marks.Load(ctx); err != nil {
		return out, err
	}
	all, err := e.everywhere(ctx, tenant, user, &out)
	if err != nil {
		return out, err
	}
	if err := e.entries(ctx, tenant, user, &out, what, tell); err != nil {
		return out, err
	}
	if err := e.Rest.RemoveState(ctx, tenant, user, all); err != nil {
		return out, err
	}
	return out, e.Entries.End(ctx, out.ID, key)
}

// everywhere removes the user's points of all generations, which it returns. A replay may make one meanwhile and copy points
// into it that were not removed yet: the generations are looked at again until no new one is among them.
func (e *Eraser) everywhere(ctx context.Context, tenant, user string, out *schema.ErasureReport) ([]int, error) {
	var before []int
	for round := 0; ; round++ {
		all, awake := e.Generations()
		slices.Sort(all)
		if round > 0 && !slices.ContainsFunc(all, func(gen int) bool { return !slices.Contains(before, gen) }) {
			return before, nil
		}
		for _, gen := range awake {
			if err := e.settle(ctx, gen, tenant, out.Mark); err != nil {
				return nil, err
			}
		}
		if err := e.points(ctx, all, tenant, user, out); err != nil {
			return nil, err
		}
		before = slices.Compact(slices.Sorted(slices.Values(slices.Concat(before, all))))
	}
}

// points removes the user's points of all generations, and what leads to them. Event points go when everything else is
// gone in every generation: as long as one is there, its id is taken.
func (e *Eraser) points(ctx context.Context, gens []int, tenant, user string, out *schema.ErasureReport) error {
	owner := schema.Owner(tenant, user)
	upTo := float64(out.Mark)
	mine := schema.Filter{Must: []schema.Cond{{Key: schema.KeyOwner, Equal: owner}, {Key: schema.KeySeq, Range: &schema.Range{LTE: &upTo}}}}
	sel := newSelector(tenant, schema.Forget{User: user, All: true})
	texts := map[string]bool{}
	made := gens[:0:0]
	for _, gen := range gens {
		err := e.Forgetter.Store.Each(ctx, gen, schema.Events, mine, func(p schema.Point) error {
			for _, s := range segmentsOf(p.Payload) {
				texts[s.Text] = true
			}
			out.Points++
			return nil
		})
		if errors.Is(err, schema.ErrNoCollection) { // it was registered and never begun: the log that it will read has nothing of the user
			continue
		}
		if err != nil {
			return fmt.Errorf("read event points of generation %d: %w", gen, err)
		}
		made = append(made, gen)
		for _, col := range []schema.Collection{schema.Passages, schema.Triples, schema.Facts} {
			if err := e.Forgetter.Store.Each(ctx, gen, col, mine, func(schema.Point) error { out.Points++; return nil }); err != nil {
				return fmt.Errorf("count %s of generation %d: %w", col, gen, err)
			}
		}
		hit, err := e.Forgetter.find(ctx, gen, tenant, sel, nil, out.Mark)
		if err != nil {
			return fmt.Errorf("find points of generation %d: %w", gen, err)
		}
		hit.resume()
		if err := e.Forgetter.remove(ctx, gen, owner, hit); err != nil {
			return fmt.Errorf("remove points of generation %d: %w", gen, err)
		}
	}
	words := make([]string, 0, len(texts))
	for t := range texts {
		words = append(words, t)
	}
	if err := e.Rest.RemoveVectors(ctx, words); err != nil {
		return err
	}
	err := e.Forgetter.Dead.RemoveDead(ctx, tenant, e.Forgetter.MaxTurn, func(d events.DeadLetter) bool {
		if d.Event.UUID == "" {
			return sel.letter(tenant, d, time.Now())
		}
		return d.Event.User == user && d.Event.Seq <= out.Mark
	})
	if err != nil {
		return fmt.Errorf("remove dead letters: %w", err)
	}
	for _, gen := range gens {
		if err := e.Rest.RemoveWork(ctx, gen, tenant, user, out.Mark); err != nil {
			return err
		}
	}
	for _, gen := range made {
		for _, col := range schema.Collections {
			if err := e.Forgetter.Store.DeleteWhere(ctx, gen, col, mine); err != nil {
				return fmt.Errorf("delete %s of generation %d: %w", col, gen, err)
			}
			if err := e.Forgetter.Store.Each(ctx, gen, col, mine, func(schema.Point) error { return errLeft }); err != nil {
				return schema.Retryable(schema.CodeUnavailable, 0, err, "%s of generation %d are left", col, gen)
			}
		}
	}
	return nil
}

// entries removes the user's entries of the log, once they are named.
func (e *Eraser) entries(ctx context.Context, tenant, user string, out *schema.ErasureReport, what func(schema.Event), tell func(done, total uint64)) error {
	var seqs []uint64
	var ranges []schema.SequenceRange
	uuids := map[string]bool{}
	err := e.Log.Entries(ctx, tenant, user, out.Mark, func(ev schema.Event, err error) error {
		if err != nil && ev.User != user { // nobody can tell whose it was
			e.Logger.LogAttrs(ctx, slog.LevelError, "a log entry that cannot be read is not erased: nothing says whose it is",
				slog.String(obs.KeyTenant, tenant), slog.Uint64(obs.KeySeq, ev.Seq))
			return nil
		}
		if err != nil {
			out.Unread++
		} else if what != nil {
			what(ev)
		}
		seqs, ranges = append(seqs, ev.Seq), schema.AddSequence(ranges, ev.Seq)
		uuids[ev.UUID] = true
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("look for the user's log entries: %w", err)
	}
	for len(ranges) > 0 {
		n := min(len(ranges), schema.MaxErasureRanges)
		if _, err := e.Entries.Write(ctx, tenant, schema.Erasure{ID: out.ID, Sequences: ranges[:n]}); err != nil {
			return fmt.Errorf("name the entries that go: %w", err)
		}
		ranges = ranges[n:]
	}
	// Bodies first: without the entries nothing would lead to them.
	goes := func(seq uint64) bool { _, found := slices.BinarySearch(seqs, seq); return found }
	if err := e.Log.RemoveBlobs(ctx, tenant, uuids, goes); err != nil {
		return err
	}
	total := uint64(len(seqs))
	tell(0, total)
	return e.Log.RemoveEntries(ctx, seqs, func(done int) {
		out.Entries = uint64(done)
		tell(uint64(done), total)
	})
}
