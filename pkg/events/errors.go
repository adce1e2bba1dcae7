package events

import (
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// mapError is err as a *schema.Error: as it is where it holds one, permanent where no retry mends it, else
// retryable.
func mapError(err error) error {
	var known *schema.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, jetstream.ErrMsgNotFound), errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrObjectNotFound):
		return schema.Permanent(schema.CodeNotFound, err, "not found")
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrBucketNotFound),
		errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, nats.ErrNoResponders):
		return schema.Retryable(schema.CodeUnavailable, 0, err, "stream or durable is not there")
	case errors.Is(err, nats.ErrTimeout):
		return schema.Retryable(schema.CodeTimeout, 0, err, "no answer from the server in time")
	case errors.Is(err, nats.ErrReconnectBufExceeded): // its text tells of a buffer, which is no cause
		return schema.Retryable(schema.CodeUnavailable, 0, nats.ErrDisconnected, "the log cannot be reached at present: NATS is not connected")
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrDisconnected):
		return schema.Retryable(schema.CodeUnavailable, 0, err, "the log cannot be reached at present: NATS is not connected")
	}
	return publishError(err)
}

// The server's codes for an expected sequence that is not the last one.
const (
	wrongLastSequence           jetstream.ErrorCode = 10071
	wrongLastSequenceReplicated jetstream.ErrorCode = 10164
)

// lostRace reports whether a key was not written since another revision of it is there: code 10071, or 10164 on
// a replicated stream.
func lostRace(err error) bool {
	if errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return true
	}
	var api *jetstream.APIError // of a publish that is not the client's own
	return errors.As(err, &api) && (api.ErrorCode == wrongLastSequence || api.ErrorCode == wrongLastSequenceReplicated)
}
