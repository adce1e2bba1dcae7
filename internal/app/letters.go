package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// letters deals with what stages gave up. It is safe for concurrent use.
type letters struct {
	*app
	store *events.DeadLetters
	feed  *feeder
	depth *prometheus.GaugeVec
}

func (a *app) newLetters(ctx context.Context) (*letters, error) {
	store, err := events.OpenDeadLetters(ctx, a.js, a.blobs)
	if err != nil {
		return nil, err
	}
	l := &letters{
		app: a, store: store,
		feed: &feeder{app: a, attempt: store.NextAttempt, clean: map[*reading]events.Handler{}},
		depth: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: "silt", Subsystem: "events", Name: "dead_letters", Help: "Dead letters of all tenants, by the stage that gave up and the code of the reason.",
		}, []string{"stage", "code"}),
	}
	if err := a.registry.Register(l.depth); err != nil {
		return nil, fmt.Errorf("register metrics of dead letters: %w", err)
	}
	return l, nil
}

func record(d events.DeadLetter) schema.DeadLetter {
	out := schema.DeadLetter{ID: d.ID, Stage: d.Stage, Event: d.Event.ID, Seq: d.Event.Seq, Generation: d.Generation(), Code: d.Code, Reason: d.Reason, Count: d.Count, At: d.At.UTC()}
	if d.Stream == events.StreamLog {
		out.Seq = d.Seq
	}
	return out
}

// DeadLetters implements httpapi.DeadLetters.
func (l *letters) DeadLetters(ctx context.Context, tenant, cursor string, limit int) (schema.DeadLetterList, error) {
	var after uint64
	if cursor != "" {
		var err error
		if after, err = strconv.ParseUint(cursor, 10, 63); err != nil {
			return schema.DeadLetterList{}, schema.Invalid("cursor", "is not one of a page before")
		}
	}
	page, next, err := l.store.List(ctx, tenant, after, limit)
	if err != nil {
		return schema.DeadLetterList{}, err
	}
	out := schema.DeadLetterList{Items: make([]schema.DeadLetter, len(page))}
	for i, d := range page {
		out.Items[i] = record(d)
	}
	if next > 0 {
		out.Cursor = strconv.FormatUint(next, 10)
	}
	return out, nil
}

// DeadLetter implements httpapi.DeadLetters. What was published is not shown once somebody asked to forget it.
func (l *letters) DeadLetter(ctx context.Context, tenant, id string, original bool) (schema.DeadLetter, error) {
	d, err := l.store.Get(ctx, tenant, id)
	if err != nil {
		return schema.DeadLetter{}, err
	}
	out := record(d)
	switch {
	case !original:
	case d.Stream == events.StreamIn:
		out.Original, err = l.store.Refused(ctx, tenant, id, int64(l.cfg.HTTP.MaxTurn))
	default:
		var ev schema.Event
		if ev, err = l.entry(ctx, tenant, d); err == nil && !l.marks.HidesEntry(ev) {
			out.Original = ev.Body
		} else if schema.IsPermanent(err) && !l.marks.HidesEntry(d.Event) { // the log has no more of it: the letter has its bytes
			out.Original, err = d.Event.Body, nil
		}
	}
	return out, err
}

// entry is the log entry that a letter is about.
func (l *letters) entry(ctx context.Context, tenant string, d events.DeadLetter) (schema.Event, error) {
	seq := record(d).Seq
	if seq == 0 {
		return schema.Event{}, schema.Permanent(schema.CodeConflict, nil, "the letter does not say which entry of the log it is about")
	}
	ev, err := l.eventLog.Read(ctx, seq)
	if err == nil && (ev.Tenant != tenant || d.Event.UUID != "" && ev.UUID != d.Event.UUID) {
		err = schema.Permanent(schema.CodeCorrupt, nil, "the log's entry %d is not the event that died", seq)
	}
	return ev, err
}

// Drop implements httpapi.DeadLetters.
func (l *letters) Drop(ctx context.Context, tenant, id string) (schema.DeadReply, error) {
	if _, err := l.store.Get(ctx, tenant, id); err != nil {
		return schema.DeadReply{}, err
	}
	return schema.DeadReply{ID: id, State: schema.DeadDropped}, l.drop(ctx, tenant, id)
}

func (l *letters) drop(ctx context.Context, tenant, id string) error {
	return l.store.Drop(ctx, tenant, id, int64(l.cfg.HTTP.MaxTurn))
}

// A retry is answered as soon as it is settled, and after answerRetry at the latest; whoever was asked looks on for
// watchRetry. After that, and where that process ends, tend sees to the letter.
const (
	answerRetry = 3 * time.Second
	watchRetry  = 2 * time.Minute
	lookRetry   = 50 * time.Millisecond
)

// Retry implements httpapi.DeadLetters. The letter stays until what it is about is settled, so that nothing is lost
// where this process ends on the way.
func (l *letters) Retry(ctx context.Context, tenant, id string) (schema.DeadReply, error) {
	d, err := l.store.Get(ctx, tenant, id)
	if err != nil {
		return schema.DeadReply{}, err
	}
	if l.orphaned(tenant, d) {
		why := fmt.Sprintf("generation %d, where it died, was pruned; the others have accounts of their own of its event", d.Generation())
		return schema.DeadReply{ID: id, State: schema.DeadDropped, Reason: why}, l.drop(ctx, tenant, id)
	}
	settled, err := l.again(ctx, tenant, d)
	switch {
	case schema.IsPermanent(err) && schema.CodeOf(err) != schema.CodeConflict || errors.Is(err, errRefusedAgain):
		if back := l.store.Back(ctx, tenant, id, err); back != nil {
			return schema.DeadReply{}, back
		}
		return schema.DeadReply{ID: id, State: schema.DeadAgain, Reason: err.Error()}, nil
	case err != nil:
		return schema.DeadReply{}, err
	case settled:
		return schema.DeadReply{ID: id, State: schema.DeadSettled}, l.drop(ctx, tenant, id)
	}
	look, cancel := context.WithTimeout(ctx, answerRetry)
	defer cancel()
	out, err := l.watch(look, tenant, d)
	if err != nil || out.State != schema.DeadRetrying {
		return out, err
	}
	l.jobs.group.Go(func() error {
		ctx, cancel := context.WithTimeout(l.jobs.ctx, watchRetry)
		defer cancel()
		if _, err := l.watch(ctx, tenant, d); err != nil && ctx.Err() == nil {
			l.log.LogAttrs(ctx, slog.LevelWarn, "a dead letter that was tried again is looked at later", slog.String("letter", d.ID), slog.String(obs.KeyError, err.Error()))
		}
		return nil
	})
	return out, nil
}

// errRefusedAgain is in the errors of what intake refuses again, whatever their code.
var errRefusedAgain = errors.New("refused again")

// again begins the retry of a letter; settled says that there is nothing to wait for. A permanent error is the letter's
// own, but for [schema.CodeConflict]: it cannot be tried at all.
func (l *letters) again(ctx context.Context, tenant string, d events.DeadLetter) (settled bool, err error) {
	if d.Stream == events.StreamIn {
		return true, l.intakeAgain(ctx, tenant, d)
	}
	var gs []*reading
	for _, n := range l.places(tenant, d) {
		if g := l.readings.get(n); g != nil && l.workable(g) {
			gs = append(gs, g)
		}
	}
	if len(gs) == 0 {
		return false, schema.Permanent(schema.CodeConflict, nil, "generation %d, where it died, is not open here", d.Generation())
	}
	ev, err := l.entry(ctx, tenant, d)
	if err != nil {
		return false, err
	}
	if d.Stage == events.StageForget {
		ev.Generation = gs[0].Number
		runner, _, err := l.newRunners(gs[0])
		if err != nil {
			return false, fmt.Errorf("build archive: %w", err)
		}
		prune, err := runner(stages.Archive)
		if err != nil {
			return false, err
		}
		return true, carryOut(l.forgetter, l.archiver, prune)(ctx, ev)
	}
	for _, g := range gs {
		if err := l.feed.feed(ctx, g, ev); err != nil {
			return false, err
		}
	}
	switch ev.Op {
	case schema.OpTurn, schema.OpMemory, schema.OpPin:
		return false, nil
	}
	return true, nil // it has no point, and no stage but clean
}

// intakeAgain puts what intake refused through intake again.
func (l *letters) intakeAgain(ctx context.Context, tenant string, d events.DeadLetter) error {
	if d.Cut {
		return schema.Permanent(schema.CodeConflict, nil, "the letter had no room for the body: publish it again")
	}
	body, err := l.store.Refused(ctx, tenant, d.ID, int64(l.cfg.HTTP.MaxTurn))
	if err != nil {
		return err
	}
	// The same id as the message had, which a second try has again.
	var seq uint64
	var stored int64
	if _, err := fmt.Sscanf(d.ID[strings.Index(d.ID, "-")+1:], "s%dt%d", &seq, &stored); err != nil {
		return schema.Permanent(schema.CodeConflict, nil, "the letter does not say which message it was")
	}
	if _, err = l.intake.TurnAs(ctx, tenant, plainID(stored, seq), body); schema.IsPermanent(err) {
		return fmt.Errorf("%w: %w", errRefusedAgain, err)
	}
	return err
}

// watch looks at a letter that was tried again until its event is settled, or dead again, or ctx ends.
func (l *letters) watch(ctx context.Context, tenant string, d events.DeadLetter) (schema.DeadReply, error) {
	out := schema.DeadReply{ID: d.ID, State: schema.DeadRetrying}
	tick := time.NewTicker(lookRetry)
	defer tick.Stop()
	for {
		st, err := l.settlement(ctx, tenant, d)
		switch {
		case ctx.Err() != nil:
			return out, nil
		case err != nil:
			return out, err
		case st == upkeep.EntrySettled:
			out.State = schema.DeadSettled
			return out, l.drop(context.WithoutCancel(ctx), tenant, d.ID)
		case st == upkeep.EntryDead: // the letter follows the point
			now, err := l.store.Get(ctx, tenant, d.ID)
			if err == nil && now.Count > d.Count {
				out.State, out.Reason = schema.DeadAgain, now.Reason
				return out, nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return out, nil
		}
	}
}

// tendEvery is how often letters are counted, and those go whose event is settled after all.
const tendEvery = 15 * time.Second

// tend counts letters and removes those that are over, until ctx ends.
func (l *letters) tend(ctx context.Context) {
	l.every(ctx, tendEvery, "dead letters cannot be looked through", l.look)
}

// tendPage is how many letters are looked up at a time.
const tendPage = 256

func (l *letters) look(ctx context.Context) error {
	type kind struct{ stage, code string }
	type letterID struct{ tenant, id string }
	counts := map[kind]int{}
	seen := map[letterID]bool{}
	var orphans, several []letterID
	byGen := map[int][]events.DeadLetter{}
	check := func(gen int) error {
		ds := byGen[gen]
		delete(byGen, gen)
		evs := make([]schema.Event, len(ds))
		for i, d := range ds {
			evs[i] = d.Event
		}
		st, err := l.entries().Settlements(ctx, gen, evs)
		if err != nil {
			return err
		}
		for i, d := range ds {
			if st[i] == upkeep.EntrySettled && len(l.places(d.Event.Tenant, d)) > 1 {
				if st[i], err = l.settlement(ctx, d.Event.Tenant, d); err != nil {
					return err
				}
			}
			if st[i] != upkeep.EntrySettled {
				continue
			}
			if err := l.drop(ctx, d.Event.Tenant, d.ID); err != nil {
				return err
			}
			counts[kind{d.Stage, string(d.Code)}]--
		}
		return nil
	}
	err := l.store.Each(ctx, func(d events.DeadLetter) error {
		id := letterID{d.Event.Tenant, d.ID}
		if id.tenant == "" { // no event: its subject tells
			id.tenant, _ = events.TenantOf(d.Subject)
		}
		if l.orphaned(id.tenant, d) {
			orphans = append(orphans, id)
			return nil
		}
		if seen[id] {
			several = append(several, id)
			return nil
		}
		seen[id] = true
		counts[kind{d.Stage, string(d.Code)}]++
		gen := 0
		for _, n := range l.places(id.tenant, d) {
			if l.readings.get(n) != nil {
				gen = n
			}
		}
		if d.Event.UUID == "" || d.Event.Seq == 0 || d.Stage == events.StageForget || gen == 0 {
			return nil
		}
		if byGen[gen] = append(byGen[gen], d); len(byGen[gen]) < tendPage {
			return nil
		}
		return check(gen)
	})
	for gen := range byGen {
		if err == nil {
			err = check(gen)
		}
	}
	for _, id := range orphans {
		if err == nil {
			err = l.drop(ctx, id.tenant, id.id)
		}
	}
	for _, id := range several {
		if err == nil {
			err = l.store.Tidy(ctx, id.tenant, id.id)
		}
	}
	if err != nil {
		return err
	}
	if len(orphans) > 0 {
		l.log.InfoContext(ctx, "dead letters of generations that were pruned are removed", "count", len(orphans))
	}
	l.depth.Reset()
	for k, n := range counts {
		if n > 0 {
			l.depth.WithLabelValues(k.stage, k.code).Set(float64(n))
		}
	}
	return nil
}
