package retrieve

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// defaultPage is the page size of a list that names none; the largest is [schema.MaxPage].
const defaultPage = 100

// ListRequest selects memories of one user.
type ListRequest struct {
	User   string
	Status string      // active (default), superseded, all; retracted and forgotten memories are in none
	Type   schema.Type // "" for all
	Kind   schema.Kind // "" for all
	Q      string      // substring, folded (NFKC, case) on both sides; "" for none
	Cursor string      // of the page before; "" for the first
	Limit  int         // 1 to schema.MaxPage; 0 means 100
}

// Validate reports the first fault, naming its field.
func (r *ListRequest) Validate() error {
	if err := schema.CheckID("user", r.User); err != nil {
		return err
	}
	switch r.Status {
	case "", "active", "superseded", "all":
	default:
		return schema.Invalid("status", "%q is not one of active, superseded, all", r.Status)
	}
	if r.Type != "" && !r.Type.Valid() {
		return schema.Invalid("type", "%q is not a memory type", r.Type)
	}
	switch r.Kind {
	case "", schema.KindUser, schema.KindFeedback, schema.KindProject, schema.KindReference:
	default:
		return schema.Invalid("kind", "%q is not one of user, feedback, project, reference", r.Kind)
	}
	if len(r.Q) > schema.MaxQuery {
		return schema.Invalid("q", "is %d bytes long, at most %d are allowed", len(r.Q), schema.MaxQuery)
	}
	if r.Limit < 0 || r.Limit > schema.MaxPage {
		return schema.Invalid("limit", "must lie between 1 and %d", schema.MaxPage)
	}
	if r.Cursor != "" {
		_, err := parseCursor(r.Cursor)
		return err
	}
	return nil
}

// cursor is the last item of a page: the next one begins after it in the order of lists.
type cursor struct {
	at int64 // Unix milliseconds
	id string
}

func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte("1." + strconv.FormatInt(c.at, 10) + "." + c.id))
}

// Bounds of a time in a cursor: years 1 to 9999, which is what a memory may have.
var (
	minAt = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	maxAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
)

func parseCursor(s string) (cursor, error) {
	bad := schema.Invalid("cursor", "is not a cursor of this list")
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return cursor{}, bad
	}
	version, rest, _ := strings.Cut(string(b), ".")
	at, id, ok := strings.Cut(rest, ".")
	n, err := strconv.ParseInt(at, 10, 64)
	if version != "1" || !ok || err != nil || id == "" || len(id) > schema.MaxID || n < minAt || n > maxAt {
		return cursor{}, bad
	}
	return cursor{n, id}, nil
}

// after reports whether it stands behind c: lists run from the newest to the oldest, and by id, descending, within
// one moment.
func (c cursor) after(it schema.Item) bool {
	at := it.ObservedAt.UnixMilli()
	return at < c.at || at == c.at && it.ID < c.id
}

// List is a page of a user's facts and turns, newest first, in an order that new memories do not move. It blocks at
// most for the configured time limit. The user's settings gate it as they gate queries.
func (s *Service) List(ctx context.Context, tenant string, r ListRequest) (schema.MemoryPage, error) {
	page := schema.MemoryPage{Items: []schema.Item{}}
	if err := schema.CheckTenant(tenant); err != nil {
		return page, err
	}
	if err := r.Validate(); err != nil {
		return page, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	set, err := s.deps.Settings.Settings(ctx, tenant, r.User)
	if err != nil {
		return page, schema.Retryable(schema.CodeUnavailable, 0, err, "the user's settings could not be read")
	}
	limit := r.Limit
	if limit == 0 {
		limit = defaultPage
	}
	l := &lister{s: s, r: r, limit: limit, a: s.ask(tenant, schema.Query{User: r.User}), q: text.FoldMatch(r.Q)}
	l.a.settings = set
	l.a.IncludeHistory = r.Status == "superseded" || r.Status == "all"
	if r.Type != "" {
		l.a.Types = []schema.Type{r.Type}
	}
	if r.Cursor != "" {
		c, _ := parseCursor(r.Cursor)
		l.from = &c
	}
	items, more, err := l.run(ctx)
	if err != nil {
		return page, err
	}
	page.Items = append(page.Items, items...)
	if more {
		last := items[len(items)-1]
		page.Cursor = cursor{last.ObservedAt.UnixMilli(), last.ID}.String()
	}
	return page, nil
}

// lister merges the streams of one list.
type lister struct {
	s     *Service
	a     *ask
	r     ListRequest
	q     string
	limit int
	from  *cursor
}

// stream reads one collection from the newest point to the oldest. What lies at the oldest moment read may go on in
// the next read, so it waits until that moment is read whole.
type stream struct {
	col   schema.Collection
	base  schema.Filter
	items func(context.Context, []schema.Point) ([]schema.Item, error)
	upper *int64
	size  int
	done  bool
}

// maxRead bounds one read of a stream: more points of one millisecond than this cannot be listed.
const maxRead = 10_000

func (l *lister) run(ctx context.Context) (items []schema.Item, more bool, err error) {
	streams := l.streams()
	var all []schema.Item
	for {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		open := false
		low := int64(-1 << 62) // everything above is read whole
		for _, st := range streams {
			if !st.done {
				open = true
				if st.upper != nil {
					low = max(low, *st.upper)
				} else {
					low = 1 << 62
				}
			}
		}
		whole := 0
		for _, it := range all {
			if it.ObservedAt.UnixMilli() > low {
				whole++
			}
		}
		if !open || whole > l.limit {
			break
		}
		for _, st := range streams { // the stream that is the least far is what holds up the merge
			if st.done || st.upper != nil && *st.upper < low {
				continue
			}
			got, err := l.read(ctx, st)
			if err != nil {
				return nil, false, err
			}
			all = append(all, got...)
		}
	}
	slices.SortFunc(all, func(x, y schema.Item) int {
		return cmp.Or(cmp.Compare(y.ObservedAt.UnixMilli(), x.ObservedAt.UnixMilli()), cmp.Compare(y.ID, x.ID))
	})
	if len(all) > l.limit {
		return all[:l.limit], true, nil
	}
	return all, false, nil
}

func (l *lister) streams() []*stream {
	var out []*stream
	var upper *int64
	if l.from != nil {
		upper = &l.from.at
	}
	if f, ok := l.facts(); ok {
		out = append(out, &stream{col: schema.Facts, base: f, items: l.factItems, upper: upper, size: 2*l.limit + 1})
	}
	if l.a.wants(schema.TypeEpisode) && (l.r.Kind == "" || l.r.Kind == schema.KindReference) {
		f := ownerFilter(l.a.owner)
		f.MustNot = hidden()
		out = append(out, &stream{col: schema.Events, base: f, items: l.turnItems, upper: upper, size: l.limit + 1})
	}
	return out
}

// facts is the filter over facts. Unlike a query's, it does not drop what ended, which is judged one by one.
func (l *lister) facts() (schema.Filter, bool) {
	types := l.a.factTypes()
	if len(types) == 0 {
		return schema.Filter{}, false
	}
	statuses := []string{string(schema.StatusActive)}
	switch l.r.Status {
	case "superseded":
		statuses = []string{string(schema.StatusSuperseded)}
	case "all":
		statuses = append(statuses, string(schema.StatusSuperseded), string(schema.StatusDuplicate))
	}
	f := ownerFilter(l.a.owner, schema.Cond{Key: schema.KeyType, Any: types}, schema.Cond{Key: schema.KeyStatus, Any: statuses})
	if l.r.Kind != "" {
		f.Must = append(f.Must, equal(schema.KeyKind, string(l.r.Kind)))
	}
	return f, true
}

// read takes the next points of a stream, and its bounds on.
func (l *lister) read(ctx context.Context, st *stream) ([]schema.Item, error) {
	f := st.base
	if st.upper != nil {
		top := float64(*st.upper)
		f.Must = append(slices.Clone(f.Must), schema.Cond{Key: schema.KeyAt, Range: &schema.Range{LTE: &top}})
	}
	ps, err := l.s.deps.Scroller.Scroll(ctx, l.a.gen, st.col, f, Page{Limit: st.size, Newest: true})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", st.col, err)
	}
	if len(ps) < st.size {
		st.done = true
	} else {
		low := integer(ps[len(ps)-1].Payload, schema.KeyAt)
		whole := slices.IndexFunc(ps, func(p schema.Point) bool { return integer(p.Payload, schema.KeyAt) <= low })
		if whole == 0 { // all of one moment: read more of it at once
			if st.size >= maxRead {
				return nil, schema.Permanent(schema.CodeTooLarge, nil, "over %d memories of one millisecond cannot be listed", maxRead)
			}
			st.size = min(2*st.size, maxRead)
			return nil, nil
		}
		ps, st.upper = ps[:whole], &low
	}
	items, err := st.items(ctx, ps)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(items, func(it schema.Item) bool { return !l.keeps(it) }), nil
}

func (l *lister) keeps(it schema.Item) bool {
	if l.from != nil && !l.from.after(it) || l.r.Kind != "" && it.Kind != l.r.Kind ||
		l.r.Status == "superseded" && it.Status != schema.StatusSuperseded {
		return false
	}
	if l.q != "" && !strings.Contains(text.FoldMatch(it.Content), l.q) {
		return false
	}
	return l.s.deps.Marks == nil || !l.s.deps.Marks.Hides(l.a.tenant, l.a.User, it)
}

func (l *lister) factItems(_ context.Context, ps []schema.Point) ([]schema.Item, error) {
	out := make([]schema.Item, 0, len(ps))
	for _, p := range ps {
		m := schema.MemoryFrom(p.ID, p.Payload)
		st, ok := l.a.holds(&m)
		if m.Status == schema.StatusDuplicate {
			st, ok = m.Status, l.r.Status == "all"
		}
		if ok && schema.Owner(m.Tenant, m.User) == l.a.owner {
			out = append(out, item(&m, st))
		}
	}
	return out, nil
}

// judged turns have their facts read at once, which are at most [maxFacts].
const judged = 200

func (l *lister) turnItems(ctx context.Context, ps []schema.Point) ([]schema.Item, error) {
	if len(ps) == 0 {
		return nil, nil
	}
	states := make(map[string]judgement, len(ps))
	for some := range slices.Chunk(ps, judged) {
		ids := make([]string, len(some))
		for i, p := range some {
			ids[i] = p.ID
		}
		st, err := l.s.states(ctx, l.a, ids)
		if err != nil {
			return nil, err
		}
		maps.Copy(states, st)
	}
	out := make([]schema.Item, 0, len(ps))
	for _, p := range ps {
		t := turn{uuid: p.ID}
		if it, ok := l.a.episode(p.Payload, t.item(), states[p.ID], map[string]bool{everySegment: true}); ok {
			out = append(out, it)
		}
	}
	return out, nil
}
