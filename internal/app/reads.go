package app

import (
	"context"
	"fmt"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/render"
	"github.com/siltstone-ai/siltstone/internal/retrieve"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/store/redis"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// retrieveConfig is the read side's part of the configuration.
func (a *app) retrieveConfig() retrieve.Config {
	c := retrieve.Defaults()
	if a.calibrated != nil {
		c.Rank = *a.calibrated
	}
	c.Mode, c.Render, c.Enabled = retrieve.Mode(a.cfg.Read.Mode), render.Mode(a.cfg.Inject.RenderMode), a.cfg.Retrieval.Enabled
	c.Timeout = a.cfg.Read.Timeout
	c.Path, c.Cache = min(c.Path, c.Timeout), min(c.Cache, c.Timeout)
	c.Embed = min(c.Embed, c.Path)
	in := a.cfg.Inject
	c.Budget.Tokens, c.Budget.Total = in.TokenBudget, in.Total
	c.Budget.Types = map[schema.Type]int{
		schema.TypeConstraint: in.Constraints, schema.TypePreference: in.Preferences, schema.TypeTodoHint: in.Todos, schema.TypeFact: in.Facts,
	}
	return c
}

// retrieveDeps is what the read side reads through, in the generation that generation says.
func (a *app) retrieveDeps(generation func() int) retrieve.Deps {
	d := retrieve.Deps{
		Points: a.points, Scroller: scroller{a.points}, Standing: a.cache, Counts: counts{a.cache}, Recent: a.cache,
		Embedder: queryEmbedder{a, generation}, Agreement: a.words.Agreement, Settings: settingsReader{a.state}, Floor: a, Marks: a.marks, Generation: generation,
	}
	if a.cfg.Embed.URL != "" {
		d.Cosines = a.words.Cosines
	}
	return d
}

// queryEmbedder embeds queries for the generation that they are put to, unless its vectors are another model's: then
// words alone find.
type queryEmbedder struct {
	*app
	generation func() int
}

// Embed implements retrieve.Embedder.
func (q queryEmbedder) Embed(ctx context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error) {
	if g := q.readings.get(q.generation()); g != nil && g.asleep {
		return nil, schema.Permanent(schema.CodeUnavailable, nil, "generation %d is of another model", g.Number)
	}
	return q.embedder.Embed(ctx, texts, kind)
}

// asking is a read side of one generation, whether it is the one that is read or not, which leaves no traces of what
// was asked.
func (a *app) asking(gen int) (*retrieve.Service, error) {
	s, err := retrieve.New(a.retrieveConfig(), a.retrieveDeps(func() int { return gen }), a.log)
	if err != nil {
		return nil, fmt.Errorf("build retrieval of generation %d: %w", gen, err)
	}
	return s, nil
}

// calibrate fits the floors of the ranking to the server's model. A server that does not answer costs nothing but that:
// until the next start they are those of the built-in table.
func (a *app) calibrate(ctx context.Context) {
	c := retrieve.Defaults().Rank
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Embed.Timeout)
	defer cancel()
	if err := retrieve.Calibrate(ctx, a.embedder, &c); err != nil {
		a.log.Warn("floors are not fitted to the embedder", "model", a.embedder.Model(), obs.KeyError, err)
		return
	}
	a.calibrated = &c
	a.log.Info("floors fitted to the embedder", "model", a.embedder.Model(), "mean", c.Dense.Mean, "deviation", c.Dense.Dev, "cross_mean", c.CrossMean)
}

// newRetrieval builds the read side.
func (a *app) newRetrieval(ctx context.Context) error {
	metrics, err := obs.NewQueryMetrics(a.registry)
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	injected, err := events.OpenInjected(ctx, a.js, a.cfg.Inject.DedupeTTL)
	if err != nil {
		return err
	}
	if a.cfg.Embed.URL != "" {
		a.calibrate(ctx)
	}
	a.touches = retrieve.NewBatcher(activeTouches{a.cache, a.active}, time.Second, 256, a.log)
	c := a.retrieveConfig()
	deps := a.retrieveDeps(a.active)
	deps.Injected, deps.Touched, deps.Observe = injected, a.touches, func(o retrieve.Observation) { observe(metrics, o) }
	a.refiller = newRefiller(a)
	if a.cfg.Qdrant.Addr != "" { // else the vector store goes away with this process and not before it
		deps.Missed = a.refiller.missed
	}
	if a.retrieval, err = retrieve.New(c, deps, a.log); err != nil {
		return fmt.Errorf("build retrieval: %w", err)
	}
	if a.opts.Tuned != nil {
		deps.Touched, deps.Observe, deps.Missed = nil, nil, nil
		a.opts.Tuned(Tuned{a.embedder.Model(), c, func(tune func(*retrieve.Config)) (*retrieve.Service, error) {
			c := c
			if tune != nil {
				tune(&c)
			}
			return retrieve.New(c, deps, a.log)
		}})
	}
	return nil
}

// activeTouches writes access times of the active generation alone: they come late, and one of a generation that was pruned
// meanwhile would bring its key back.
type activeTouches struct {
	retrieve.Toucher
	active func() int
}

func (t activeTouches) Touch(ctx context.Context, gen int, owner string, ids []string, at time.Time) error {
	if gen != t.active() {
		return nil
	}
	return t.Toucher.Touch(ctx, gen, owner, ids, at)
}

// Tuned is how an evaluation compares rankings over what this process stores.
type Tuned struct {
	Model  string          // of the embedder
	Config retrieve.Config // the process's own; maps in it are shared
	// New makes a service with the configuration of the process's own as tune changes it; nil changes nothing. What it is
	// asked leaves no trace. It is safe for concurrent use while Run runs; tune must replace maps, not change them.
	New func(tune func(*retrieve.Config)) (*retrieve.Service, error)
}

// observe counts a query.
func observe(m *obs.QueryMetrics, o retrieve.Observation) {
	outcome := "ok"
	switch {
	case o.Err != nil:
		outcome = "error"
	case o.Stale:
		outcome = "stale"
	}
	m.Observe(string(o.Mode), outcome, o.Took, o.Items, o.Degraded)
}

// scroller gives the vector store's pages the shape of retrieve's port.
type scroller struct{ points }

// scrollPage is how many points a request brings.
const scrollPage = 1000

func (s scroller) Scroll(ctx context.Context, gen int, col schema.Collection, f schema.Filter, page retrieve.Page) ([]schema.Point, error) {
	o := qdrant.ScrollOptions{Limit: min(page.Limit, scrollPage), Keys: page.Keys}
	if page.Newest {
		o.OrderBy, o.Desc = schema.KeyAt, true
	}
	var out []schema.Point
	for {
		ps, next, err := s.Store.Scroll(ctx, gen, col, f, o)
		if err != nil {
			return nil, err
		}
		out = append(out, ps...)
		if next == "" || len(out) >= page.Limit {
			return out[:min(len(out), page.Limit)], nil
		}
		o.Cursor = next
	}
}

type counts struct{ *redis.Store }

func (c counts) TermCounts(ctx context.Context, gen int, owner string, terms []uint32) (uint64, map[uint32]uint64, error) {
	got, err := c.Store.TermCounts(ctx, gen, owner, terms)
	if !got.HasDocs {
		got.Docs = 0
	}
	return got.Docs, got.Terms, err
}

func (c counts) FillTermCounts(ctx context.Context, gen int, owner string, total uint64, df map[uint32]uint64) error {
	return c.Store.SetTermCounts(ctx, gen, owner, redis.Counts{Docs: total, HasDocs: true, Terms: df})
}

type settingsReader struct {
	state interface {
		Settings(tenant, user string) schema.Settings
	}
}

func (s settingsReader) Settings(_ context.Context, tenant, user string) (schema.Settings, error) {
	return s.state.Settings(tenant, user), nil
}

// querier is the read side as the HTTP edge calls it.
type querier struct{ *retrieve.Service }

func (q querier) Memories(ctx context.Context, tenant string, m schema.MemoryQuery) (schema.MemoryPage, error) {
	return q.List(ctx, tenant, retrieve.ListRequest{User: m.User, Status: m.Status, Type: m.Type, Kind: m.Kind, Q: m.Text, Cursor: m.Cursor, Limit: m.Limit})
}
