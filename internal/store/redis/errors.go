package redis

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// fail is the one place where an error of the server or of the client becomes a decision: all are retryable, for a
// cache is never a reason to give an event up. op is a verb and a noun.
func fail(op string, err error) error {
	switch {
	case err == nil || errors.Is(err, redis.Nil):
		return nil
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		return schema.Retryable(schema.CodeTimeout, 0, err, "%s", op)
	case errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted):
		return schema.Retryable(schema.CodeOverloaded, 0, err, "%s", op)
	}
	return schema.Retryable(schema.CodeUnavailable, 0, err, "%s", op)
}
