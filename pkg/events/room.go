package events

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// roomStream is made and deleted again to see whether there is room for another.
const roomStream = "SILT_ROOM"

// Room reports as an error of [schema.CodeConflict] that the server has no room for the work stream of one more generation,
// which reserves all that it may take. It makes such a stream and deletes it, for only the server knows.
func Room(ctx context.Context, js jetstream.JetStream, t Topology) error {
	c := t.Work(0)
	c.Name, c.Description, c.Subjects = roomStream, "Made to see whether there is room; deleted at once", []string{"silt.room"}
	_, err := js.CreateOrUpdateStream(ctx, c)
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == codeNoMemory || full(api)) {
		return schema.Permanent(schema.CodeConflict, err, "the streams' server has no %d MB left for the work of one more generation: prune one that is not answered from", t.WorkMaxBytes>>20)
	}
	if err != nil {
		return fmt.Errorf("look for room for a generation: %w", mapError(err))
	}
	if err := js.DeleteStream(ctx, roomStream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("delete the stream that was made to look for room: %w", mapError(err))
	}
	return nil
}
