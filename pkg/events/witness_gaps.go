package events

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// gapsSeen is what the log looked like when its gaps were looked at, and what they were.
type gapsSeen struct {
	created  time.Time
	first    uint64 // first sequence that is left
	deleted  int    // sequences gone above it
	end      uint64 // of the witness
	erasures uint64 // sequence of the last erasure
	missing  []uint64
	gone     []uint64 // rising
}

// has reports whether seq is known to be gone.
func (g *gapsSeen) has(seq uint64) bool {
	_, found := slices.BinarySearch(g.gone, seq)
	return seq < g.first || found
}

// open reports whether something that is known to be gone lies where the witness has come since: it was judged only up to
// where the witness ended then.
func (g *gapsSeen) open(end uint64) bool {
	i, _ := slices.BinarySearch(g.gone, g.end+1)
	return g.end < end && (g.end+1 < g.first || i < len(g.gone) && g.gone[i] <= end)
}

// lookForGaps finds witnessed entries that are gone. Those that an erasure names, or that the stream's own limits let
// expire, are forgotten here too; the others are missing. It asks the server for one number where nothing has changed.
func (w *Witness) lookForGaps(ctx context.Context, s jetstream.Stream, info *jetstream.StreamInfo) error {
	now := gapsSeen{created: info.Created, first: info.State.FirstSeq, deleted: info.State.NumDeleted, end: w.end, erasures: w.gaps.erasures}
	same := now.created.Equal(w.gaps.created) && now.first == w.gaps.first && now.deleted == w.gaps.deleted
	if same && len(w.gaps.missing) == 0 && !w.gaps.open(now.end) {
		w.gaps.end = now.end
		return nil
	}
	l := &Log{js: w.js, stream: s}
	var err error
	if now.erasures, err = l.last(ctx, LogFilter("", schema.OpErase)); err != nil {
		return err
	}
	if same && now.end == w.gaps.end && now.erasures == w.gaps.erasures {
		return nil
	}
	// What is gone first, then the erasures: each names its entries before it removes them.
	whole, err := s.Info(ctx, jetstream.WithDeletedDetails(true))
	if err != nil {
		return fmt.Errorf("look for gaps in the log: %w", err)
	}
	if now.erasures, err = l.last(ctx, LogFilter("", schema.OpErase)); err != nil {
		return err
	}
	erased, err := w.erased(ctx, now.erasures)
	if err != nil {
		return err
	}
	now.first, now.deleted, now.gone = whole.State.FirstSeq, whole.State.NumDeleted, whole.State.Deleted
	slices.Sort(now.gone)
	legal := func(seq uint64) bool { return named(erased, seq) || seq < now.first && expires(info.Config) }
	if err := w.judgeGone(ctx, &now, legal); err != nil {
		return err
	}
	w.gaps = now
	w.forgive(func(f schema.LogFault) bool { // what is gone cannot be damaged
		return f.Kind == schema.LogMissing || f.Kind == schema.LogDamaged && now.has(f.From)
	})
	for i := 0; i < len(now.missing); {
		j := i + 1
		for j < len(now.missing) && now.missing[j] == now.missing[j-1]+1 {
			j++
		}
		w.accuse(schema.LogFault{Kind: schema.LogMissing, From: now.missing[i], To: now.missing[j-1], Detail: "it was removed, and no erasure names it"})
		i = j
	}
	return nil
}

// judgeGone goes over what is gone and was witnessed, block by block: it forgets what is legal and lists what is not.
func (w *Witness) judgeGone(ctx context.Context, now *gapsSeen, legal func(uint64) bool) error {
	var b *tagBlock
	changed := false
	settle := func() error {
		switch {
		case b == nil:
			return nil
		case b.last() < now.first && b.number < blockOf(w.end) && b.blank(): // nobody asks for it again
			return w.remove(ctx, b)
		case !changed:
			return nil
		}
		changed = false
		return w.save(ctx, b)
	}
	one := func(seq uint64) error {
		if b == nil || !b.has(seq) {
			if err := settle(); err != nil {
				return err
			}
			var err error
			if b, err = w.blockOrNone(ctx, blockOf(seq)); err != nil {
				return err
			}
		}
		switch {
		case b.tagAt(seq) == noTag:
		case legal(seq):
			b.clear(seq)
			changed = true
		default:
			now.missing = append(now.missing, seq)
		}
		return nil
	}
	for seq := w.judgedTo(now); seq < min(now.first, w.end+1); seq++ {
		if err := one(seq); err != nil {
			return err
		}
	}
	for _, seq := range now.gone {
		if seq > w.end {
			break
		}
		if err := one(seq); err != nil {
			return err
		}
	}
	return settle()
}

// judgedTo is the first sequence that nobody has judged to be gone from the beginning of the log: below it is what the look before
// found no fault with, and what has no block any more.
func (w *Witness) judgedTo(now *gapsSeen) uint64 {
	oldest := w.first*blockSize + 1
	if len(w.gaps.missing) == 0 && now.created.Equal(w.gaps.created) {
		return max(oldest, min(w.gaps.first, w.gaps.end+1))
	}
	return oldest
}

// erased is what erasures name, nothing where there are none.
func (w *Witness) erased(ctx context.Context, last uint64) ([]schema.SequenceRange, error) {
	if last == 0 {
		return nil, nil
	}
	l, err := OpenLog(ctx, w.js)
	if err != nil {
		return nil, err
	}
	return l.Erased(ctx)
}

// going reports whether an erasure names an entry. Where the erasures themselves cannot be read, none does.
func (w *Witness) going(ctx context.Context, l *Log, seq uint64) (bool, error) {
	last, err := l.last(ctx, LogFilter("", schema.OpErase))
	if err != nil {
		return false, err
	}
	if last != w.namedAt { // one reading for all damage that is found at once
		rs, err := l.Erased(ctx)
		switch {
		case schema.IsPermanent(err) || schema.CodeOf(err) == schema.CodeNotFound:
			rs = nil
		case err != nil:
			return false, err
		}
		w.named, w.namedAt = rs, last
	}
	return named(w.named, seq), nil
}

// expires reports whether the stream drops its oldest entries by itself. Siltstone makes it so that it does not; whoever
// changes that means it.
func expires(c jetstream.StreamConfig) bool {
	old := c.Discard == jetstream.DiscardOld
	return c.MaxAge > 0 || c.MaxMsgsPerSubject > 0 || old && (c.MaxMsgs > 0 || c.MaxBytes > 0)
}
