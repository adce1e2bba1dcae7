package events

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Anew makes the state a reading of the log as it is now: what was read from a log that had other entries goes (tool
// policies, settings, what is known of deliveries), and [State.CatchUp] reads it again from the first entry on.
// Generations stay. No process may have the state open. It is idempotent and blocks until done.
func Anew(ctx context.Context, js jetstream.JetStream) error {
	kv, err := js.KeyValue(ctx, BucketState)
	if err != nil {
		return fmt.Errorf("read the log anew: %w", mapError(err))
	}
	l, err := kv.ListKeysFiltered(ctx, keyToolAll, keySettingAll, keyCaughtUp)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return fmt.Errorf("read the log anew: %w", mapError(err))
	}
	if err == nil {
		for k := range l.Keys() {
			if strings.HasPrefix(k, "tool.") || strings.HasPrefix(k, "setting.") || k == keyCaughtUp {
				if err := kv.Purge(ctx, k); err != nil {
					return fmt.Errorf("read the log anew: %w", mapError(err))
				}
			}
		}
	}
	s, err := js.Stream(ctx, "KV_"+BucketRetries)
	if err == nil {
		err = s.Purge(ctx)
	}
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("read the log anew: %w", mapError(err))
	}
	return ctx.Err()
}
