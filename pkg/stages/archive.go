package stages

import (
	"context"
	"fmt"
	"slices"

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

// run leaves alone what is no memory: dropped, forgotten, dead, or another entry's.
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
	if seqOf(found) != ev.Seq || found[schema.KeyOutcome] != string(schema.OutcomeOpen) {
		return res, nil
	}
	c := &claim{s: s.clean, ev: ev, archived: true}
	if err := c.compute(nil); err != nil || c.out == nil {
		return res, err
	}
	res.Writes = append(res.Writes, c.prune())
	for _, index := range s.indexes {
		r, err := index(ctx, *c.out)
		if err != nil {
			return res, err
		}
		res.Writes = append(res.Writes, r.Writes...)
	}
	return res, nil
}

// archived reports whether ev is known to be archived.
func (d Deps) archived(ev schema.Event) bool { return d.Archived != nil && d.Archived(ev) }

// document puts the document of an archived turn in the place of the segments of its event point.
func (c *claim) document(pl map[string]any) error {
	_, segs, err := readCleaned(*c.out)
	if err != nil {
		return err
	}
	pl[schema.KeySegments], pl[schema.KeyArchived] = segmentsPayload(document(segs)), true
	return nil
}

// prune takes the text out of an event point that was written before it was known that the turn is archived.
func (c *claim) prune() schema.Write {
	return schema.Write{
		Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: schema.Owner(c.ev.Tenant, c.ev.User), IDs: []string{c.ev.UUID}, Seq: c.ev.Seq,
		Payload: map[string]any{schema.KeySegments: c.point.Payload[schema.KeySegments], schema.KeyArchived: true},
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
