package redis

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// gate is shut for a while after the server did not answer: calls fail at once meanwhile. Without it every batch of
// an indexer would wait for the whole timeout of a cache that is away.
type gate struct {
	until atomic.Int64 // Unix nanoseconds
}

func (g *gate) shut() bool { return time.Now().UnixNano() < g.until.Load() }

// saw shuts the gate if err says that the server does not answer. A reply that is an error is an answer; so is
// every failure that the caller's own context explains.
func (g *gate) saw(caller context.Context, rest time.Duration, err error) {
	var reply redis.Error
	switch {
	case err == nil:
		g.until.Store(0)
	case errors.As(err, &reply) || caller.Err() != nil || errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted):
	default:
		g.until.Store(time.Now().Add(rest).UnixNano())
	}
}

// do runs one call within the timeout and turns its error into a decision. op is a verb and a noun.
func (s *Store) do(ctx context.Context, op string, call func(context.Context) error) error {
	if s.gate.shut() {
		return schema.Retryable(schema.CodeUnavailable, s.o.Rest, nil, "%s: the server did not answer just now", op)
	}
	bounded, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	err := call(bounded)
	s.gate.saw(ctx, s.o.Rest, err)
	return fail(op, err)
}
