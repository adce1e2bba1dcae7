package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// copyLost is after how long without a word who copies has lost its process. One that was only held up finds that another
// copies when it notes its next page, and ends.
const copyLost = 30 * time.Second

// copyOthers fills a generation of one tenant with what the others have in the generation that it is a copy of, once that
// is settled to where it begins to read them itself. Its stages run after that. One process at a time; one that takes over
// begins anew and leaves what is there.
func (r *Replays) copyOthers(ctx context.Context, g events.Generation) error {
	floor, err := r.Floor(ctx, g.CopyOf)
	if err != nil {
		return fmt.Errorf("read the settled floor of generation %d: %w", g.CopyOf, err)
	}
	if floor < g.Target {
		return nil
	}
	begun := false
	beat := func() error {
		_, err := r.Writer.EditGeneration(ctx, g.Number, func(g *events.Generation) error {
			now := r.Now().UTC()
			mine := begun && g.CopyBy == r.Self
			switch free := g.CopyBy == "" || now.Sub(g.CopyBeat) > copyLost; {
			case g.Phase != events.PhaseFilling || g.Copied || !mine && (begun || !free):
				return errNotDue
			}
			g.CopyBy, g.CopyBeat = r.Self, now
			return nil
		})
		return err
	}
	if err := beat(); err != nil {
		return err
	}
	begun = true
	r.Logger.InfoContext(ctx, "points of other tenants are copied", obs.KeyGen, g.Number, "of", g.CopyOf, "up_to", g.Target)
	if err := r.Copy(ctx, g.CopyOf, g.Number, g.Tenant, g.Target, beat); err != nil {
		return fmt.Errorf("copy points of other tenants: %w", err)
	}
	_, err = r.Writer.EditGeneration(ctx, g.Number, func(g *events.Generation) error {
		if g.Phase != events.PhaseFilling || g.CopyBy != r.Self {
			return errNotDue
		}
		g.Copied, g.CopyBy, g.CopyBeat = true, "", time.Time{}
		return nil
	})
	if err == nil {
		r.Logger.InfoContext(ctx, "points of other tenants are copied, and the tenant's part of the log is read", obs.KeyGen, g.Number)
	}
	return err
}

// ofTenant makes g a generation of one tenant, beside the one that is read.
func (r *Replays) ofTenant(g *events.Generation, tenant string) error {
	if tenant == "" {
		return nil
	}
	if !g.Complete() {
		return schema.Invalid("tenant", "is replayed from the start to the end: leave from and to out")
	}
	active := r.Register.Active()
	now, ok := r.Register.Generation(active)
	switch {
	case !ok || !now.Live() || !now.Complete():
		return conflict("generation %d, which is answered from, holds a part of the log only: replay all of it", active)
	case now.Model != "" && now.Model != r.Model:
		return conflict("generation %d holds vectors of the model %q, and the embedder makes those of %q: what other tenants have cannot be copied; replay all of the log", active, now.Model, r.Model)
	}
	g.Tenant, g.CopyOf = tenant, active
	return nil
}
