package upkeep

import (
	"context"
	"fmt"
	"slices"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// repair deletes what is too much, but no ghosts of a log that has lost entries, feeds again the entries of which something is missing, and waits until what it fed is there, for
// repairWait at most: what is not by then is found again.
func (w *walk) repair(ctx context.Context, found []schema.AuditFault) error {
	// Where the log has lost entries, what looks like a ghost may be the last that is left of one: it stays until somebody
	// has decided what the log is (log accept).
	lost := slices.ContainsFunc(found, func(f schema.AuditFault) bool { return f.Kind == schema.AuditLost })
	for _, f := range found {
		if f.Kind == schema.AuditGhost && !lost || f.Kind == schema.AuditDoubled {
			if err := w.remove(ctx, f); err != nil {
				return err
			}
		}
	}
	fed := map[uint64]bool{} // whether it could be
	var open []schema.Event
	var back []schema.AuditFault
	for _, f := range found {
		if f.Kind != schema.AuditMissing {
			continue
		}
		ok, tried := fed[f.Seq]
		if !tried {
			ev, err := w.Log.Read(ctx, f.Seq)
			if err == nil {
				err = w.Feed(ctx, w.gen, ev)
			}
			if ok = err == nil; ok {
				ev.Body = nil
				open = append(open, ev)
			} else if !schema.IsPermanent(err) { // else it is damaged, or refused once more
				return fmt.Errorf("feed log entry %d again: %w", f.Seq, err)
			}
			fed[f.Seq] = ok
		}
		if ok {
			back = append(back, f)
		}
	}
	return w.untilBack(ctx, open, back)
}

// remove deletes one point, of whoever it is.
func (w *walk) remove(ctx context.Context, f schema.AuditFault) error {
	ps, err := w.Store.GetKeys(ctx, w.gen, f.Collection, []string{f.Point}, schema.KeyOwner)
	if err != nil || len(ps) == 0 { // gone by itself
		return err
	}
	del := schema.Write{Kind: schema.WriteDelete, Collection: f.Collection, Owner: str(ps[0].Payload, schema.KeyOwner), IDs: []string{f.Point}}
	if err := w.Store.Apply(ctx, w.gen, []schema.Write{del}); err != nil {
		return fmt.Errorf("delete point %s of %s: %w", f.Point, f.Collection, err)
	}
	return nil
}

// untilBack waits until entries are settled or dead, and their points are there. An entry whose points went was settled all
// the while, and stays so.
func (w *walk) untilBack(ctx context.Context, open []schema.Event, back []schema.AuditFault) error {
	wait, cancel := context.WithTimeout(ctx, repairWait)
	defer cancel()
	for {
		done, err := w.allBack(wait, open, back)
		switch {
		case wait.Err() != nil:
			return ctx.Err()
		case err != nil || done:
			return err
		}
		if w.Pause(wait, repairPoll) != nil {
			return ctx.Err()
		}
	}
}

func (w *walk) allBack(ctx context.Context, open []schema.Event, back []schema.AuditFault) (bool, error) {
	dead := map[uint64]bool{}
	for page := range slices.Chunk(open, auditPage) {
		st, err := w.Entries.Settlements(ctx, w.gen, page)
		if err != nil {
			return false, err
		}
		for i, s := range st {
			if dead[page[i].Seq] = s == EntryDead; s != EntryDead && s != EntrySettled {
				return false, nil
			}
		}
	}
	for _, col := range schema.Collections {
		var ids []string
		for _, f := range back {
			if f.Collection == col && !dead[f.Seq] {
				ids = append(ids, f.Point)
			}
		}
		for page := range slices.Chunk(ids, auditPage) {
			ps, err := w.Store.GetKeys(ctx, w.gen, col, page, schema.KeySeq)
			if err != nil {
				return false, fmt.Errorf("read %s: %w", col, err)
			}
			if len(ps) < len(page) && col != schema.Events { // an event point may stand under another id
				return false, nil
			}
		}
	}
	return true, nil
}
