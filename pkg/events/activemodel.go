package events

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// ActiveModel is the model of the embedder whose vectors the active generation holds, "" where none was bound yet, as
// on a server without Siltstone's streams. It reads and makes nothing, and follows nothing: a running process asks
// its [State].
func ActiveModel(ctx context.Context, js jetstream.JetStream) (string, error) {
	kv, err := js.KeyValue(ctx, BucketState)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("open state: %w", mapError(err))
	}
	e, err := kv.Get(ctx, keyActive)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the active generation: %w", mapError(err))
	}
	n, err := strconv.Atoi(string(e.Value()))
	if err != nil {
		return "", fmt.Errorf("read the active generation: %w", err)
	}
	g, _, err := readGeneration(ctx, kv, n)
	return g.Model, err
}
