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

// Vectors keeps what a remote embedder made, in the bucket SILT_VECTORS, so that nothing is embedded twice: not when the
// log is read again, nor when the vector store was lost. It is bounded, and the oldest go first. Losing it costs calls and
// nothing else. Safe for concurrent use, also by several processes.
type Vectors struct {
	js     jetstream.JetStream
	stream jetstream.Stream
}

// OpenVectors opens the bucket that [Ensure] made.
func OpenVectors(ctx context.Context, js jetstream.JetStream) (*Vectors, error) {
	s, err := js.Stream(ctx, "KV_"+BucketVectors)
	if err != nil {
		return nil, fmt.Errorf("open vectors: %w", mapError(err))
	}
	return &Vectors{js, s}, nil
}

// loadsAtOnce is how many entries one caller asks for at the same time.
const loadsAtOnce = 16

func subjectVector(key string) string { return "$KV." + BucketVectors + "." + key }

// Load is what was kept under each of keys, nil where nothing is. Keys are letters, digits and dashes.
func (v *Vectors) Load(ctx context.Context, keys []string) ([][]byte, error) {
	out := make([][]byte, len(keys))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(loadsAtOnce)
	for i, k := range keys {
		g.Go(func() error {
			m, err := v.stream.GetLastMsgForSubject(ctx, subjectVector(k))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("read kept vectors: %w", mapError(err))
			}
			out[i] = m.Data
			return nil
		})
	}
	return out, g.Wait()
}

// Save keeps values under keys, each once in a call, and returns when they are stored. From [minBatch] on they travel as
// one atomic batch, which costs one sync.
func (v *Vectors) Save(ctx context.Context, keys []string, values [][]byte) error {
	for len(keys) > 0 {
		n := min(len(keys), maxBatch)
		if err := v.save(ctx, keys[:n], values[:n]); err != nil {
			return fmt.Errorf("keep vectors: %w", mapError(err))
		}
		keys, values = keys[n:], values[n:]
	}
	return nil
}

// Remove removes what is kept under keys.
func (v *Vectors) Remove(ctx context.Context, keys []string) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(loadsAtOnce)
	for _, k := range keys {
		g.Go(func() error {
			if err := v.stream.Purge(ctx, jetstream.WithPurgeSubject(subjectVector(k))); err != nil {
				return fmt.Errorf("remove kept vectors: %w", mapError(err))
			}
			return nil
		})
	}
	return g.Wait()
}

func (v *Vectors) save(ctx context.Context, keys []string, values [][]byte) error {
	if len(keys) >= minBatch {
		msgs := make([]*nats.Msg, len(keys))
		for i, k := range keys {
			msgs[i] = &nats.Msg{Subject: subjectVector(k), Data: values[i], Header: nats.Header{}}
		}
		if _, err := jetstreamext.PublishMsgBatch(ctx, v.js, msgs); err == nil {
			return nil
		} else if ctx.Err() != nil {
			return err
		} // too many at once, or an old server: one by one
	}
	futures := make([]jetstream.PubAckFuture, len(keys))
	for i, k := range keys {
		f, err := v.js.PublishAsync(subjectVector(k), values[i], jetstream.WithStallWait(appendTimeout))
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
