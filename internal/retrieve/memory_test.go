package retrieve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/embed"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "silt-retrieve")
	if err != nil {
		panic(err)
	}
	if _, err := text.Open(text.Config{CacheDir: dir}); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var errDown = errors.New("down")

// memory is a store in memory with the filters of the real one, and faults to switch on.
type memory struct {
	mu       sync.Mutex
	points   map[schema.Collection]map[string]schema.Point
	embedder *embed.Table

	searchErr, getErr, countErr, scrollErr, embedErr error
	hang, panics                                     map[string]bool
	searches, counts, scrolls                        int
	seen                                             []schema.Filter // of every call
}

func newMemory(t testing.TB) *memory {
	t.Helper()
	h, err := embed.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	return &memory{points: map[schema.Collection]map[string]schema.Point{}, embedder: h, hang: map[string]bool{}, panics: map[string]bool{}}
}

func (m *memory) enter(ctx context.Context, op string, err error) error {
	m.mu.Lock()
	hang, panics := m.hang[op], m.panics[op]
	m.mu.Unlock()
	if panics {
		panic("secret memory text")
	}
	if hang {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

func (m *memory) put(col schema.Collection, p schema.Point) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.points[col] == nil {
		m.points[col] = map[string]schema.Point{}
	}
	m.points[col][p.ID] = p
}

func number(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func holdsCond(p schema.Point, c schema.Cond) bool {
	var v any = p.Payload
	for part := range strings.SplitSeq(c.Key, ".") {
		mp, _ := v.(map[string]any)
		v = mp[part]
	}
	switch {
	case c.Equal != nil:
		if list, ok := v.([]int64); ok {
			n, _ := c.Equal.(int64)
			return slices.Contains(list, n)
		}
		if list, ok := v.([]string); ok {
			s, _ := c.Equal.(string)
			return slices.Contains(list, s)
		}
		return v == c.Equal
	case len(c.Any) > 0:
		if list, ok := v.([]string); ok {
			return slices.ContainsFunc(list, func(s string) bool { return slices.Contains(c.Any, s) })
		}
		s, ok := v.(string)
		return ok && slices.Contains(c.Any, s)
	case c.Range != nil:
		n, ok := number(v)
		r := c.Range
		return ok && (r.GTE == nil || n >= *r.GTE) && (r.GT == nil || n > *r.GT) && (r.LTE == nil || n <= *r.LTE) && (r.LT == nil || n < *r.LT)
	case len(c.HasID) > 0:
		return slices.Contains(c.HasID, p.ID)
	}
	panic("condition not known to the fake")
}

func holdsFilter(p schema.Point, f schema.Filter) bool {
	for _, c := range f.Must {
		if !holdsCond(p, c) {
			return false
		}
	}
	for _, c := range f.MustNot {
		if holdsCond(p, c) {
			return false
		}
	}
	return len(f.Should) == 0 || slices.ContainsFunc(f.Should, func(c schema.Cond) bool { return holdsCond(p, c) })
}

func (m *memory) match(col schema.Collection, f schema.Filter) []schema.Point {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, f)
	var out []schema.Point
	for _, p := range m.points[col] {
		if holdsFilter(p, f) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b schema.Point) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func (m *memory) Search(ctx context.Context, _ int, batch []schema.Search) ([][]schema.Hit, error) {
	m.mu.Lock()
	m.searches++
	m.mu.Unlock()
	if err := m.enter(ctx, "search", m.searchErr); err != nil {
		return nil, err
	}
	out := make([][]schema.Hit, len(batch))
	for i, s := range batch {
		for _, p := range m.match(s.Collection, s.Filter) {
			score, ok := 0.0, false
			switch {
			case s.Dense != nil && p.Dense != nil:
				ok = true
				for k, x := range s.Dense {
					score += float64(x) * float64(p.Dense[k])
				}
			case s.Sparse != nil && p.Sparse != nil:
				for k, idx := range s.Sparse.Indices {
					if at, there := slices.BinarySearch(p.Sparse.Indices, idx); there {
						ok = true
						score += float64(s.Sparse.Values[k]) * float64(p.Sparse.Values[at])
					}
				}
			}
			if ok {
				h := schema.Hit{ID: p.ID, Score: score, Payload: p.Payload}
				if s.Terms && p.Sparse != nil {
					h.Terms = p.Sparse.Indices
				}
				out[i] = append(out[i], h)
			}
		}
		slices.SortStableFunc(out[i], func(a, b schema.Hit) int {
			switch {
			case a.Score > b.Score:
				return -1
			case a.Score < b.Score:
				return 1
			}
			return 0
		})
		out[i] = out[i][:min(len(out[i]), s.Limit)]
	}
	return out, nil
}

func (m *memory) GetKeys(ctx context.Context, _ int, col schema.Collection, ids []string, _ ...string) ([]schema.Point, error) {
	if err := m.enter(ctx, "get", m.getErr); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []schema.Point
	for _, id := range ids {
		if p, ok := m.points[col][id]; ok {
			out = append(out, p)
		}
	}
	return out, nil
}

func (m *memory) Counts(ctx context.Context, _ int, col schema.Collection, fs []schema.Filter) ([]uint64, error) {
	m.mu.Lock()
	m.counts++
	m.mu.Unlock()
	if err := m.enter(ctx, "count", m.countErr); err != nil {
		return nil, err
	}
	out := make([]uint64, len(fs))
	for i, f := range fs {
		out[i] = uint64(len(m.match(col, f)))
	}
	return out, nil
}

func (m *memory) Scroll(ctx context.Context, _ int, col schema.Collection, f schema.Filter, page Page) ([]schema.Point, error) {
	m.mu.Lock()
	m.scrolls++
	m.mu.Unlock()
	if err := m.enter(ctx, "scroll", m.scrollErr); err != nil {
		return nil, err
	}
	ps := m.match(col, f)
	if page.Newest {
		slices.SortStableFunc(ps, func(a, b schema.Point) int {
			return int(integer(b.Payload, schema.KeyAt) - integer(a.Payload, schema.KeyAt))
		})
	}
	return ps[:min(len(ps), page.Limit)], nil
}

func (m *memory) Embed(ctx context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error) {
	if err := m.enter(ctx, "embed", m.embedErr); err != nil {
		return nil, err
	}
	return m.embedder.Embed(ctx, texts, kind)
}

// cache is every port that Redis fills.
type cache struct {
	mu       sync.Mutex
	err      error
	standing map[string][]schema.Memory
	fills    int
	version  int
	seenVer  string
	settings map[string]schema.Settings
	total    uint64
	df       map[uint32]uint64
	last     map[string][]schema.Memory // what is old, served to who has nothing better
	recent   []schema.Memory
	setErr   error
	touched  []string
	touchErr error
}

func (c *cache) Standing(_ context.Context, _ int, owner string) ([]schema.Memory, bool, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ms, ok := c.standing[owner]
	return ms, ok && c.err == nil, fmt.Sprint("v", c.version), c.err
}

func (c *cache) LastStanding(_ context.Context, _ int, owner string) ([]schema.Memory, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ms, ok := c.last[owner]
	return ms, ok && c.err == nil, c.err
}

func (c *cache) FillStanding(_ context.Context, _ int, owner, ver string, ms []schema.Memory) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fills++
	c.seenVer = ver
	if c.standing == nil {
		c.standing = map[string][]schema.Memory{}
	}
	c.standing[owner] = ms
	return c.err
}

func (c *cache) Settings(_ context.Context, tenant, user string) (schema.Settings, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings[schema.Owner(tenant, user)], c.setErr
}

func (c *cache) TermCounts(context.Context, int, string, []uint32) (uint64, map[uint32]uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total, c.df, c.err
}

func (c *cache) FillTermCounts(_ context.Context, _ int, _ string, total uint64, df map[uint32]uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.df == nil {
		c.df = map[uint32]uint64{}
	}
	c.total = total
	for k, v := range df {
		c.df[k] = v
	}
	return c.err
}

func (c *cache) Recent(context.Context, int, string, int) ([]schema.Memory, error) {
	return c.recent, c.err
}

func (c *cache) Touch(_ context.Context, _ int, owner string, ids []string, _ time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.touched = append(c.touched, owner+" "+id)
	}
	return c.touchErr
}

// world is a service over fakes, with ways to remember.
type world struct {
	t     testing.TB
	store *memory
	cache *cache
	svc   *Service
	cfg   Config
	deps  Deps
	seq   uint64
	now   time.Time
}

const (
	tenant = "t1"
	user   = "u1"
)

func newWorld(t testing.TB, edit ...func(*world)) *world {
	t.Helper()
	w := &world{t: t, store: newMemory(t), cache: &cache{}, cfg: Defaults(), now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}
	w.deps = Deps{
		Points: w.store, Scroller: w.store, Embedder: w.store, Standing: w.cache, Settings: w.cache, Counts: w.cache, Recent: w.cache,
		Agreement: w.store.embedder.Agreement, Generation: func() int { return 1 }, Clock: func() time.Time { return w.now },
	}
	for _, e := range edit {
		e(w)
	}
	svc, err := New(w.cfg, w.deps, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.svc = svc
	return w
}

// turn remembers a turn as the stages do.
func (w *world) turn(id, user, conversation, at string, segs ...schema.Segment) {
	w.t.Helper()
	w.seq++
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		w.t.Fatal(err)
	}
	uuid := schema.EventUUID(tenant, id)
	base := func() map[string]any {
		return map[string]any{
			schema.KeyOwner: schema.Owner(tenant, user), schema.KeyTenant: tenant, schema.KeyUser: user, schema.KeyEvent: uuid,
			schema.KeyEventID: id, schema.KeyAt: when.UnixMilli(), schema.KeySeq: int64(w.seq), schema.KeyConversation: conversation,
			schema.KeyMetadata: map[string]any{"project": "p-" + conversation, "n": int64(len(segs))},
		}
	}
	ev := base()
	ev[schema.KeyOutcome] = string(schema.OutcomeOpen)
	var list []map[string]any
	for _, s := range segs {
		list = append(list, map[string]any{"key": s.Key, "kind": string(s.Kind), "tool": s.Tool, "class": s.Class.String(), "text": s.Text})
		vs, _ := w.store.embedder.Embed(context.Background(), []string{s.Text}, schema.EmbedPassage)
		sparse := text.Sparse(text.Terms(s.Text))
		terms := make([]int64, len(sparse.Indices))
		for i, x := range sparse.Indices {
			terms[i] = int64(x)
		}
		for stage, p := range map[string]schema.Point{"vectorize": {Dense: vs[0]}, "extract": {Sparse: &sparse}} {
			p.ID, p.Payload = schema.PointID(uuid, s.Key, stage), base()
			p.Payload[schema.KeySegment], p.Payload[schema.KeySegKind], p.Payload["stage"] = s.Key, string(s.Kind), stage
			p.Payload[schema.KeyClass], p.Payload[schema.KeyLang] = s.Class.String(), text.Lang(s.Text)
			if s.Tool != "" {
				p.Payload[schema.KeyTool], p.Payload[schema.KeyTools] = s.Tool, schema.ToolKeys(s.Tool)
			}
			if stage == "extract" {
				p.Payload[schema.KeyTerms] = terms
			}
			w.store.put(schema.Passages, p)
		}
	}
	ev[schema.KeySegments] = list
	w.store.put(schema.Events, schema.Point{ID: uuid, Payload: ev})
}

func said(s string) schema.Segment {
	return schema.Segment{Key: "input", Kind: schema.SegInput, Class: schema.ClassUser, Text: s}
}

func replied(s string) schema.Segment {
	return schema.Segment{Key: "response", Kind: schema.SegResponse, Class: schema.ClassAssistant, Text: s}
}

func printed(key, tool, s string) schema.Segment {
	return schema.Segment{Key: key, Kind: schema.SegTool, Tool: tool, Class: schema.ClassTool, Text: "[source: " + tool + "] " + s}
}

// fact remembers a fact of a turn; edit may change it.
func (w *world) fact(id string, typ schema.Type, content string, edit ...func(*schema.Memory)) schema.Memory {
	w.t.Helper()
	m := schema.Memory{
		ID: schema.UUID("fact", id), Tenant: tenant, User: user, Type: typ, Kind: schema.KindUser, Content: content,
		Importance: .6, Confidence: .9, Status: schema.StatusActive, ObservedAt: w.now.Add(-24 * time.Hour),
		ContentHash: schema.Hash([]byte(content)),
		Source:      schema.Source{Event: "e-" + id, UUID: schema.EventUUID(tenant, "e-"+id), Class: schema.ClassUser},
	}
	for _, e := range edit {
		e(&m)
	}
	vs, _ := w.store.embedder.Embed(context.Background(), []string{content}, schema.EmbedPassage)
	sparse := text.Sparse(text.Terms(content))
	w.store.put(schema.Facts, schema.Point{ID: m.ID, Dense: vs[0], Sparse: &sparse, Payload: m.Payload()})
	return m
}

func (w *world) query(q schema.Query) schema.Reply {
	w.t.Helper()
	if q.User == "" {
		q.User = user
	}
	r, err := w.svc.Query(context.Background(), tenant, q)
	if err != nil {
		w.t.Fatalf("query: %v", err)
	}
	for _, it := range r.Items {
		if math.IsNaN(it.Score) {
			w.t.Fatalf("score of %s is NaN", it.ID)
		}
	}
	return r
}

func contents(its []schema.Item) string {
	var s []string
	for _, it := range its {
		s = append(s, it.Content)
	}
	return strings.Join(s, " | ")
}
