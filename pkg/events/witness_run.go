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

// Advance witnesses what was appended since, and looks for gaps. It reads headers alone. On a log that is
// [schema.LogState.Held] it only looks whether that is over: one look may have come at a bad moment, and a log can be put back.
func (w *Witness) Advance(ctx context.Context) error {
	return w.step(ctx, func() error {
		err := w.advance(ctx)
		if err == nil {
			err = w.saveFaults(ctx)
		}
		return err
	})
}

// Follow is [Witness.Advance] of a process that leaves witnessing to others: it looks whether the log ends too early, and
// takes over what they found and what was accepted.
func (w *Witness) Follow(ctx context.Context) error {
	return w.step(ctx, func() error {
		if _, info, err := w.look(ctx); err != nil || info != nil && info.State.LastSeq == w.end {
			return err
		}
		if err := w.refresh(ctx); err != nil {
			return err
		}
		_, _, err := w.ends(ctx)
		return err
	})
}

// step is one look of a process that stands on the log.
func (w *Witness) step(ctx context.Context, look func() error) error {
	w.work.Lock()
	defer w.work.Unlock()
	if w.outlived {
		return nil
	}
	err := w.heed(ctx, false)
	switch {
	case err != nil || w.outlived:
	case w.grave():
		err = w.again(ctx)
	case w.State().Held: // by what another process found
	default:
		err = look()
	}
	if errors.Is(err, ErrWitnessed) { // what is there holds
		err = w.load(ctx)
	}
	if err != nil {
		return fmt.Errorf("witness the log: %w", mapError(err))
	}
	return nil
}

// again looks whether a log that this process holds is what was witnessed after all.
func (w *Witness) again(ctx context.Context) error {
	s, info, err := w.look(ctx)
	if err != nil || s == nil || info.State.LastSeq < w.end {
		return err
	}
	if err := w.anew(func() error { return w.check(ctx) }); err != nil {
		return err
	}
	if !w.grave() {
		w.log.Info("the log is what was witnessed of it again", "end", w.end)
	}
	return w.saveFaults(ctx)
}

// ends looks at the log's stream, nil where it is gone, and accuses it where it ends before what was witnessed.
func (w *Witness) ends(ctx context.Context) (jetstream.Stream, *jetstream.StreamInfo, error) {
	s, info, err := w.look(ctx)
	switch {
	case err != nil:
	case s == nil && w.end > 0:
		w.accuse(schema.LogFault{Kind: schema.LogShortened, From: 1, To: w.end, Detail: "the stream " + StreamLog + " is gone"})
	case s != nil && info.State.LastSeq < w.end:
		w.accuse(schema.LogFault{Kind: schema.LogShortened, From: info.State.LastSeq + 1, To: w.end, Detail: fmt.Sprintf("it ends at %d, and went on to %d", info.State.LastSeq, w.end)})
	}
	return s, info, err
}

func (w *Witness) advance(ctx context.Context) error {
	s, info, err := w.ends(ctx)
	if err != nil || s == nil || info.State.LastSeq < w.end {
		return err
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

// Run calls a look, [Witness.Advance] or [Witness.Follow], again and again until ctx ends. It logs a failure when it begins
// and when it is over.
func (w *Witness) Run(ctx context.Context, look func(context.Context) error) {
	t := time.NewTimer(0)
	defer t.Stop()
	failing := false
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		err := look(ctx)
		switch {
		case err != nil && !failing && ctx.Err() == nil:
			failing = true
			w.log.LogAttrs(ctx, slog.LevelWarn, "the log cannot be witnessed", slog.String("error", err.Error()))
		case err == nil && failing:
			failing = false
			w.log.Info("the log can be witnessed again", "end", w.State().Witnessed)
		}
		pause := w.every
		if w.State().Held { // to look again takes reading
			pause = max(pause, heldPause)
		}
		t.Reset(pause)
	}
}

// heldPause is the least time between two looks at a log that is held.
const heldPause = 5 * time.Second
