package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/edge/httpapi"
	"github.com/siltstone-ai/siltstone/internal/embed"
	"github.com/siltstone-ai/siltstone/internal/embedded/qdrantd"
	"github.com/siltstone-ai/siltstone/internal/intake"
	"github.com/siltstone-ai/siltstone/internal/scour"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// erasures run as jobs of the process that is asked.
type erasures struct {
	*app
	eraser *upkeep.Eraser
}

func (a *app) newErasures(e *events.Eraser) *erasures {
	return &erasures{a, &upkeep.Eraser{
		Forgetter: a.forgetter, Marks: a.marks, Log: e, Entries: erasureEntries{e, a.intake}, Rest: erasureRest{a, e}, NewID: newID, Logger: a.log,
		Generations: a.erasable,
		CarriedOut: func(ctx context.Context, gen int, tenant string, seq uint64) (bool, error) {
			g := a.readings.get(gen)
			if g == nil { // pruned meanwhile
				return true, nil
			}
			return g.monitor.CarriedOut(ctx, tenant, seq)
		},
		Stages: func(ctx context.Context, gen int) ([]schema.StageStatus, error) {
			g := a.readings.get(gen)
			if g == nil { // pruned meanwhile
				return nil, nil
			}
			return g.monitor.Stages(ctx)
		},
	}}
}

// Erase implements httpapi.Eraser.
func (e *erasures) Erase(ctx context.Context, tenant string, r schema.EraseRequest) (schema.JobStarted, error) {
	if err := r.Validate(); err != nil {
		return schema.JobStarted{}, err
	}
	if r.Verify && !e.ownsFiles() {
		return schema.JobStarted{}, &schema.Error{Code: schema.CodeUnsupported, Field: "verify", Message: "the files are those of other servers, or some of them are: they are not in a data directory of this process; see docs/erasure.md"}
	}
	return e.jobs.start(ctx, tenant, schema.JobErase, func(ctx context.Context, tell func(done, total uint64)) (schema.Job, error) {
		rep, err := e.erase(ctx, tenant, r, tell)
		return schema.Job{Erasure: &rep}, err
	})
}

func (e *erasures) erase(ctx context.Context, tenant string, r schema.EraseRequest, tell func(done, total uint64)) (schema.ErasureReport, error) {
	var heard *upkeep.Telling
	var what func(schema.Event)
	if r.Verify {
		known, err := standing()
		if err != nil {
			return schema.ErasureReport{}, err
		}
		heard = upkeep.NewTelling(known)
		what = heard.Add
	}
	rep, err := e.eraser.Erase(ctx, tenant, r.User, what, tell)
	if err != nil {
		return rep, err
	}
	if e.compact != nil {
		if err := e.compact(ctx); err != nil {
			return rep, fmt.Errorf("compact the files: %w", err)
		}
		if err := e.streamsBack(ctx); err != nil {
			return rep, err
		}
		rep.Compacted = e.ownsFiles()
	}
	if r.Verify {
		if rep.Check, err = e.verify(ctx, tenant, r.User, heard); err != nil {
			return rep, fmt.Errorf("verify the erasure: %w", err)
		}
	}
	return rep, nil
}

// ownsFiles reports whether all that is kept of a user lies in the data directory of this process. Where one of the stores is
// another server's, its files are neither compacted nor looked at here, and nobody may be told that they are clean.
func (a *app) ownsFiles() bool { return a.cfg.NATS.URL == "" && a.cfg.Qdrant.Addr == "" }

// The streams were started again; connections find them within a moment.
const (
	backEvery = 100 * time.Millisecond
	backLimit = time.Minute
)

// streamsBack waits until the streams answer again.
func (e *erasures) streamsBack(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, backLimit)
	defer cancel()
	tick := time.NewTicker(backEvery)
	defer tick.Stop()
	for {
		_, err := e.eventLog.Last(ctx, "")
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for the streams: %w", err)
		}
	}
}

// verify looks for a user, and for what only that user has said, in the files of the data directory.
func (e *erasures) verify(ctx context.Context, tenant, user string, heard *upkeep.Telling) (*schema.ErasureCheck, error) {
	if len(user) >= scour.MinString {
		heard.Word(user)
	}
	shared, within := false, false
	owner := strings.ToLower(schema.Owner(tenant, user))
	err := e.eventLog.Scan(ctx, 1, nil, "", func(ev schema.Event) error {
		heard.Others(ev)
		shared = shared || strings.EqualFold(ev.User, user)
		within = within || strings.Contains(strings.ToLower(schema.Owner(ev.Tenant, ev.User)), owner)
		return nil
	})
	if err != nil {
		return nil, err
	}
	look := spokenOf(tenant, user, shared, within)
	for _, w := range heard.Words() {
		if len(w) >= scour.MinString {
			look = append(look, w)
		}
	}
	out, err := scour.Search(ctx, e.cfg.Data, look, qdrantd.Contents)
	return &out, err
}

// spokenOf are the ways in which a user alone is spoken of, however short the id is. shared says that entries are left with
// that id, in whatever case, for files are searched in lower case too: of another tenant, or of later. What does not name
// the tenant tells nothing then. within says the same of the owner's name, which may also be a part of another's: "acme.ann" of
// "acme.ann.x".
func spokenOf(tenant, user string, shared, within bool) []string {
	var look []string
	if !within {
		look = append(look, schema.Owner(tenant, user))
	}
	if !shared {
		look = append(look, `"user":"`+user+`"`, events.HeaderUser+": "+user+"\r\n")
	}
	return look
}

// standing is text that stands in the files of any installation.
func standing() (string, error) {
	streams, err := json.Marshal(events.DefaultTopology().Streams())
	if err != nil {
		return "", fmt.Errorf("encode streams: %w", err)
	}
	return string(streams) + string(httpapi.Contract()), nil
}

// erasable are the generations that have points, and those that work goes on for here.
func (a *app) erasable() (all, awake []int) {
	for _, g := range a.state.Generations() {
		if g.Live() {
			all = append(all, g.Number)
		}
	}
	for _, g := range a.readings.all() {
		if !g.asleep {
			awake = append(awake, g.Number)
		}
	}
	return all, awake
}

// erasureEntries implements upkeep.EraseMarks.
type erasureEntries struct {
	*events.Eraser
	intake *intake.Intake
}

func (e erasureEntries) Write(ctx context.Context, tenant string, x schema.Erasure) (schema.Accepted, error) {
	return e.intake.Erase(ctx, tenant, x)
}

// erasureRest implements upkeep.EraseRest.
type erasureRest struct {
	*app
	streams *events.Eraser
}

func (e erasureRest) RemoveWork(ctx context.Context, gen int, tenant, user string, upTo uint64) error {
	return e.streams.RemoveWork(ctx, gen, tenant, user, upTo)
}

func (e erasureRest) RemoveState(ctx context.Context, tenant, user string, gens []int) error {
	for _, gen := range gens {
		if err := e.cache.DropOwner(ctx, gen, schema.Owner(tenant, user)); err != nil {
			return fmt.Errorf("drop what the cache has of a user: %w", err)
		}
	}
	if err := e.removeReadings(ctx, tenant, user); err != nil {
		return err
	}
	return e.streams.RemoveState(ctx, tenant, user)
}

func (e erasureRest) RemoveVectors(ctx context.Context, texts []string) error {
	kept := e.shelf.vectors.Load()
	if kept == nil || e.cfg.Embed.URL == "" || e.cfg.Embed.KeepMB == 0 {
		return nil
	}
	keys := make([]string, len(texts))
	for i, t := range texts {
		keys[i] = embed.ShelfKey(e.embedder.Model(), e.embedder.Dim(), e.cfg.Embed.PassagePrefix, text.Sanitize(t))
	}
	return kept.Remove(ctx, keys)
}
