package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// faultKey is by what a fault is known.
type faultKey struct {
	kind schema.LogFaultKind
	from uint64
}

func keyOf(f schema.LogFault) faultKey { return faultKey{f.Kind, f.From} }

// Check holds the log against what was witnessed of it, before anything is served: its end, the last block of entries and a
// sample of the others in full, and every gap. It repairs nothing. What it finds is in [Witness.State]; its error says that
// it could not look. It may be called again.
func (w *Witness) Check(ctx context.Context) error {
	w.work.Lock()
	defer w.work.Unlock()
	err := w.heed(ctx, true)
	if err == nil {
		err = w.retry(ctx, func() error { return w.anew(func() error { return w.check(ctx) }) })
	}
	if err != nil {
		return fmt.Errorf("check the log: %w", mapError(err))
	}
	return w.saveFaults(ctx)
}

// anew makes what look finds all that this process has found, unless it could not look.
func (w *Witness) anew(look func() error) error {
	w.mu.Lock()
	w.looking = map[faultKey]schema.LogFault{}
	w.mu.Unlock()
	err := look()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.found = w.looking
	}
	w.looking = nil
	return err
}

// witnessedTries bounds how often a look begins anew because other processes witness the same log.
const witnessedTries = 5

// retry calls f again where another process has witnessed meanwhile: what is there holds, and is loaded first.
func (w *Witness) retry(ctx context.Context, f func() error) error {
	err := f()
	for n := 1; n < witnessedTries && errors.Is(err, ErrWitnessed); n++ {
		if err = w.load(ctx); err == nil {
			err = f()
		}
	}
	return err
}

func (w *Witness) check(ctx context.Context) error {
	if err := w.load(ctx); err != nil {
		return err
	}
	known, err := w.loadFaults(ctx)
	if err != nil {
		return err
	}
	w.mine = known
	s, info, err := w.look(ctx)
	if err != nil {
		return err
	}
	w.gaps, w.named, w.namedAt = gapsSeen{}, nil, 0 // the log may be another one
	if w.end == 0 {
		return nil // nothing was witnessed yet: the log is taken as it is
	}
	made := w.tail.created
	switch {
	case s == nil:
		w.accuse(schema.LogFault{Kind: schema.LogShortened, From: 1, To: w.end, Detail: "the stream " + StreamLog + " is gone"})
		return nil
	case info.State.LastSeq < w.end:
		f := schema.LogFault{Kind: schema.LogShortened, From: info.State.LastSeq + 1, To: w.end, Detail: fmt.Sprintf("it ends at %d, and went on to %d", info.State.LastSeq, w.end)}
		if !info.Created.Equal(made) {
			f.Detail += fmt.Sprintf("; the stream was made at %s, the one before at %s: it was restored from a copy, or is another one", stamp(info.Created), stamp(made))
		}
		w.accuse(f)
	}
	if err := w.lookForGaps(ctx, s, info); err != nil {
		return err
	}
	r := w.reader(ctx)
	for _, f := range known { // mended meanwhile?
		if f.Kind != schema.LogDamaged {
			continue
		}
		if err := w.verify(ctx, r, f.From, min(f.To, info.State.LastSeq), nil); err != nil {
			return err
		}
	}
	if end := min(w.end, info.State.LastSeq); end > 0 {
		if err := w.sample(ctx, r, s, end); err != nil {
			return err
		}
		if err := w.verify(ctx, r, max(w.tail.first(), end-min(end-1, blockSize)), end, nil); err != nil {
			return err
		}
	}
	if !info.Created.Equal(made) && !w.grave() {
		w.log.Warn("the log's stream was made anew, and holds what was witnessed", "made", info.Created, "before", made)
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// look is the log's stream as it stands, nil where it is gone.
func (w *Witness) look(ctx context.Context) (jetstream.Stream, *jetstream.StreamInfo, error) {
	s, err := w.js.Stream(ctx, StreamLog)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Witnessed = w.end
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		w.state.Created, w.state.First, w.state.Last = time.Time{}, 0, 0
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("look at the log: %w", err)
	}
	info := s.CachedInfo()
	w.state.Created, w.state.First, w.state.Last = info.Created, info.State.FirstSeq, info.State.LastSeq
	return s, info, nil
}

// accuse notes a fault. It is told of where it was not known.
func (w *Witness) accuse(f schema.LogFault) {
	k := keyOf(f)
	w.mu.Lock()
	into := w.finding()
	n := 0
	for have := range into {
		if have.kind == f.Kind {
			n++
		}
	}
	_, known := w.found[k]
	_, again := into[k]
	full := !again && n >= maxFaults
	if !full {
		into[k] = f
	}
	w.mu.Unlock()
	if known || again || full {
		return
	}
	w.log.LogAttrs(context.Background(), slog.LevelError, "the log is not what was witnessed of it", slog.String("kind", string(f.Kind)), slog.Uint64("from", f.From), slog.Uint64("to", f.To), slog.String("detail", f.Detail))
	if w.tell != nil {
		w.tell(f)
	}
}

// finding is where faults go at present. The caller holds mu.
func (w *Witness) finding() map[faultKey]schema.LogFault {
	if w.looking != nil {
		return w.looking
	}
	return w.found
}

// forgive takes back faults.
func (w *Witness) forgive(which func(schema.LogFault) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.finding(), func(_ faultKey, f schema.LogFault) bool { return which(f) })
}

// grave reports whether this process has found, or finds at present, what holds the log.
func (w *Witness) grave() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for k := range w.finding() {
		if k.kind.Grave() {
			return true
		}
	}
	return false
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
			b = w.blockOrNone(ctx, blockOf(seq))
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

// blockOrNone is a block, nil where there is none or it is damaged itself, which is logged.
func (w *Witness) blockOrNone(ctx context.Context, number uint64) *tagBlock {
	if w.tail != nil && w.tail.number == number {
		return w.tail
	}
	b, err := w.block(ctx, number)
	if err != nil {
		w.log.Error("entries are not held against what was witnessed", "error", err)
		return nil
	}
	return b
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
				b = w.blockOrNone(ctx, blockOf(next))
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
			b = w.blockOrNone(ctx, blockOf(seq))
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
		w.work.Lock() // for a block at a time
		err := w.retry(ctx, func() error { return w.verify(ctx, r, from, to, nil) })
		w.work.Unlock()
		if err != nil {
			return fmt.Errorf("verify the log: %w", mapError(err))
		}
		if tell != nil {
			tell(to, end)
		}
	}
	w.work.Lock()
	defer w.work.Unlock()
	return w.saveFaults(ctx)
}
