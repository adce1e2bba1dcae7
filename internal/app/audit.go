package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// auditor holds logs against stores.
type auditor struct{ *letters }

// auditPage is how many entries or points an audit holds at a time, auditAgain how long it waits before it looks at
// what it found once more: what was on its way is not wrong.
const (
	auditPage  = 256
	auditAgain = time.Second
	repairWait = 2 * time.Minute
)

// Audit implements httpapi.Auditor.
func (a auditor) Audit(ctx context.Context, tenant string, r schema.AuditRequest) (schema.JobStarted, error) {
	g := a.readings.get(a.active())
	if g == nil {
		return schema.JobStarted{}, notOpen(a.active())
	}
	return a.jobs.start(ctx, tenant, schema.JobAudit, func(ctx context.Context, tell func(done, total uint64)) (schema.Job, error) {
		rep, err := a.sure(ctx, g, tenant, 0, tell)
		if err == nil && r.Repair && rep.Faults > 0 {
			var n uint64
			if n, err = a.repair(ctx, g, rep); err == nil {
				rep, err = a.sure(ctx, g, tenant, rep.UpTo, tell)
				rep.Repaired = n
			}
		}
		return schema.Job{Audit: &rep}, err
	})
}

// sure audits twice where it finds anything, and tells what is there both times. What was settled up to a sequence once,
// judged, is so again: the floor lies lower while what was fed again is worked on.
func (a auditor) sure(ctx context.Context, g *reading, tenant string, judged uint64, tell func(done, total uint64)) (schema.Audit, error) {
	first, err := a.audit(ctx, g, tenant, judged, tell)
	if err != nil || first.Faults == 0 {
		return first, err
	}
	select {
	case <-time.After(auditAgain):
	case <-ctx.Done():
		return first, ctx.Err()
	}
	again, err := a.audit(ctx, g, tenant, first.UpTo, tell)
	if err != nil || first.Faults > schema.MaxAuditShown || again.Faults > schema.MaxAuditShown {
		return again, err
	}
	was := map[schema.AuditFault]bool{}
	for _, f := range first.Found {
		was[f] = true
	}
	found := again.Found
	again.Found, again.Faults = []schema.AuditFault{}, 0
	for _, f := range found {
		if was[f] {
			note(&again, f)
		}
	}
	return again, nil
}

func note(rep *schema.Audit, f schema.AuditFault) {
	if rep.Faults++; len(rep.Found) < schema.MaxAuditShown {
		rep.Found = append(rep.Found, f)
	}
}

// walked is what an audit remembers of the log: a bit a sequence.
type walked []uint64

func (w walked) set(seq uint64)      { w[seq/64] |= 1 << (seq % 64) }
func (w walked) has(seq uint64) bool { return seq/64 < uint64(len(w)) && w[seq/64]&(1<<(seq%64)) != 0 }

func (a auditor) audit(ctx context.Context, g *reading, tenant string, judged uint64, tell func(done, total uint64)) (schema.Audit, error) {
	rep := schema.Audit{Generation: g.Number, Dropped: map[string]uint64{}, Found: []schema.AuditFault{}}
	var err error
	if rep.UpTo, err = a.settledTo(ctx, g.Number); err != nil {
		return rep, err
	}
	rep.UpTo = max(rep.UpTo, judged)
	seen := make(walked, rep.UpTo/64+1)
	var page []schema.Event
	flush := func() error {
		err := a.entriesOf(ctx, g.Number, page, &rep)
		page = page[:0]
		return err
	}
	err = a.eventLog.Audit(ctx, tenant, rep.UpTo, func(ev schema.Event, damage error) error {
		if !g.Holds(ev.Seq) {
			return nil
		}
		seen.set(ev.Seq)
		rep.Ledger.Accepted++
		tell(ev.Seq, rep.UpTo)
		if damage != nil {
			note(&rep, schema.AuditFault{Kind: schema.AuditDamaged, Event: ev.ID, Seq: ev.Seq})
			if ev.UUID == "" {
				rep.Ledger.Pending++
				return nil
			}
		}
		ev.Body = nil
		if page = append(page, ev); len(page) < auditPage {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	for _, col := range schema.Collections {
		if err == nil {
			err = a.pointsOf(ctx, g.Number, tenant, col, seen, &rep)
		}
	}
	return rep, err
}

// entriesOf judges entries of the log by their event points and passages.
func (a auditor) entriesOf(ctx context.Context, gen int, evs []schema.Event, rep *schema.Audit) error {
	if len(evs) == 0 {
		return nil
	}
	points, err := a.pointsOfEntries(ctx, gen, evs, schema.KeyDropped, schema.KeySegments)
	if err != nil {
		return err
	}
	want := map[string]schema.Event{} // passages
	for i, ev := range evs {
		p := points[i].state()
		if points[i].own != nil && points[i].later != nil {
			note(rep, schema.AuditFault{Kind: schema.AuditDoubled, Collection: schema.Events, Point: stages.LaterPoint(ev.UUID, ev.Seq), Event: ev.ID, Seq: ev.Seq})
		}
		l := &rep.Ledger
		outcome, _ := p[schema.KeyOutcome].(string)
		switch st := settlementOf(p); {
		case st == unknownEntry, st == openEntry: // the log is settled to beyond it
			l.Pending++
			note(rep, schema.AuditFault{Kind: schema.AuditMissing, Collection: schema.Events, Point: ev.UUID, Event: ev.ID, Seq: ev.Seq})
		case st == deadEntry:
			l.Dead++
		case outcome == string(schema.OutcomeForgotten):
			l.Forgotten++
		case outcome == string(schema.OutcomeDropped):
			l.Dropped++
			rep.Dropped[reasonsOf(p)]++
		case outcome == string(schema.OutcomeOpen):
			l.Indexed++
			segs, _ := p[schema.KeySegments].([]map[string]any)
			for _, s := range segs {
				key, _ := s["key"].(string)
				if said, _ := s["text"].(string); strings.TrimSpace(said) == "" {
					continue
				}
				want[stages.Passage(ev.UUID, ev.Seq, key, events.StageVectorize)] = ev
				want[stages.Passage(ev.UUID, ev.Seq, key, events.StageExtract)] = ev
			}
		default:
			l.Duplicate++
		}
	}
	ids := make([]string, 0, len(want))
	for id := range want {
		ids = append(ids, id)
	}
	for len(ids) > 0 {
		n := min(len(ids), auditPage)
		ps, err := a.points.GetKeys(ctx, gen, schema.Passages, ids[:n], schema.KeySeq)
		if err != nil {
			return fmt.Errorf("read passages: %w", err)
		}
		for _, p := range ps {
			delete(want, p.ID)
		}
		ids = ids[n:]
	}
	for id, ev := range want {
		note(rep, schema.AuditFault{Kind: schema.AuditMissing, Collection: schema.Passages, Point: id, Event: ev.ID, Seq: ev.Seq})
	}
	return nil
}

// reasonsOf is why nothing of an event was computed: the reason of its first segment.
func reasonsOf(p map[string]any) string {
	ds, _ := p[schema.KeyDropped].([]map[string]any)
	for _, d := range ds {
		if r, _ := d["reason"].(string); r != "" {
			return r
		}
	}
	return "empty"
}

// pointsOf looks for points of a tenant that no live entry of the log has.
func (a auditor) pointsOf(ctx context.Context, gen int, tenant string, col schema.Collection, seen walked, rep *schema.Audit) error {
	f := schema.Filter{Must: []schema.Cond{{Key: schema.KeyTenant, Equal: tenant}, upToSeq(rep.UpTo)}}
	o := qdrant.ScrollOptions{Limit: auditPage, Keys: []string{schema.KeyEvent, schema.KeyEventID, schema.KeySeq, schema.KeySegment, "stage"}}
	for {
		ps, next, err := a.points.Scroll(ctx, gen, col, f, o)
		if err != nil {
			return fmt.Errorf("read %s: %w", col, err)
		}
		if err := a.judge(ctx, gen, col, ps, seen, rep); err != nil {
			return err
		}
		if o.Cursor = next; next == "" {
			return nil
		}
	}
}

func (a auditor) judge(ctx context.Context, gen int, col schema.Collection, ps []schema.Point, seen walked, rep *schema.Audit) error {
	text := func(p schema.Point, key string) string { s, _ := p.Payload[key].(string); return s }
	seqOf := func(pl map[string]any) uint64 { n, _ := pl[schema.KeySeq].(int64); return uint64(n) }
	ids := make([]string, len(ps))
	for i, p := range ps {
		ids[i] = text(p, schema.KeyEvent)
	}
	holders := map[string]map[string]any{}
	if col != schema.Events {
		hs, err := a.points.GetKeys(ctx, gen, schema.Events, ids, schema.KeySeq, schema.KeyOutcome)
		if err != nil {
			return fmt.Errorf("read event points: %w", err)
		}
		for _, h := range hs {
			holders[h.ID] = h.Payload
		}
	}
	for i, p := range ps {
		seq, h := seqOf(p.Payload), holders[ids[i]]
		fault := schema.AuditFault{Kind: schema.AuditGhost, Collection: col, Point: p.ID, Event: text(p, schema.KeyEventID), Seq: seq}
		switch {
		case !seen.has(seq):
			note(rep, fault)
		case col == schema.Events:
			if p.ID != ids[i] && p.ID != stages.LaterPoint(ids[i], seq) {
				fault.Kind = schema.AuditDoubled
				note(rep, fault)
			}
		case h == nil:
			if col != schema.Passages { // the missing event point tells
				continue
			}
		case seqOf(h) != seq || h[schema.KeyOutcome] == string(schema.OutcomeForgotten):
			note(rep, fault)
		case col == schema.Passages && p.ID != stages.Passage(ids[i], seq, text(p, schema.KeySegment), text(p, "stage")):
			fault.Kind = schema.AuditDoubled
			note(rep, fault)
		}
	}
	return nil
}

// repair feeds what is missing again and deletes what is too much; it tells how many faults it dealt with once what it
// fed is settled.
func (a auditor) repair(ctx context.Context, g *reading, rep schema.Audit) (n uint64, err error) {
	fed := map[uint64]bool{}
	var open []schema.Event
	for _, f := range rep.Found {
		switch f.Kind {
		case schema.AuditMissing:
			if !fed[f.Seq] {
				ev, err := a.eventLog.Read(ctx, f.Seq)
				if schema.IsPermanent(err) { // damaged: nothing to feed
					continue
				}
				if err != nil {
					return n, err
				}
				if err := a.feed.feed(ctx, g, ev); err != nil && !schema.IsPermanent(err) {
					return n, err
				}
				ev.Body = nil
				fed[f.Seq], open = true, append(open, ev)
			}
		case schema.AuditGhost, schema.AuditDoubled:
			ps, err := a.points.GetKeys(ctx, g.Number, f.Collection, []string{f.Point}, schema.KeyOwner)
			if err != nil {
				return n, err
			}
			if len(ps) == 0 { // gone by itself
				n++
				continue
			}
			owner, _ := ps[0].Payload[schema.KeyOwner].(string)
			w := schema.Write{Kind: schema.WriteDelete, Collection: f.Collection, Owner: owner, IDs: []string{f.Point}}
			if err := a.points.Apply(ctx, g.Number, []schema.Write{w}); err != nil {
				return n, err
			}
		default:
			continue
		}
		n++
	}
	return n, a.untilSettled(ctx, g.Number, open)
}

// untilSettled waits until entries are settled or dead, for repairWait at most: what is not by then is found again.
func (a auditor) untilSettled(ctx context.Context, gen int, evs []schema.Event) error {
	wait, cancel := context.WithTimeout(ctx, repairWait)
	defer cancel()
	for {
		st, err := a.entries(wait, gen, evs)
		switch {
		case wait.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		case !slices.ContainsFunc(st, func(s settlement) bool { return s != settledEntry && s != deadEntry }):
			return nil
		}
		select {
		case <-time.After(lookRetry):
		case <-wait.Done():
		}
	}
}
