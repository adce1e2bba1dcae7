package stages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Archive prunes a turn that an archive event names. It takes the turn's own log entry, once the log is settled up to the
// archive event, and has no durable: who carries archive events out runs it for every turn that they name.
//
// It writes what clean, vectorize and extract write of a turn that they know to be archived: the document as the one
// segment of the event point, and as a dense and a terms point, whose ids are those of any segment; and it deletes the
// points of the other segments. So it does not matter who comes first. A stage that did not know decides once more after
// its writes (see [Spec].Prunes), and all of them come to the same points, whatever was redelivered, replayed or retried.
var Archive = Spec{
	Name: "archive", In: InLog,
	Doc: "leaves one document of a turn that is archived",
	New: newArchive, Prunes: true,
}

type archiveStage struct {
	clean   *cleanStage
	indexes []Func
}

func newArchive(d Deps) (Func, error) {
	d.Archived = func(schema.Event) bool { return true }
	c, err := newCleanStage(d)
	if err != nil {
		return nil, err
	}
	if d.Points == nil {
		return nil, errors.New("archive needs the port Points")
	}
	s := archiveStage{clean: c}
	for _, spec := range []Spec{Vectorize, Extract} {
		fn, err := spec.New(d)
		if err != nil {
			return nil, fmt.Errorf("build %s: %w", spec.Name, err)
		}
		s.indexes = append(s.indexes, fn)
	}
	return s.run, nil
}

// run leaves alone what is no memory: dropped, dead, or another entry's. First the points of other segments go, as the
// index has them and not as the turn would be cut today: a tool may have lost its memory since. Then the document comes,
// so that where it is found all of the rest is done.
func (s archiveStage) run(ctx context.Context, ev schema.Event) (schema.Result, error) {
	res := schema.Result{Archived: true}
	if err := schema.CheckVersion(ev.Version); err != nil {
		return res, err
	}
	if ev.Op != schema.OpTurn {
		return res, nil
	}
	found, err := s.clean.deps.Events.EventPoint(ctx, ev.Generation, ev.UUID)
	if err != nil {
		return res, fmt.Errorf("read event point %s: %w", ev.UUID, err)
	}
	if seqOf(found) != ev.Seq {
		return res, nil
	}
	switch found[schema.KeyOutcome] {
	case string(schema.OutcomeForgotten):
		res.Writes = unarchive(ev)
		return res, nil
	case string(schema.OutcomeOpen):
	default:
		return res, nil
	}
	c := &claim{s: s.clean, ev: ev, archived: true}
	if err := c.compute(nil); err != nil {
		return res, err
	}
	docs, _ := c.point.Payload[schema.KeySegments].([]map[string]any)
	gone, err := s.others(ctx, ev, len(docs) > 0)
	if err != nil {
		return res, err
	}
	res.Writes = append(gone, c.prune())
	if c.out != nil {
		res.Next = func(ctx context.Context) (schema.Result, error) { return s.index(ctx, *c.out) }
	}
	return res, nil
}

// index writes the document.
func (s archiveStage) index(ctx context.Context, cleaned schema.Event) (schema.Result, error) {
	res := schema.Result{Archived: true}
	for _, fn := range s.indexes {
		r, err := fn(ctx, cleaned)
		if err != nil {
			return res, err
		}
		res.Writes = append(res.Writes, r.Writes...)
	}
	return res, nil
}

// others deletes the passages of ev, but for those of its document where there is one.
func (s archiveStage) others(ctx context.Context, ev schema.Event, document bool) ([]schema.Write, error) {
	owner := schema.Owner(ev.Tenant, ev.User)
	gone := schema.Write{Kind: schema.WriteDelete, Collection: schema.Passages, Owner: owner}
	mine := schema.Filter{Must: []schema.Cond{{Key: schema.KeyOwner, Equal: owner}, {Key: schema.KeyEvent, Equal: ev.UUID}}}
	err := s.clean.deps.Points.Each(ctx, ev.Generation, schema.Passages, mine, func(p schema.Point) error {
		if seqOf(p.Payload) == ev.Seq && !(document && p.Payload[schema.KeySegment] == keyDocument) {
			gone.IDs = append(gone.IDs, p.ID)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list passages of event %s: %w", ev.UUID, err)
	}
	if len(gone.IDs) == 0 {
		return nil, nil
	}
	return []schema.Write{gone}, nil
}

// unarchive takes back what a delivery wrote that saw the turn before it was forgotten, and died before it could learn of
// that: nobody else comes back to it.
func unarchive(ev schema.Event) []schema.Write {
	owner := schema.Owner(ev.Tenant, ev.User)
	mark := schema.ForgottenWrite(owner, ev.UUID)
	mark.Seq = ev.Seq
	return []schema.Write{mark, {
		Kind: schema.WriteDelete, Collection: schema.Passages, Owner: owner,
		IDs: []string{pointID(ev, keyDocument, vectorizeName), pointID(ev, keyDocument, extractName)},
	}}
}

// archived reports whether ev is known to be archived.
func (d Deps) archived(ev schema.Event) bool { return d.Archived != nil && d.Archived(ev) }

// document puts the document of an archived turn in the place of the segments of its event point.
func (c *claim) document(pl map[string]any) error {
	_, segs, err := readCleaned(*c.out)
	if err != nil {
		return err
	}
	said := 0
	for _, s := range segs {
		if s.Kind == schema.SegInput {
			said += utf8.RuneCountInString(s.Text)
		}
	}
	docs := segmentsPayload(document(segs))
	for _, d := range docs {
		d[schema.KeySaid] = int64(said)
	}
	pl[schema.KeySegments], pl[schema.KeyArchived] = docs, true
	return nil
}

// prune takes the text out of an event point that was written before it was known that the turn is archived, unless it
// is forgotten meanwhile. What of the turn is not computed is told as it is by now.
func (c *claim) prune() schema.Write {
	return schema.Write{
		Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: schema.Owner(c.ev.Tenant, c.ev.User), IDs: []string{c.ev.UUID}, Seq: c.ev.Seq,
		Outcome: schema.OutcomeOpen,
		Payload: map[string]any{
			schema.KeySegments: c.point.Payload[schema.KeySegments], schema.KeyArchived: true,
			schema.KeyDropped: c.point.Payload[schema.KeyDropped], schema.KeyFaults: c.point.Payload[schema.KeyFaults],
		},
	}
}

// kept are the segments that stage writes points of, and the deletion of the points of others that it may have written
// before the turn was archived.
func kept(ev schema.Event, segs []schema.Segment, stage string, archived bool) ([]schema.Segment, []schema.Write) {
	if !archived || len(segs) == 0 {
		return segs, nil
	}
	gone := schema.Write{Kind: schema.WriteDelete, Collection: schema.Passages, Owner: schema.Owner(ev.Tenant, ev.User)}
	for _, s := range segs {
		gone.IDs = append(gone.IDs, pointID(ev, s.Key, stage))
	}
	return document(segs), []schema.Write{gone}
}

// toolKeys are the keys of several tools, each once.
func toolKeys(names []string) []string {
	var out []string
	for _, n := range names {
		for _, k := range schema.ToolKeys(n) {
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	return out
}
