package events

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"
	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Kept keeps what models made, in the bucket SILT_VECTORS or SILT_READINGS, so that none is asked twice: not when the log
// is read again, nor when the vector store was lost. It is bounded, and the oldest go first. Losing it costs calls and
// nothing else. Safe for concurrent use, also by several processes.
type Kept struct {
	js     jetstream.JetStream
	stream jetstream.Stream
	bucket string
}

// OpenKept opens [BucketVectors] or [BucketReadings], which [Ensure] made.
func OpenKept(ctx context.Context, js jetstream.JetStream, bucket string) (*Kept, error) {
	s, err := js.Stream(ctx, "KV_"+bucket)
	if err != nil {
		return nil, fmt.Errorf("open what models made: %w", mapError(err))
	}
	return &Kept{js, s, bucket}, nil
}

// loadsAtOnce is how many entries one caller asks for at the same time.
const loadsAtOnce = 16

func (v *Kept) subject(key string) string { return "$KV." + v.bucket + "." + key }

// Load is what was kept under each of keys, nil where nothing is. Keys are letters, digits and dashes,
// in parts that dots separate.
func (v *Kept) Load(ctx context.Context, keys []string) ([][]byte, error) {
	out := make([][]byte, len(keys))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(loadsAtOnce)
	for i, k := range keys {
		g.Go(func() error {
			m, err := v.stream.GetLastMsgForSubject(ctx, v.subject(k))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("read what a model made: %w", mapError(err))
			}
			out[i] = m.Data
			return nil
		})
	}
	return out, g.Wait()
}

// Save keeps values under keys, each once in a call, and returns when they are stored. From [minBatch] on they travel as
// one atomic batch, which costs one sync.
func (v *Kept) Save(ctx context.Context, keys []string, values [][]byte) error {
	for len(keys) > 0 {
		n := min(len(keys), maxBatch)
		if err := v.save(ctx, keys[:n], values[:n]); err != nil {
			return fmt.Errorf("keep what a model made: %w", mapError(err))
		}
		keys, values = keys[n:], values[n:]
	}
	return nil
}

// Remove removes what is kept under keys; a last part ">" stands for all that begin so.
func (v *Kept) Remove(ctx context.Context, keys []string) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(loadsAtOnce)
	for _, k := range keys {
		g.Go(func() error {
			if err := v.stream.Purge(ctx, jetstream.WithPurgeSubject(v.subject(k))); err != nil {
				return fmt.Errorf("remove what a model made: %w", mapError(err))
			}
			return nil
		})
	}
	return g.Wait()
}

func (v *Kept) save(ctx context.Context, keys []string, values [][]byte) error {
	if len(keys) >= minBatch {
		msgs := make([]*nats.Msg, len(keys))
		for i, k := range keys {
			msgs[i] = &nats.Msg{Subject: v.subject(k), Data: values[i], Header: nats.Header{}}
		}
		if _, err := jetstreamext.PublishMsgBatch(ctx, v.js, msgs); err == nil {
			return nil
		} else if ctx.Err() != nil {
			return err
		} // too many at once, or an old server: one by one
	}
	futures := make([]jetstream.PubAckFuture, len(keys))
	for i, k := range keys {
		f, err := v.js.PublishAsync(v.subject(k), values[i], jetstream.WithStallWait(appendTimeout))
		if err != nil {
			return err
		}
		futures[i] = f
	}
	for _, f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			return err
		case <-ctx.Done():
			return schema.Retryable(schema.CodeTimeout, 0, ctx.Err(), "not stored in time")
		}
	}
	return nil
}
