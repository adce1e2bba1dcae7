package events

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// refillTries bounds how often Refill begins again because another process made the work stream meanwhile.
const refillTries = 8

// Refill lets a generation work on the whole log again, from where it was registered to begin, for an index that was
// lost. It returns the first log sequence that clean is delivered again, 0 where nothing was worked on before, so
// that nothing can have been lost. It is idempotent; until the work is done the settled floor, and with it idle,
// tells that it is not.
//
// It takes the checkpoint away, then the work stream, and lets [Ensure] make both durables' places anew: the stream
// must go because its dedupe window, which a purge leaves alone, would swallow what clean publishes again within it.
// Forget events are delivered again too: what they had resolved to went with the index.
//
// The caller makes the index's collections only after Refill has returned. Then a crash in between leaves them
// missing, and the next start does all of it again. Workers of other processes may run on: what they hold goes to the
// new stream, or is refused and retried.
func Refill(ctx context.Context, js jetstream.JetStream, t Topology, generation int) (start uint64, err error) {
	if err := t.Validate(); err != nil {
		return 0, err
	}
	if generation < 1 {
		return 0, schema.Invalid("generation", "must be positive")
	}
	if start, err = refill(ctx, js, t, generation); err != nil {
		return 0, fmt.Errorf("refill generation %d: %w", generation, mapError(err))
	}
	return start, nil
}

func refill(ctx context.Context, js jetstream.JetStream, t Topology, gen int) (uint64, error) {
	kv, err := js.KeyValue(ctx, BucketState)
	if err != nil {
		return 0, fmt.Errorf("open state: %w", err)
	}
	start := uint64(1)
	if g, ok, err := readGeneration(ctx, kv, gen); err != nil {
		return 0, err
	} else if ok {
		start = max(g.From, 1)
	}
	cp, _, err := readCheckpoint(ctx, kv, gen)
	if err != nil {
		return 0, err
	}
	c, err := js.Consumer(ctx, StreamLog, Durable(StageClean, gen))
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound):
		if cp.Floor == 0 {
			return 0, nil
		}
	case err != nil:
		return 0, fmt.Errorf("look at clean: %w", err)
	case cp.Floor == 0 && c.CachedInfo().Delivered.Stream < start:
		return 0, nil
	}
	e := ensurer{js: js, t: t}
	for range refillTries {
		if err := kv.Purge(ctx, keyCheckpoint(gen)); err != nil {
			return 0, fmt.Errorf("take the checkpoint away: %w", err)
		}
		if err := js.DeleteStream(ctx, WorkStream(gen)); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return 0, fmt.Errorf("delete the work stream: %w", err)
		}
		for _, stage := range []string{StageClean, StageForget, StageLLM} {
			if err := e.rewind(ctx, Durable(stage, gen), start); err != nil {
				return 0, err
			}
		}
		if _, err := Ensure(ctx, js, t, gen); err != nil {
			return 0, err
		}
		s, err := js.Stream(ctx, WorkStream(gen))
		if err != nil {
			return 0, fmt.Errorf("look at the work stream: %w", err)
		}
		// A process that found the stream gone before the checkpoint was would have begun above start.
		if s.CachedInfo().Config.Metadata[metaStart] == strconv.FormatUint(start, 10) {
			// And one that had read the floor before all this may have written it since. Older is always safe.
			if err := kv.Purge(ctx, keyCheckpoint(gen)); err != nil {
				return 0, fmt.Errorf("take the checkpoint away: %w", err)
			}
			return start, nil
		}
	}
	return 0, schema.Retryable(schema.CodeUnavailable, 0, nil, "other processes keep making the work stream")
}

// rewind moves a durable of the log back to start; one that the server will not move so far goes, and [Ensure] makes
// it again, to begin there.
func (e *ensurer) rewind(ctx context.Context, durable string, start uint64) error {
	c, err := e.js.Consumer(ctx, StreamLog, durable)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at %s: %w", durable, err)
	}
	if c.CachedInfo().Config.OptStartSeq <= start {
		return e.reset(ctx, durable, start)
	}
	if err := e.js.DeleteConsumer(ctx, StreamLog, durable); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("delete %s: %w", durable, err)
	}
	return nil
}
