package retrieve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/internal/render"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Service answers queries. It is safe for concurrent use.
type Service struct {
	cfg           Config
	deps          Deps
	log           *slog.Logger
	conversations conversations
}

// New checks the configuration and that the required ports are there.
func New(cfg Config, deps Deps, log *slog.Logger) (*Service, error) {
	errs := []error{cfg.Validate()}
	for _, p := range []struct {
		name    string
		missing bool
	}{
		{"Points", deps.Points == nil}, {"Scroller", deps.Scroller == nil}, {"Settings", deps.Settings == nil},
		{"Generation", deps.Generation == nil},
	} {
		if p.missing {
			errs = append(errs, fmt.Errorf("port %s is missing", p.name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("configure retrieval: %w", err)
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if deps.Terms == nil {
		deps.Terms = QueryTerms
	}
	if deps.Tokens == nil {
		deps.Tokens = text.Tokens
	}
	return &Service{cfg: cfg, deps: deps, log: log}, nil
}

func (s *Service) clock() time.Time {
	if s.deps.Clock != nil {
		return s.deps.Clock()
	}
	return time.Now()
}

// Query answers q for a user of tenant. It blocks at most for the configured time limit. An error is the request's
// fault ([schema.CodeInvalid], [schema.CodeUnsupported]) or one of ours; what fails on the way is in the reply's
// degraded instead.
func (s *Service) Query(ctx context.Context, tenant string, q schema.Query) (reply schema.Reply, err error) {
	start := time.Now()
	mode := s.cfg.Mode
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("query panicked", obs.KeyTenant, tenant, "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			reply, err = schema.Reply{}, &schema.Error{Code: schema.CodeInternal, Message: "the query failed", Retry: true}
		}
		took := time.Since(start)
		reply.TookMS = float64(took.Microseconds()) / 1000
		if s.deps.Observe != nil {
			s.deps.Observe(Observation{Mode: mode, Took: took, Items: len(reply.Items), Degraded: reply.Degraded, Stale: reply.Stale, Err: err})
		}
	}()
	if err := schema.CheckTenant(tenant); err != nil {
		return reply, err
	}
	if err := q.Validate(); err != nil {
		return reply, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	fs := &faults{log: s.log.With(obs.KeyTenant, tenant)}
	a := s.ask(tenant, q)
	mode = a.mode
	reply = s.answer(ctx, a, fs)
	reply.Degraded = fs.list()
	s.touch(a, reply.Items)
	return reply, nil
}

func (s *Service) answer(ctx context.Context, a *ask, fs *faults) schema.Reply {
	reply := schema.Reply{Items: []schema.Item{}}
	set, err := isolate(ctx, s.cfg.Cache, s.log, "settings", func(ctx context.Context) (schema.Settings, error) {
		return s.deps.Settings.Settings(ctx, a.tenant, a.User)
	})
	if err != nil {
		fs.add("settings", err)
		return reply
	}
	if a.settings = set; !set.On() {
		reply.Hint = render.Off(a.lang(nil))
		return reply
	}
	reply.Stale = !s.settled(ctx, a)
	var standing []rank.Candidate
	var b found
	if a.mode == Legacy {
		b = s.legacy(ctx, a, fs)
	} else {
		standing, b = s.paths(ctx, a, fs)
	}
	cands := s.allowed(a, rank.Merge(standing, b.cands))
	rank.Order(cands, a.rank(), s.cfg.Rank, a.Explain)
	for _, c := range cands {
		if len(reply.Items) < a.Limit && (!c.Standing || c.Found || a.matches(c.Item)) {
			reply.Items = append(reply.Items, c.Item)
		}
	}
	lang := a.lang(cands)
	missing := 0
	if a.render != render.None {
		reply.Block, missing = s.inject(ctx, a, cands, b, lang, reply.Stale, fs)
	}
	none := !slices.ContainsFunc(cands, func(c rank.Candidate) bool { return c.Found || !c.Standing })
	if none && a.Query.Query != "" && b.searched && len(fs.list()) == 0 {
		reply.Hint = render.Hint(lang, reply.Block != "")
	}
	if missing > 0 {
		reply.Hint = strings.TrimSpace(reply.Hint + "\n" + render.Crowded(lang, missing))
	}
	return reply
}

// settled waits for min_seq, and leaves the paths their time.
func (s *Service) settled(ctx context.Context, a *ask) bool {
	if a.MinSeq == 0 {
		return true
	}
	if s.deps.Floor == nil {
		return false
	}
	wait := s.cfg.Timeout
	if end, ok := ctx.Deadline(); ok {
		wait = time.Until(end)
	}
	if wait -= s.cfg.Path; wait < s.cfg.Cache {
		wait = s.cfg.Cache
	}
	_, err := isolate(ctx, wait, s.log, "floor", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.deps.Floor.WaitFloor(ctx, a.gen, a.MinSeq)
	})
	return err == nil
}

// paths runs A and B side by side, each on its own.
func (s *Service) paths(ctx context.Context, a *ask, fs *faults) ([]rank.Candidate, found) {
	type pathA struct {
		cands []rank.Candidate
		err   error
	}
	done := make(chan pathA, 1)
	go func() {
		cs, err := isolate(ctx, s.cfg.Path, s.log, "standing", func(ctx context.Context) ([]rank.Candidate, error) {
			return s.standing(ctx, a, fs)
		})
		done <- pathA{cs, err}
	}()
	b, err := s.searchIn(ctx, a, fs)
	if err != nil {
		fs.add("vectors", err)
		b = found{}
		if b.cands, err = s.structured(ctx, a); err != nil {
			s.log.Warn("structured query failed", obs.KeyTenant, a.tenant, obs.KeyError, err)
		}
	}
	r := <-done
	if r.err != nil {
		fs.add("pins", r.err)
	}
	return r.cands, b
}

func (s *Service) searchIn(ctx context.Context, a *ask, fs *faults) (found, error) {
	return isolate(ctx, s.cfg.Path, s.log, "search", func(ctx context.Context) (found, error) { return s.search(ctx, a, fs) })
}

// legacy is the order of before: the search alone, else the structured query.
func (s *Service) legacy(ctx context.Context, a *ask, fs *faults) found {
	b, err := s.searchIn(ctx, a, fs)
	if err != nil {
		fs.add("vectors", err)
		b = found{}
	}
	if len(b.cands) > 0 || err == nil && a.Query.Query == "" {
		return b
	}
	cs, serr := s.structured(ctx, a)
	if serr != nil {
		fs.add("vectors", serr)
	}
	return found{cands: cs, searched: b.searched && len(cs) == 0}
}

// allowed leaves out what may not be returned whatever found it.
func (s *Service) allowed(a *ask, cands []rank.Candidate) []rank.Candidate {
	out := cands[:0]
	for _, c := range cands {
		if a.wants(c.Item.Type) && (s.deps.Marks == nil || !s.deps.Marks.Hides(a.tenant, a.User, c.Item)) {
			out = append(out, c)
		}
	}
	return out
}

// lang is the language of headings: the query's choice, the query's own, else that of what is remembered.
func (a *ask) lang(cands []rank.Candidate) string {
	if a.Lang != "" {
		return a.Lang
	}
	if strings.ContainsFunc(a.Query.Query, unicode.IsLetter) {
		return text.Lang(a.Query.Query)
	}
	zh := 0
	for _, c := range cands {
		if text.Lang(c.Item.Content) == render.ZH {
			zh++
		}
	}
	if zh*2 > len(cands) {
		return render.ZH
	}
	return render.EN
}

func (s *Service) touch(a *ask, items []schema.Item) {
	if s.deps.Touched == nil || len(items) == 0 {
		return
	}
	now := s.clock()
	for _, it := range items {
		s.deps.Touched.Add(Touch{Generation: a.gen, Owner: a.owner, ID: it.ID, At: now})
	}
}
