package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Known are the faults that were found last, by whatever process, and not accepted. It looks at no log.
func (w *Witness) Known(ctx context.Context) ([]schema.LogFault, error) { return w.loadFaults(ctx) }

func (w *Witness) loadFaults(ctx context.Context) ([]schema.LogFault, error) {
	raw, err := w.store.Load(ctx, keyFaults)
	if err != nil || raw == nil {
		return nil, err
	}
	var fs []schema.LogFault
	if err := json.Unmarshal(raw, &fs); err != nil {
		w.log.Error("what was found wrong with the log before cannot be read", "error", err)
	}
	return fs, nil
}

// ownFaults are those that this process has found, in order.
func (w *Witness) ownFaults() []schema.LogFault {
	w.mu.Lock()
	own := slices.Collect(maps.Values(w.found))
	w.mu.Unlock()
	slices.SortFunc(own, compareFaults)
	return own
}

// saveFaults remembers what this process has found beside what others have: a start does not read everything, and
// processes that leave the looking to others learn of it there.
func (w *Witness) saveFaults(ctx context.Context) error {
	own := w.ownFaults()
	if slices.Equal(own, w.mine) {
		return nil
	}
	had, err := w.loadFaults(ctx)
	if err != nil {
		return fmt.Errorf("load faults of the log: %w", err)
	}
	all := slices.DeleteFunc(had, func(f schema.LogFault) bool { return slices.Contains(w.mine, f) || slices.Contains(own, f) })
	all = append(all, own...)
	slices.SortFunc(all, compareFaults)
	var raw []byte
	if len(all) > 0 {
		if raw, err = json.Marshal(all); err != nil {
			return fmt.Errorf("encode faults of the log: %w", err)
		}
	}
	err = w.store.Save(ctx, keyFaults, raw)
	switch {
	case errors.Is(err, ErrWitnessed): // by whom else looks at the log: the next look tries again
		return nil
	case schema.CodeOf(err) == schema.CodeUnavailable:
		return nil // there is no bucket yet, and the next start finds it again
	case err != nil:
		return fmt.Errorf("save faults of the log: %w", err)
	}
	w.mine = own
	return nil
}

// acceptance counts what was accepted, by whatever process.
type acceptance struct {
	Faults uint64 `json:"faults,omitempty"` // times that faults were
	Logs   uint64 `json:"logs,omitempty"`   // times that a held log was, as one that had not been seen before
}

func (w *Witness) loadAccepted(ctx context.Context) (a acceptance, err error) {
	raw, err := w.store.Load(ctx, keyAccepted)
	if err != nil || raw == nil {
		return a, err
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		w.log.Error("what was accepted of the log cannot be read", "error", err)
	}
	return a, nil
}

// noteAccepted counts one more. It comes before what it tells of is done, so that who sees that done has been told.
func (w *Witness) noteAccepted(ctx context.Context, count func(*acceptance)) error {
	return w.retry(ctx, func() error {
		a, err := w.loadAccepted(ctx)
		if err != nil {
			return err
		}
		count(&a)
		raw, err := json.Marshal(a)
		if err == nil {
			err = w.store.Save(ctx, keyAccepted, raw)
		}
		if err == nil {
			w.accepted = a
		}
		return err
	})
}

// forgiveAccepted takes back the damage that an acceptance named: nothing is left there to compare. What was found after
// its list was made stays.
func (w *Witness) forgiveAccepted(ctx context.Context) error {
	accepted := map[faultKey]bool{}
	for _, f := range w.ownFaults() {
		if f.Kind != schema.LogDamaged {
			continue
		}
		left, err := w.tagged(ctx, f.From, f.To)
		if err != nil {
			return err
		}
		accepted[keyOf(f)] = !left
	}
	w.forgive(func(f schema.LogFault) bool { return accepted[keyOf(f)] })
	return nil
}

// tagged reports whether something of from..to can be held against what was witnessed.
func (w *Witness) tagged(ctx context.Context, from, to uint64) (bool, error) {
	for s := from; s <= to; s++ {
		b, err := w.blockOrNone(ctx, blockOf(s))
		if err != nil {
			return false, err
		}
		if b.tagAt(s) != noTag {
			return true, nil
		}
	}
	return false, nil
}

// heed takes over what other processes have found, and what was accepted since. A process that stands on a log which
// another one has accepted as a new one has read other entries: it is held until it is started again. First says
// that nothing stands on the log yet.
func (w *Witness) heed(ctx context.Context, first bool) error {
	a, err := w.loadAccepted(ctx)
	if err != nil {
		return err
	}
	switch was := w.accepted; {
	case first:
		w.accepted, w.outlived = a, false
	case a.Logs != was.Logs:
		w.outlived = true
		w.accuse(schema.LogFault{Kind: schema.LogSwapped, From: 1, To: max(w.end, 1), Detail: "another process has accepted it as one that had not been here before, and this process has read the one before: start it again"})
	case a.Faults != was.Faults:
		w.accepted = a
		w.gaps, w.mine = gapsSeen{}, nil // which looks for gaps anew, and tells again what is left
		if err := w.load(ctx); err != nil {
			return err
		}
		if err := w.forgiveAccepted(ctx); err != nil {
			return err
		}
	}
	if first { // it looks for itself at what is known
		return nil
	}
	known, err := w.loadFaults(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.others = slices.DeleteFunc(known, func(f schema.LogFault) bool { return slices.Contains(w.mine, f) })
	return nil
}
