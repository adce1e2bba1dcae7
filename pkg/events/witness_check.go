package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// faultKey is by what a fault is known.
type faultKey struct {
	kind schema.LogFaultKind
	from uint64
}

func keyOf(f schema.LogFault) faultKey { return faultKey{f.Kind, f.From} }

// Check holds the log against what was witnessed of it, before anything is served: its end, the last block of entries, what was
// found wrong before and a sample of the others in full, and every gap. It repairs nothing. What it finds is in [Witness.State]; its error says that
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
		return w.recheck(ctx, nil, known, 0)
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
	if err := w.recheck(ctx, r, known, info.State.LastSeq); err != nil {
		return err
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
