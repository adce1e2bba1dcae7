package events

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// recheck looks again at the entries that were found damaged or swapped, wherever they lie, in a log that ends at last. What
// cannot be looked at, since the log ends before it or bodies cannot be had, stays as it was found.
func (w *Witness) recheck(ctx context.Context, r *Log, known []schema.LogFault, last uint64) error {
	var again []schema.SequenceRange
	for _, f := range known {
		if f.Kind != schema.LogDamaged && f.Kind != schema.LogSwapped {
			continue
		}
		if f.To > last || r == nil && f.Kind == schema.LogDamaged {
			w.accuse(f)
			continue
		}
		again = append(again, schema.SequenceRange{From: f.From, To: f.To})
	}
	slices.SortFunc(again, func(a, b schema.SequenceRange) int { return cmp.Compare(a.From, b.From) })
	for i := 0; i < len(again); { // neighbours in one reading
		from, to := again[i].From, again[i].To
		for i++; i < len(again) && again[i].From <= to+1; i++ {
			to = max(to, again[i].To)
		}
		if err := w.verify(ctx, r, from, to, nil); err != nil {
			return err
		}
	}
	return nil
}

// reader reads whole, checked entries; nil where bodies cannot be had, and headers alone are compared.
func (w *Witness) reader(ctx context.Context) *Log {
	l, err := OpenLog(ctx, w.js)
	if err != nil {
		w.log.Warn("bodies of the log are not looked at", "error", err)
		return nil
	}
	return l
}

// judge holds one entry against its tag and its hash. It errs where it could not look.
func (w *Witness) judge(ctx context.Context, r *Log, b *tagBlock, seq uint64, subject string, h nats.Header, body []byte) error {
	t := b.tagAt(seq)
	if t == noTag && b != nil && b.has(seq) { // accepted as it is
		return nil
	}
	if t != noTag && t != unseenTag && t != tagOf(seq, subject, h) {
		w.accuse(schema.LogFault{Kind: schema.LogSwapped, From: seq, To: seq, Detail: "another entry was witnessed there: the log is another one, was restored from a copy and went on, or was written by hand"})
		return nil
	}
	if r == nil {
		return nil
	}
	_, err := r.event(ctx, h, body, seq)
	switch {
	case err == nil:
		w.mu.Lock()
		w.state.Checked++
		w.mu.Unlock()
	case schema.IsPermanent(err) || schema.CodeOf(err) == schema.CodeNotFound:
		going, lookErr := w.going(ctx, r, seq)
		if lookErr != nil {
			return fmt.Errorf("log entry %d: %w", seq, lookErr)
		}
		if going { // an erasure that is under way removes bodies before entries
			return nil
		}
		w.accuse(schema.LogFault{Kind: schema.LogDamaged, From: seq, To: seq, Detail: schema.Wire(err).Message})
	default:
		return fmt.Errorf("log entry %d: %w", seq, err)
	}
	return nil
}

// sample judges entries all over the log up to end, evenly, the same ones at every start on the same log.
func (w *Witness) sample(ctx context.Context, r *Log, s jetstream.Stream, end uint64) error {
	step := max(end/sampleSize, 1)
	var b *tagBlock
	for seq := uint64(1); seq <= end; seq += step {
		if b == nil || !b.has(seq) {
			var err error
			if b, err = w.blockOrNone(ctx, blockOf(seq)); err != nil {
				return err
			}
		}
		m, err := s.GetMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue // gaps are looked at by themselves, and what cannot be read shows in the walk
		}
		if err != nil {
			return fmt.Errorf("log entry %d: %w", seq, err)
		}
		if err := w.judge(ctx, r, b, seq, m.Subject, m.Header, m.Data); err != nil {
			return err
		}
	}
	return nil
}

// blockOrNone is a block, nil where there is none or it is damaged itself, which is logged. It errs where it could not look:
// that is no sign that the log is right.
func (w *Witness) blockOrNone(ctx context.Context, number uint64) (*tagBlock, error) {
	if w.tail != nil && w.tail.number == number {
		return w.tail, nil
	}
	b, err := w.block(ctx, number)
	if schema.CodeOf(err) == schema.CodeCorrupt {
		w.log.Error("entries are not held against what was witnessed", "error", err)
		return nil, nil
	}
	return b, err
}

// verify reads the entries from..to in full and judges each. What was witnessed and does not come, and is no known gap, cannot be read: the server passes over it.
func (w *Witness) verify(ctx context.Context, r *Log, from, to uint64, tell func(seq uint64)) error {
	if from == 0 || from > to {
		return nil
	}
	next := from
	var b *tagBlock
	looked := false
	skipped := func(upTo uint64) error {
		for ; next < upTo; next++ {
			if b == nil || !b.has(next) {
				var err error
				if b, err = w.blockOrNone(ctx, blockOf(next)); err != nil {
					return err
				}
			}
			if b.tagAt(next) == noTag || w.gaps.has(next) {
				continue
			}
			if !looked { // it may have been erased since
				looked = true
				s, info, err := w.look(ctx)
				if err == nil && s != nil {
					err = w.lookForGaps(ctx, s, info)
				}
				if err != nil {
					return err
				}
			}
			if !w.gaps.has(next) {
				w.accuse(schema.LogFault{Kind: schema.LogDamaged, From: next, To: next, Detail: "the server cannot read it, and passes over it"})
			}
		}
		return nil
	}
	err := walk(ctx, w.js, StreamLog, from, []string{SubjectsLog}, false, func(seq uint64, m jetstream.Msg) error {
		if seq > to {
			return errEnough
		}
		if err := skipped(seq); err != nil {
			return err
		}
		if b == nil || !b.has(seq) {
			var err error
			if b, err = w.blockOrNone(ctx, blockOf(seq)); err != nil {
				return err
			}
		}
		if err := w.judge(ctx, r, b, seq, m.Subject(), m.Headers(), m.Data()); err != nil {
			return err
		}
		if next = seq + 1; tell != nil {
			tell(seq)
		}
		if seq == to {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	looked = false
	return skipped(to + 1)
}

// Verify reads every entry that was witnessed, in full, and judges it; tell hears how far it is. What it finds is in
// [Witness.State], and known to the next start. It blocks until done; others may look meanwhile.
func (w *Witness) Verify(ctx context.Context, tell func(done, total uint64)) error {
	w.work.Lock()
	end, tail, first := w.end, w.tail, w.first*blockSize+1
	w.work.Unlock()
	if tail == nil {
		return nil
	}
	r := w.reader(ctx)
	for from := first; from <= end; from += blockSize {
		to := min(from+blockSize-1, end)
		w.work.Lock()   // for a block at a time
		if w.outlived { // the tags are of another log than the one that this process has read
			w.work.Unlock()
			return nil
		}
		err := w.retry(ctx, func() error { return w.verify(ctx, r, from, to, nil) })
		if err == nil {
			err = w.saveFaults(ctx)
		}
		w.work.Unlock()
		if err != nil {
			return fmt.Errorf("verify the log: %w", mapError(err))
		}
		if tell != nil {
			tell(to, end)
		}
	}
	return nil
}
