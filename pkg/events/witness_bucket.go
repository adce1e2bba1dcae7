package events

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// WitnessBucket is a [WitnessStore] in the bucket SILT_WITNESS: a stream of its own, for processes that share a NATS server.
// It is empty until [Ensure] has made the bucket. Safe for concurrent use.
type WitnessBucket struct {
	js jetstream.JetStream

	mu   sync.Mutex
	revs map[string]uint64 // as loaded or saved here last
}

// NewWitnessBucket returns the bucket, which need not be there yet.
func NewWitnessBucket(js jetstream.JetStream) *WitnessBucket {
	return &WitnessBucket{js: js, revs: map[string]uint64{}}
}

// Load implements [WitnessStore].
func (b *WitnessBucket) Load(ctx context.Context, key string) ([]byte, error) {
	kv, err := b.js.KeyValue(ctx, BucketWitness)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, mapError(err)
	}
	e, err := kv.Get(ctx, key)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		delete(b.revs, key)
		return nil, nil
	case err != nil:
		return nil, mapError(err)
	}
	b.revs[key] = e.Revision()
	return e.Value(), nil
}

// Save implements [WitnessStore].
func (b *WitnessBucket) Save(ctx context.Context, key string, value []byte) error {
	kv, err := b.js.KeyValue(ctx, BucketWitness)
	if err != nil {
		return mapError(err)
	}
	b.mu.Lock()
	rev := b.revs[key]
	b.mu.Unlock()
	switch {
	case value == nil:
		rev, err = 0, kv.Purge(ctx, key, jetstream.LastRevision(rev)) // of any revision where none was loaded
	case rev == 0:
		rev, err = kv.Create(ctx, key, value)
	default:
		rev, err = kv.Update(ctx, key, value, rev)
	}
	if lostRace(err) {
		return ErrWitnessed
	}
	if err != nil {
		return mapError(err)
	}
	b.mu.Lock()
	b.revs[key] = rev
	b.mu.Unlock()
	return nil
}

// Keys implements [WitnessStore].
func (b *WitnessBucket) Keys(ctx context.Context) ([]string, error) {
	kv, err := b.js.KeyValue(ctx, BucketWitness)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, mapError(err)
	}
	l, err := kv.ListKeys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, nil
	}
	if err != nil {
		return nil, mapError(err)
	}
	var keys []string
	for k := range l.Keys() {
		keys = append(keys, k)
	}
	if err := ctx.Err(); err != nil { // the list ends without a word
		return nil, schema.Retryable(schema.CodeTimeout, 0, err, "the witness's keys were not all listed in time")
	}
	return keys, nil
}
