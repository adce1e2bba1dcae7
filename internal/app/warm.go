package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// At most so many users have their standing memories put into the cache at start, found by reading at most so many
// memories. The others' are put there by their first query.
const (
	warmUsers    = 10_000
	warmMemories = 200_000
)

// warm puts into the cache what stands of every user who has something standing, so that a vector store that goes
// away before their first query takes no constraint along. It ends with ctx and is nobody's condition: what it does
// not reach is filled by the first query.
func (a *app) warm(ctx context.Context) {
	start := time.Now()
	users, memories := 0, 0
	owners, whole, err := a.standingOwners(ctx, a.active())
	for _, owner := range owners {
		var n int
		if n, err = a.retrieval.Warm(ctx, owner); err != nil {
			break
		}
		users++
		memories += n
	}
	attrs := []slog.Attr{slog.Int("users", users), slog.Int("memories", memories), slog.Bool("whole", whole && err == nil), slog.Duration("took", time.Since(start))}
	switch {
	case err == nil:
		a.log.LogAttrs(ctx, slog.LevelInfo, "standing memories are in the cache", attrs...)
	case ctx.Err() == nil:
		a.log.LogAttrs(ctx, slog.LevelWarn, "standing memories are put into the cache by queries only", append(attrs, slog.String(obs.KeyError, err.Error()))...)
	}
}

// standingOwners lists the owners of constraints, preferences and pinned memories that hold; whole is false where there are more.
func (a *app) standingOwners(ctx context.Context, gen int) (owners []string, whole bool, err error) {
	f := schema.Filter{
		Must: []schema.Cond{{Key: schema.KeyStatus, Equal: string(schema.StatusActive)}},
		Should: []schema.Cond{
			{Key: schema.KeyType, Any: []string{string(schema.TypeConstraint), string(schema.TypePreference)}}, {Key: schema.KeyPinned, Equal: true},
		},
	}
	o := qdrant.ScrollOptions{Limit: scrollPage, Keys: []string{schema.KeyOwner}}
	seen := map[string]bool{}
	for read := 0; read < warmMemories; {
		ps, next, err := a.points.Scroll(ctx, gen, schema.Facts, f, o)
		if err != nil {
			return owners, false, fmt.Errorf("look for standing memories: %w", err)
		}
		read += len(ps)
		for _, p := range ps {
			owner, _ := p.Payload[schema.KeyOwner].(string)
			if owner == "" || seen[owner] {
				continue
			}
			if len(owners) == warmUsers {
				return owners, false, nil
			}
			seen[owner] = true
			owners = append(owners, owner)
		}
		if next == "" {
			return owners, true, nil
		}
		o.Cursor = next
	}
	return owners, false, nil
}
