package upkeep

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// AuditLog is the log as an audit walks it.
type AuditLog interface {
	// Audit calls fn with what a tenant accepted, in order, up to a sequence; with an error where an entry is damaged.
	Audit(ctx context.Context, tenant string, upTo uint64, fn func(schema.Event, error) error) error
	Read(ctx context.Context, seq uint64) (schema.Event, error)
}

// AuditStore is the vector store as an audit reads and mends it.
type AuditStore interface {
	KeyedPoints
	// Some is a page of the points that match, with some keys of each; next is "" after the last page.
	Some(ctx context.Context, generation int, col schema.Collection, f schema.Filter, keys []string, cursor string) (ps []schema.Point, next string, err error)
	Apply(ctx context.Context, generation int, ws []schema.Write) error
}

// Auditor holds logs against stores. Safe for concurrent use.
type Auditor struct {
	Log     AuditLog
	Store   AuditStore
	Entries *Accounts
	Point   func(uuid string, seq uint64, part, stage string) string         // id of what a stage derives from a part of an entry
	Settled func(ctx context.Context, generation int) (uint64, error)        // how far the log is settled
	Verify  func(ctx context.Context) ([]schema.LogFault, error)             // reads the whole log against its witness; nil for nobody
	Feed    func(ctx context.Context, generation int, ev schema.Event) error // works on an entry again
	Pause   func(ctx context.Context, after time.Duration) error             // waits, or ends with ctx

	// Archived tells which turns are named by archive events that are carried out in a generation; nil: none are.
	Archived func(ctx context.Context, generation int) (func(schema.Event) bool, error)
}

// auditPage is how many entries or points an audit holds at a time, auditKept how many faults, auditAgain how long it waits before it looks at
// what it found once more: what was on its way is not wrong.
const (
	auditPage  = 256
	auditKept  = 100_000
	auditAgain = time.Second
	repairWait = 2 * time.Minute
	repairPoll = 50 * time.Millisecond
)

// keyFacts is where distill notes on an event point how many facts it found.
const (
	keyFacts = "facts"
	keyStage = "stage" // of a passage
)

// Run audits a tenant's log in a generation that reads what holds says, and mends what it finds where r asks for it. tell
// hears how far it is. It blocks until done.
func (a *Auditor) Run(ctx context.Context, gen int, holds func(seq uint64) bool, tenant string, r schema.AuditRequest, tell func(done, total uint64)) (schema.Audit, error) {
	w := walk{Auditor: a, gen: gen, holds: holds, tenant: tenant, tell: tell}
	rep, found, err := w.sure(ctx, 0)
	if err == nil && r.Repair && len(found) > 0 {
		if err = w.repair(ctx, found); err == nil {
			var left []schema.AuditFault
			if rep, left, err = w.sure(ctx, rep.UpTo); err == nil {
				still := setOf(left)
				for _, f := range found {
					if !still[f] {
						rep.Repaired++
					}
				}
				found = left
			}
		}
	}
	rep.Faults, rep.Kinds, rep.Found = uint64(len(found)), map[schema.AuditKind]uint64{}, []schema.AuditFault{}
	for _, f := range found {
		rep.Kinds[f.Kind]++
		if len(rep.Found) < schema.MaxAuditShown && (len(r.Kinds) == 0 || slices.Contains(r.Kinds, f.Kind)) {
			rep.Found = append(rep.Found, f)
		}
	}
	return rep, err
}

func setOf(fs []schema.AuditFault) map[schema.AuditFault]bool {
	out := make(map[schema.AuditFault]bool, len(fs))
	for _, f := range fs {
		out[f] = true
	}
	return out
}

// walk is one audit under way.
type walk struct {
	*Auditor
	gen    int
	holds  func(uint64) bool
	tenant string
	tell   func(done, total uint64)

	rep   schema.Audit
	found []schema.AuditFault
	seen  bits
	sound bool // the log was read against its witness, and is what was witnessed: a further look need not read it again

	archived  func(schema.Event) bool
	pointless map[string]bool // inside ids of entries without an event point
}

// bits is a set of sequences.
type bits []uint64

func (b bits) set(seq uint64)      { b[seq/64] |= 1 << (seq % 64) }
func (b bits) has(seq uint64) bool { return seq/64 < uint64(len(b)) && b[seq/64]&(1<<(seq%64)) != 0 }

func (w *walk) note(f schema.AuditFault) {
	if len(w.found) < auditKept {
		w.found = append(w.found, f)
	}
}

// sure audits twice where it finds anything, and tells what is there both times. What was settled up to a sequence once,
// judged, is so again: the floor lies lower while what was fed again is worked on.
func (w *walk) sure(ctx context.Context, judged uint64) (schema.Audit, []schema.AuditFault, error) {
	if err := w.audit(ctx, judged); err != nil || len(w.found) == 0 {
		return w.rep, w.found, err
	}
	first := setOf(w.found)
	if err := w.Pause(ctx, auditAgain); err != nil {
		return w.rep, w.found, err
	}
	if err := w.audit(ctx, w.rep.UpTo); err != nil {
		return w.rep, w.found, err
	}
	both := slices.DeleteFunc(slices.Clone(w.found), func(f schema.AuditFault) bool { return !first[f] })
	return w.rep, both, nil
}

func (w *walk) audit(ctx context.Context, judged uint64) error {
	w.rep, w.found = schema.Audit{Generation: w.gen, Dropped: map[string]uint64{}}, nil
	upTo, err := w.Settled(ctx, w.gen)
	if err != nil {
		return err
	}
	w.rep.UpTo = max(upTo, judged)
	w.seen, w.pointless = make(bits, w.rep.UpTo/64+1), map[string]bool{}
	w.archived = func(schema.Event) bool { return false }
	if w.Archived != nil {
		if w.archived, err = w.Archived(ctx, w.gen); err != nil {
			return err
		}
	}
	var page []schema.Event
	flush := func() error {
		err := w.entries(ctx, page)
		page = page[:0]
		return err
	}
	err = w.Log.Audit(ctx, w.tenant, w.rep.UpTo, func(ev schema.Event, damage error) error {
		if !w.holds(ev.Seq) {
			return nil
		}
		w.seen.set(ev.Seq)
		w.rep.Ledger.Accepted++
		w.tell(ev.Seq, w.rep.UpTo)
		if damage != nil {
			w.note(schema.AuditFault{Kind: schema.AuditDamaged, Event: ev.ID, Seq: ev.Seq})
			if ev.UUID == "" {
				w.rep.Ledger.Pending++
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
	if err == nil {
		err = w.lost(ctx)
	}
	for _, col := range schema.Collections {
		if err == nil {
			err = w.points(ctx, col)
		}
	}
	return err
}

// lost notes what the log itself lacks: whose it was is not known, so that every tenant's audit tells.
func (w *walk) lost(ctx context.Context) error {
	if w.Verify == nil || w.sound {
		return nil
	}
	faults, err := w.Verify(ctx)
	if err != nil {
		return fmt.Errorf("hold the log against its witness: %w", err)
	}
	w.sound = len(faults) == 0
	for _, f := range faults {
		for seq := f.From; seq <= f.To && len(w.found) < auditKept; seq++ {
			if f.Kind.Grave() || !w.seen.has(seq) { // else the walk tells
				w.note(schema.AuditFault{Kind: schema.AuditLost, Seq: seq})
			}
		}
	}
	return nil
}

// entries judges entries of the log by their event points, and by what must have been derived from each.
func (w *walk) entries(ctx context.Context, evs []schema.Event) error {
	if len(evs) == 0 {
		return nil
	}
	points, err := w.Entries.Read(ctx, w.gen, evs, schema.KeyDropped, schema.KeySegments, schema.KeyArchived, keyFacts)
	if err != nil {
		return err
	}
	want := map[schema.Collection]map[string]schema.Event{schema.Passages: {}, schema.Facts: {}}
	for i, ev := range evs {
		p := points[i].State()
		if points[i].Own != nil && points[i].Later != nil {
			w.note(schema.AuditFault{Kind: schema.AuditDoubled, Collection: schema.Events, Point: w.Entries.Later(ev.UUID, ev.Seq), Event: ev.ID, Seq: ev.Seq})
		}
		l := &w.rep.Ledger
		outcome := schema.Outcome(str(p, schema.KeyOutcome))
		switch st := w.Entries.Of(p); {
		case st == EntryUnknown, st == EntryOpen: // the log is settled to beyond it
			l.Pending++
			w.pointless[ev.UUID] = true
			w.note(schema.AuditFault{Kind: schema.AuditMissing, Collection: schema.Events, Point: ev.UUID, Event: ev.ID, Seq: ev.Seq})
		case st == EntryDead:
			l.Dead++
		case outcome == schema.OutcomeForgotten:
			l.Forgotten++
		case outcome == schema.OutcomeDropped:
			l.Dropped++
			w.rep.Dropped[DroppedBy(objects(p[schema.KeyDropped]))]++
		case outcome == schema.OutcomeOpen:
			l.Indexed++
			w.expect(ev, p, want)
		default:
			l.Duplicate++
		}
	}
	for col, ids := range want {
		if err := w.absent(ctx, col, ids); err != nil {
			return err
		}
	}
	return nil
}

// expect adds what must have been derived from an entry: two passages a segment that says something, and a fact point for each
// fact that distill counted, or for what was stated outright. Of a turn that should be archived, and is not, it is the
// passages of its document.
func (w *walk) expect(ev schema.Event, p map[string]any, want map[schema.Collection]map[string]schema.Event) {
	segs := objects(p[schema.KeySegments])
	if ev.Op == schema.OpTurn && p[schema.KeyArchived] != true && w.archived(ev) {
		segs = []map[string]any{{"key": string(schema.SegArchive), "text": "a document"}}
	}
	for _, s := range segs {
		if strings.TrimSpace(str(s, "text")) == "" {
			continue
		}
		for _, stage := range []string{events.StageVectorize, events.StageExtract} {
			want[schema.Passages][w.Point(ev.UUID, ev.Seq, str(s, "key"), stage)] = ev
		}
	}
	for i := range w.facts(ev.Op, p) {
		want[schema.Facts][w.Point(ev.UUID, ev.Seq, fmt.Sprint(i), events.StageDecide)] = ev
	}
}

// facts is how many statements an entry makes.
func (w *walk) facts(op schema.Op, p map[string]any) int64 {
	if op == schema.OpMemory || op == schema.OpPin {
		return 1
	}
	return int64(number(p[keyFacts]))
}

// absent notes the points of want that are not there.
func (w *walk) absent(ctx context.Context, col schema.Collection, want map[string]schema.Event) error {
	ids := make([]string, 0, len(want))
	for id := range want {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for page := range slices.Chunk(ids, auditPage) {
		ps, err := w.Store.GetKeys(ctx, w.gen, col, page, schema.KeySeq)
		if err != nil {
			return fmt.Errorf("read %s: %w", col, err)
		}
		for _, p := range ps {
			delete(want, p.ID)
		}
	}
	for _, id := range ids {
		if ev, ok := want[id]; ok {
			w.note(schema.AuditFault{Kind: schema.AuditMissing, Collection: col, Point: id, Event: ev.ID, Seq: ev.Seq})
		}
	}
	return nil
}
