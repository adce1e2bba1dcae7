package redis

import (
	"context"
	"errors"
	"strings"

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
	return schema.Retryable(schema.CodeUnavailable, 0, hushed(err), "%s", op)
}

// hushed is an error of the server's up to where it quotes what it was sent ("ERR unknown command 'EVAL', with args
// beginning with: …", where a provider has switched a command off): errors are logged, and the arguments are memories.
func hushed(err error) error {
	var server redis.Error
	if !errors.As(err, &server) {
		return err
	}
	text := server.Error()
	if i := strings.IndexAny(text, "'`\":"); i >= 0 {
		text = strings.TrimRight(text[:i], " ,")
	}
	return hush{err, "server answered " + text}
}

type hush struct {
	err  error
	text string
}

func (h hush) Error() string { return h.text }
func (h hush) Unwrap() error { return h.err }
