package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Accept takes the log as it is from now on, whoever found what is wrong with it, and reports whether it was held: then
// nothing that was derived from the log before may be used, since its sequences may mean other events. It is witnessed anew
// from its beginning. Other processes learn of it by their next look: where it was held, those that run are held until they are
// started again.
func (w *Witness) Accept(ctx context.Context) (held bool, err error) {
	w.work.Lock()
	defer w.work.Unlock()
	s := w.State()
	if s.Held {
		err = w.acceptLog(ctx)
	} else {
		err = w.acceptFaults(ctx)
	}
	if err != nil {
		return s.Held, fmt.Errorf("accept the log: %w", err)
	}
	for _, f := range s.Faults {
		w.log.Warn("a fault of the log was accepted", "kind", f.Kind, "from", f.From, "to", f.To)
	}
	w.forgive(func(schema.LogFault) bool { return true })
	w.mu.Lock()
	w.others = nil
	w.mu.Unlock()
	w.gaps, w.mine = gapsSeen{}, nil
	return s.Held, nil
}

// acceptLog forgets all that was witnessed. Others are told first: to them a log without a witness is one that is new.
func (w *Witness) acceptLog(ctx context.Context) error {
	if err := w.noteAccepted(ctx, func(a *acceptance) { a.Logs++ }); err != nil {
		return err
	}
	keys, err := w.store.Keys(ctx)
	if err != nil {
		return err
	}
	slices.Sort(keys) // the newest block and what was found go last: a part of them still holds the log
	for _, k := range keys {
		if k == keyAccepted {
			continue
		}
		if err := w.removeKey(ctx, k); err != nil {
			return err
		}
	}
	w.end, w.tail, w.first = 0, nil, 0
	return nil
}

// removeTries bounds how often a key is tried to be removed: what is told to others cannot be taken back.
const removeTries = 5

func (w *Witness) removeKey(ctx context.Context, key string) error {
	wait := Backoff{Min: 100 * time.Millisecond}
	for n := uint64(1); ; n++ {
		err := w.store.Save(ctx, key, nil)
		if errors.Is(err, ErrWitnessed) {
			_, err = w.store.Load(ctx, key)
			if err == nil {
				err = w.store.Save(ctx, key, nil)
			}
		}
		if err == nil || n == removeTries {
			return err
		}
		select {
		case <-time.After(wait.Delay(n)):
		case <-ctx.Done():
			return err
		}
	}
}

// acceptFaults forgets what was witnessed of the entries that are at fault. Others are told last: they look again then.
func (w *Witness) acceptFaults(ctx context.Context) error {
	err := w.retry(ctx, func() error {
		known, err := w.loadFaults(ctx)
		if err != nil {
			return err
		}
		for _, f := range append(known, w.State().Faults...) {
			if err := w.clear(ctx, f.From, f.To); err != nil {
				return err
			}
		}
		return w.store.Save(ctx, keyFaults, nil)
	})
	if err != nil {
		return err
	}
	return w.noteAccepted(ctx, func(a *acceptance) { a.Faults++ })
}

// clear forgets the tags of from..to.
func (w *Witness) clear(ctx context.Context, from, to uint64) error {
	for n := blockOf(from); n <= blockOf(to); n++ {
		b, err := w.blockOrNone(ctx, n)
		if err != nil {
			return err
		}
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
