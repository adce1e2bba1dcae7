package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Floor computes the settled floor of a generation: a log sequence up to which every event is settled, that is
// acknowledged by clean, with every message derived from it acknowledged by all its consumers. Recovery of a lost
// work stream, min_seq and idle stand on it. It may lag, it never passes an open event. Safe for concurrent use.
//
// # Why it holds
//
// Each message m of a work stream carries Low(m), with this promise (P): every event with a sequence ≤ Low(m) had
// all its messages of m's subject in the stream before m. [Floor.Stamp] keeps it:
//
//   - on a cleaned message, Low = A, clean's acknowledgement floor as read at some time before the publish. Clean
//     acknowledges an event after its messages are stored, so events ≤ A had theirs in the stream by then.
//   - on a fact message, Low = F, the floor of cleaned messages as read before the publish, whichever stage
//     publishes. Distill acknowledges a cleaned message after its facts are stored. Clean publishes facts too
//     (explicit writes), and its A would not do there: an event ≤ A may still have a cleaned message open, whose
//     facts distill will store later, behind m.
//
// Reading, in this order:
//
//	A = clean's acknowledgement floor
//	F = min(A, Low(first cleaned message left))
//	floor = min(F, Low(first fact message left))
//
// Take an event e ≤ F. As e ≤ A, all its cleaned messages were stored before A was read, so before the look at the
// cleaned messages. If none is left at that look, e's are settled. If m is the first left, e ≤ Low(m) and (P) put
// e's messages before m; nothing before m is left; so they are settled. Hence distill has stored e's facts before
// the look at the fact messages, and the same step there gives: e ≤ floor is settled. Reading in another order
// breaks it: with A read last, an event acknowledged by clean in between would count as settled with its messages
// unseen.
//
// Three things could break the promise, and each is closed:
//
//   - A Low read before the work stream was lost and used after it. A then said that messages were stored that are
//     now gone. So a Low belongs to the incarnation ([schema.Envelope.Epoch], the stream's first sequence) that
//     stood before it was read, and counts in that one only; a message with another epoch counts as if its Low were
//     the sequence below which the incarnation began.
//   - A durable missing from the stream: messages vanish without being settled. A reading is valid only if all
//     durables are there after it, in the incarnation that was there before it.
//   - A redelivery after its event was settled (a zombie worker) publishes a message with an old Low, or one that
//     is no lower than its own sequence. The floor computed may go back for a while, and is never above the first
//     open message's own sequence − 1; the checkpoint does not go back.
//
// What a dead-letter retry publishes is not covered: its event was settled, as dead. The entry in the dead letters
// must stay until the retry is done.
type Floor struct {
	js    jetstream.JetStream
	gen   int
	kv    jetstream.KeyValue
	log   *slog.Logger
	every time.Duration

	between func() // tests: runs between the steps of a reading, to widen what can happen there

	mu    sync.Mutex // one reading at a time
	work  jetstream.Stream
	src   jetstream.Stream
	stamp atomic.Pointer[stampState]
	saved atomic.Uint64 // floor last written as a checkpoint by this process

	maxBytes  atomic.Int64
	usedBytes atomic.Int64 // as of the last reading, plus what this process was let publish since
}

// stampState is what Stamp hands out: read together, never mixed.
type stampState struct {
	epoch    uint64
	clean    uint64 // A
	fact     uint64 // F
	floor    uint64
	lastRead time.Time
}

// FloorOptions configure a [Floor].
type FloorOptions struct {
	Every time.Duration // Run reads and checkpoints this often; default 250 ms
	Log   *slog.Logger  // nil: slog.Default
}

// OpenFloor opens the floor of a generation whose streams [Ensure] made. It reads nothing yet: until the first
// [Floor.Read] stamps are zero, which is correct and holds the floor back.
func OpenFloor(ctx context.Context, js jetstream.JetStream, generation int, o FloorOptions) (*Floor, error) {
	if generation < 1 {
		return nil, schema.Invalid("generation", "must be positive")
	}
	kv, err := js.KeyValue(ctx, BucketState)
	if err != nil {
		return nil, fmt.Errorf("open floor: %w", mapError(err))
	}
	src, err := js.Stream(ctx, StreamLog)
	if err != nil {
		return nil, fmt.Errorf("open floor: %w", mapError(err))
	}
	if o.Every <= 0 {
		o.Every = 250 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	f := &Floor{js: js, gen: generation, kv: kv, src: src, every: o.Every, log: o.Log.With("generation", generation)}
	f.stamp.Store(&stampState{})
	return f, nil
}

// Read computes the floor now: six requests to the server, together well under a millisecond in one process. A work stream
// that is gone or not open is a retryable [schema.CodeUnavailable]: run [Ensure].
func (f *Floor) Read(ctx context.Context) (uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.read(ctx)
	if err != nil {
		return 0, fmt.Errorf("read settled floor: %w", mapError(err))
	}
	f.stamp.Store(s)
	return s.floor, nil
}

func (f *Floor) read(ctx context.Context) (*stampState, error) {
	before, err := f.workInfo(ctx)
	if err != nil {
		return nil, err
	}
	epoch := before.Config.FirstSeq
	var start uint64 = 1
	if n, err := strconv.ParseUint(before.Config.Metadata[metaStart], 10, 64); err == nil {
		start = n
	}
	c, err := f.js.Consumer(ctx, StreamLog, Durable(StageClean, f.gen))
	if err != nil {
		return nil, err
	}
	s := &stampState{epoch: epoch, clean: c.CachedInfo().AckFloor.Stream, lastRead: time.Now()}
	f.step()
	low, left, err := f.first(ctx, schema.OpCleaned, epoch, start)
	if err != nil {
		return nil, err
	}
	s.fact = s.clean
	if left {
		s.fact = min(s.clean, low)
	}
	f.step()
	if low, left, err = f.first(ctx, schema.OpFact, epoch, start); err != nil {
		return nil, err
	}
	s.floor = s.fact
	if left {
		s.floor = min(s.fact, low)
	}
	after, err := f.workInfo(ctx)
	if err != nil {
		return nil, err
	}
	if after.Config.FirstSeq != epoch {
		return nil, schema.Retryable(schema.CodeUnavailable, 0, nil, "the work stream was made anew during the reading")
	}
	names := f.work.ConsumerNames(ctx)
	have := map[string]bool{}
	for n := range names.Name() {
		have[n] = true
	}
	if err := names.Err(); err != nil {
		return nil, err
	}
	for _, w := range workStages {
		if !have[Durable(w.stage, f.gen)] {
			return nil, schema.Retryable(schema.CodeUnavailable, 0, nil, "durable %s is missing from the work stream", Durable(w.stage, f.gen))
		}
	}
	f.maxBytes.Store(after.Config.MaxBytes)
	f.usedBytes.Store(int64(after.State.Bytes))
	return s, nil
}

func (f *Floor) step() {
	if f.between != nil {
		f.between()
	}
}

func (f *Floor) workInfo(ctx context.Context) (*jetstream.StreamInfo, error) {
	var err error
	if f.work == nil {
		if f.work, err = f.js.Stream(ctx, WorkStream(f.gen)); err != nil {
			f.work = nil
			return nil, err
		}
	}
	return f.work.Info(ctx)
}

// first is the Low of the first message of op left in the work stream; left is false where there is none.
func (f *Floor) first(ctx context.Context, op schema.Op, epoch, start uint64) (low uint64, left bool, err error) {
	m, err := f.work.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(WorkFilter(f.gen, op)))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	low = start - 1
	ev, err := Decode(m.Header, nil, m.Sequence)
	if err != nil {
		return 0, true, nil // unreadable: on its way to the dead letters, and open until then
	}
	if ev.Epoch == epoch && epoch != 0 {
		low = max(low, ev.Low)
	}
	return min(low, ev.Seq-1), true, nil
}

// Stamp sets Low and Epoch on an event about to be published, by its op; see the type for what it promises. It
// does not block: it hands out the last reading.
func (f *Floor) Stamp(e *schema.Envelope) {
	s := f.stamp.Load()
	e.Epoch = s.epoch
	e.Low = s.fact
	if e.Op == schema.OpCleaned {
		e.Low = s.clean
	}
}

// Last is the floor as of the last reading, without asking the server.
func (f *Floor) Last() uint64 { return f.stamp.Load().floor }

// admitShare is the part of a work stream that cleaned messages may fill. The rest is for facts: both share the
// stream and its bound, and distill, which must store facts to acknowledge what it holds, would otherwise wait
// for room that only its own acknowledgements make.
const admitShare = 0.6

// Admit says whether a message of this op and size may be published now: a retryable [schema.CodeOverloaded] for
// a cleaned one where the stream is filled beyond what leaves room for facts. It does not block. It judges by
// the last reading and what this process published since, so several processes may overshoot a little.
func (f *Floor) Admit(op schema.Op, size int) error {
	if op != schema.OpCleaned {
		return nil
	}
	most := float64(f.maxBytes.Load()) * admitShare
	if most > 0 && float64(f.usedBytes.Add(int64(size))) > most {
		f.usedBytes.Add(-int64(size))
		return schema.Retryable(schema.CodeOverloaded, f.every, nil, "work stream is filled; room is kept for facts")
	}
	return nil
}

// Checkpoint reads the floor and raises the checkpoint in SILT_STATE to it, with the hash of the event there. A
// restart resumes above it.
func (f *Floor) Checkpoint(ctx context.Context) (uint64, error) {
	n, err := f.Read(ctx)
	if err != nil {
		return 0, err
	}
	if n <= f.saved.Load() {
		return n, nil
	}
	c := Checkpoint{Floor: n}
	m, err := f.src.GetMsg(ctx, n)
	switch {
	case err == nil:
		if h := m.Header[HeaderHash]; len(h) == 1 {
			c.Hash = h[0]
		}
	case !errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, fmt.Errorf("write checkpoint: %w", mapError(err))
	}
	crash.At(crash.CheckpointRead)
	if err := writeCheckpoint(ctx, f.kv, f.gen, c); err != nil {
		return 0, fmt.Errorf("write checkpoint: %w", err)
	}
	crash.At(crash.CheckpointDone)
	f.saved.Store(n)
	return n, nil
}

// Run reads and checkpoints the floor at an interval until ctx ends, and once more then. It logs a failure when
// it begins and when it is over. Every process that publishes to the generation runs one, for its stamps.
func (f *Floor) Run(ctx context.Context) {
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	failing := false
	for {
		_, err := f.Checkpoint(ctx)
		switch {
		case err != nil && !failing && ctx.Err() == nil:
			failing = true
			f.log.Warn("settled floor cannot be read", "error", err)
		case err == nil && failing:
			failing = false
			f.log.Info("settled floor can be read again", "floor", f.Last())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			if _, err := f.Checkpoint(last); err != nil {
				f.log.Warn("settled floor not saved at the end", "error", err)
			}
			return
		}
	}
}
