package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// answered is an error that a server answered. The catalogue says whether a retry can help.
func answered(w schema.WireError, after time.Duration) *schema.Error {
	e := &schema.Error{Code: w.Code, Field: w.Field, Message: w.Message}
	if w.Code.Info().Retry {
		e.Retry, e.After = true, after
	}
	return e
}

// codeOf is the catalogue's code for a status of HTTP or of the NATS services, for answers that name none.
func codeOf(status int) schema.Code {
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return schema.CodeInvalid
	case http.StatusUnauthorized:
		return schema.CodeUnauthenticated
	case http.StatusForbidden:
		return schema.CodeDenied
	case http.StatusNotFound:
		return schema.CodeNotFound
	case http.StatusMethodNotAllowed:
		return schema.CodeMethod
	case http.StatusRequestTimeout:
		return schema.CodeSlowBody
	case http.StatusUnsupportedMediaType:
		return schema.CodeMediaType
	case http.StatusConflict:
		return schema.CodeConflict
	case http.StatusRequestEntityTooLarge:
		return schema.CodeTooLarge
	case http.StatusTooManyRequests:
		return schema.CodeOverloaded
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return schema.CodeUnavailable
	case http.StatusGatewayTimeout:
		return schema.CodeTimeout
	}
	return schema.CodeInternal
}

// JetStream's error codes for a stream, and an account, at its bound.
const (
	streamFull  jetstream.ErrorCode = 10077
	accountFull jetstream.ErrorCode = 10002
)

// natsError maps a failure on the way to the catalogue. what names the call.
func natsError(what string, err error) error {
	var known *schema.Error
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", what, err)
	case errors.Is(err, nats.ErrMaxPayload):
		return schema.Permanent(schema.CodeTooLarge, err, "%s: the message is over the server's limit", what)
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse):
		return schema.Retryable(schema.CodeUnavailable, time.Second, err, "%s: no Siltstone listens on this NATS", what)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return schema.Retryable(schema.CodeTimeout, 0, err, "%s: no answer within the time limit", what)
	case errors.As(err, &api) && api.ErrorCode == streamFull:
		return schema.Retryable(schema.CodeOverloaded, time.Second, err, "%s: too much is waiting for intake", what)
	case errors.As(err, &api) && api.ErrorCode == accountFull:
		return schema.Retryable(schema.CodeNoSpace, time.Second, err, "%s: the server's disk is nearly full", what)
	}
	return schema.Retryable(schema.CodeUnavailable, time.Second, err, "%s: NATS did not take it", what)
}
