package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Advance witnesses what was appended since, and looks for gaps. It reads headers alone. It does nothing on a log that is
// [schema.LogState.Held].
func (w *Witness) Advance(ctx context.Context) error {
	w.work.Lock()
	defer w.work.Unlock()
	if w.State().Held {
		return nil
	}
	err := w.advance(ctx)
	switch {
	case errors.Is(err, ErrWitnessed): // what is there holds
		err = w.load(ctx)
	case err == nil:
		err = w.saveFaults(ctx)
	}
	if err != nil {
		return fmt.Errorf("witness the log: %w", mapError(err))
	}
	return nil
}

func (w *Witness) advance(ctx context.Context) error {
	s, info, err := w.look(ctx)
	if err != nil {
		return err
	}
	switch {
	case s == nil && w.end == 0:
		return nil
	case s == nil:
		w.accuse(schema.LogFault{Kind: schema.LogShortened, From: 1, To: w.end, Detail: "the stream " + StreamLog + " is gone"})
		return nil
	case info.State.LastSeq < w.end:
		w.accuse(schema.LogFault{Kind: schema.LogShortened, From: info.State.LastSeq + 1, To: w.end, Detail: fmt.Sprintf("it ends at %d, and went on to %d", info.State.LastSeq, w.end)})
		return nil
	}
	if info.State.LastSeq > w.end {
		if err := w.refresh(ctx); err != nil {
			return err
		}
		if err := w.extend(ctx, info); err != nil {
			return err
		}
	}
	if err := w.lookForGaps(ctx, s, info); err != nil {
		return err
	}
	w.mu.Lock()
	w.state.Witnessed = w.end
	w.mu.Unlock()
	return nil
}

// extend takes the tags of the entries above the end. What does not come must have been there, and the look for gaps
// judges it, but for what lies before the first entry of a log that nobody has witnessed before.
func (w *Witness) extend(ctx context.Context, info *jetstream.StreamInfo) error {
	last := info.State.LastSeq
	dirty := false
	add := func(t tag) error {
		if w.tail.full() {
			w.tail = &tagBlock{number: w.tail.number + 1}
		}
		w.tail.created = info.Created
		w.tail.append(t)
		w.end++
		if dirty = !w.tail.full(); dirty {
			return nil
		}
		return w.save(ctx, w.tail)
	}
	fresh := w.end == 0
	fill := func(upTo uint64) error {
		for w.end < upTo {
			t := unseenTag
			if fresh && w.end+1 < info.State.FirstSeq {
				t = noTag
			}
			if err := add(t); err != nil {
				return err
			}
		}
		return nil
	}
	err := walk(ctx, w.js, StreamLog, w.end+1, []string{SubjectsLog}, true, func(seq uint64, m jetstream.Msg) error {
		if seq <= w.end {
			return nil
		}
		if seq > last {
			return errEnough
		}
		if err := fill(seq - 1); err != nil {
			return err
		}
		return add(tagOf(seq, m.Subject(), m.Headers()))
	})
	if err != nil && !errors.Is(err, errEnough) {
		if dirty {
			err = errors.Join(err, w.save(ctx, w.tail))
		}
		return err
	}
	if err := fill(last); err != nil {
		return err
	}
	if dirty {
		return w.save(ctx, w.tail)
	}
	return nil
}

// Run advances the witness until ctx ends, and reads the whole log once, slowly, for damage. It logs a failure when it begins and when it is
// over.
func (w *Witness) Run(ctx context.Context) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	failing := false
	for {
		err := w.Advance(ctx)
		switch {
		case err != nil && !failing && ctx.Err() == nil:
			failing = true
			w.log.LogAttrs(ctx, slog.LevelWarn, "the log cannot be witnessed", slog.String("error", err.Error()))
		case err == nil && failing:
			failing = false
			w.log.Info("the log can be witnessed again", "end", w.State().Witnessed)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Accept takes the log as it is from now on, and reports whether it was held: then nothing that was derived from the log
// before may be used, since its sequences may mean other events. It is witnessed anew from its beginning.
func (w *Witness) Accept(ctx context.Context) (held bool, err error) {
	w.work.Lock()
	defer w.work.Unlock()
	s := w.State()
	if s.Held {
		keys, err := w.store.Keys(ctx)
		for _, k := range keys {
			if err == nil {
				err = w.store.Save(ctx, k, nil)
			}
		}
		if err != nil {
			return true, fmt.Errorf("accept the log: %w", err)
		}
		w.end, w.tail = 0, nil
	} else {
		for _, f := range s.Faults {
			if err := w.clear(ctx, f.From, f.To); err != nil {
				return false, fmt.Errorf("accept the log: %w", err)
			}
		}
		if err := w.store.Save(ctx, keyFaults, nil); err != nil {
			return false, fmt.Errorf("accept the log: %w", err)
		}
	}
	for _, f := range s.Faults {
		w.log.Warn("a fault of the log was accepted", "kind", f.Kind, "from", f.From, "to", f.To)
	}
	w.forgive(func(schema.LogFault) bool { return true })
	w.gaps, w.saved = gapsSeen{}, nil
	return s.Held, nil
}

// clear forgets the tags of from..to.
func (w *Witness) clear(ctx context.Context, from, to uint64) error {
	for n := blockOf(from); n <= blockOf(to); n++ {
		b := w.blockOrNone(ctx, n)
		if b == nil {
			continue
		}
		changed := false
		for s := max(from, b.first()); s <= min(to, b.last()); s++ {
			if b.at(s) != noTag {
				b.clear(s)
				changed = true
			}
		}
		if changed {
			if err := w.save(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}
