package upkeep

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// points looks for points of a tenant that no live entry of the log has, and for gaps in what is numbered.
func (w *walk) points(ctx context.Context, col schema.Collection) error {
	most := float64(w.rep.UpTo)
	f := schema.Filter{Must: []schema.Cond{{Key: schema.KeyTenant, Equal: w.tenant}, {Key: schema.KeySeq, Range: &schema.Range{LTE: &most}}}}
	keys := []string{schema.KeyEvent, schema.KeyEventID, schema.KeySeq, schema.KeySegment, keyStage}
	series := map[seriesKey][]string{} // triples of a segment
	for cursor := ""; ; {
		ps, next, err := w.Store.Some(ctx, w.gen, col, f, keys, cursor)
		if err != nil {
			return fmt.Errorf("read %s: %w", col, err)
		}
		if err := w.judge(ctx, col, ps, series); err != nil {
			return err
		}
		if cursor = next; next == "" {
			break
		}
	}
	w.gaps(series)
	return nil
}

// seriesKey is the segment that numbered points belong to.
type seriesKey struct {
	uuid, event, segment string
	seq                  uint64
}

func (w *walk) judge(ctx context.Context, col schema.Collection, ps []schema.Point, series map[seriesKey][]string) error {
	ids := make([]string, len(ps))
	for i, p := range ps {
		ids[i] = str(p.Payload, schema.KeyEvent)
	}
	holders := map[string]map[string]any{}
	if col != schema.Events {
		hs, err := w.Store.GetKeys(ctx, w.gen, schema.Events, unique(ids), schema.KeySeq, schema.KeyOutcome, schema.KeyArchived, keyFacts, keyOp)
		if err != nil {
			return fmt.Errorf("read event points: %w", err)
		}
		for _, h := range hs {
			holders[h.ID] = h.Payload
		}
	}
	for i, p := range ps {
		seq, h := uint64(number(p.Payload[schema.KeySeq])), holders[ids[i]]
		fault := schema.AuditFault{Kind: schema.AuditGhost, Collection: col, Point: p.ID, Event: str(p.Payload, schema.KeyEventID), Seq: seq}
		segment := str(p.Payload, schema.KeySegment)
		switch {
		case !w.seen.has(seq):
			w.note(fault)
		case col == schema.Events:
			if p.ID != ids[i] && p.ID != w.Entries.Later(ids[i], seq) {
				fault.Kind = schema.AuditDoubled
				w.note(fault)
			}
		case h == nil:
			if !w.pointless[ids[i]] { // else the missing event point tells
				w.note(fault)
			}
		case uint64(number(h[schema.KeySeq])) != seq || h[schema.KeyOutcome] == string(schema.OutcomeForgotten):
			w.note(fault)
		case col == schema.Passages && (segment == string(schema.SegArchive)) != (h[schema.KeyArchived] == true):
			w.note(fault) // of an archived turn nothing but its document is there, and of another none
		case col == schema.Passages && p.ID != w.Point(ids[i], seq, segment, str(p.Payload, keyStage)),
			col == schema.Facts && !w.isFact(p.ID, ids[i], seq, h):
			fault.Kind = schema.AuditDoubled
			w.note(fault)
		case col == schema.Triples:
			k := seriesKey{ids[i], fault.Event, segment, seq}
			series[k] = append(series[k], p.ID)
		}
	}
	return nil
}

// keyOp is where an event point has the op of its entry.
const keyOp = "op"

func unique(ids []string) []string {
	out := slices.Clone(ids)
	slices.Sort(out)
	return slices.Compact(out)
}

// isFact reports whether id is one that a statement of an entry has, or the edit that it makes.
func (w *walk) isFact(id, uuid string, seq uint64, holder map[string]any) bool {
	for i := range w.facts(schema.Op(str(holder, keyOp)), holder) {
		n := strconv.FormatInt(i, 10)
		if id == w.Point(uuid, seq, n, events.StageDecide) || id == w.Point(uuid, seq, n+".edit", events.StageDecide) {
			return true
		}
	}
	return false
}

// gapSearch is how far beyond the number of triples that a segment has the number of one of them is looked for.
const gapSearch = 64

// gaps notes what is missing among triples, which are numbered within their segment, and what has no number. What is lost
// from the end of a segment, or all of it, does not show.
func (w *walk) gaps(series map[seriesKey][]string) {
	for k, ids := range series {
		left := map[string]bool{}
		for _, id := range ids {
			left[id] = true
		}
		var skipped []string
		for n := 0; len(left) > 0 && n < len(ids)+gapSearch; n++ {
			id := w.Point(k.uuid, k.seq, k.segment+"."+strconv.Itoa(n), events.StageDistill)
			if !left[id] {
				skipped = append(skipped, id)
				continue
			}
			if delete(left, id); len(skipped) > 0 {
				for _, id := range skipped {
					w.note(schema.AuditFault{Kind: schema.AuditMissing, Collection: schema.Triples, Point: id, Event: k.event, Seq: k.seq})
				}
				skipped = nil
			}
		}
		for id := range left {
			w.note(schema.AuditFault{Kind: schema.AuditDoubled, Collection: schema.Triples, Point: id, Event: k.event, Seq: k.seq})
		}
	}
}
