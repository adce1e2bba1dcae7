package qdrant

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/qdrant/go-client/qdrant"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const (
	defaultPage = 256
	maxPage     = 10_000
	maxCursor   = 1 << 20 // bytes
)

// ScrollOptions of a page.
type ScrollOptions struct {
	OrderBy string // payload key with an integer or float index; "" orders by id. Points without the key are left out
	Desc    bool   // with OrderBy
	Limit   int    // points of a page; 0 means 256, at most 10,000
	Cursor  string // as the page before returned it; "" for the first page
	Vectors bool   // return vectors too

	Keys []string // payload keys to return; empty means all
}

// keys are the payload keys that a page needs: those asked for, and the one that its cursor is made of.
func (o ScrollOptions) keys() []string {
	if len(o.Keys) == 0 || o.OrderBy == "" {
		return o.Keys
	}
	return append([]string{o.OrderBy}, o.Keys...)
}

// selectPayload asks for payloads: none, all, or some keys of them.
func selectPayload(want bool, keys []string) *qdrant.WithPayloadSelector {
	if !want || len(keys) == 0 {
		return qdrant.NewWithPayload(want)
	}
	return qdrant.NewWithPayloadInclude(keys...)
}

// cursor is where the next page begins. By id: the first one of it. By a key: the last value seen, and the points
// with just that value that were returned already, since the server may order equal values as it likes.
type cursor struct {
	ID    string   `json:"id,omitempty"`
	Int   *int64   `json:"i,omitempty"`
	Float *float64 `json:"f,omitempty"`
	Seen  []string `json:"s,omitempty"`
}

// Scroll returns a page of the points that f finds, and the cursor of the next page, "" on the last one. Points
// written or deleted meanwhile may or may not show; no other is missed or returned twice. A bad cursor is a
// permanent error, and a forged one reaches nothing that f does not find.
func (s *Store) Scroll(ctx context.Context, gen int, c schema.Collection, f schema.Filter, o ScrollOptions) ([]schema.Point, string, error) {
	if o.Limit <= 0 {
		o.Limit = defaultPage
	}
	o.Limit = min(o.Limit, maxPage)
	cur, err := parseCursor(o)
	if err != nil {
		return nil, "", err
	}
	if len(cur.Seen) > 0 {
		f.MustNot = append(append([]schema.Cond(nil), f.MustNot...), schema.Cond{HasID: cur.Seen})
	}
	qf, err := toFilter(f)
	if err != nil {
		return nil, "", err
	}
	req := &qdrant.ScrollPoints{
		CollectionName: s.name(gen, c), Filter: qf,
		WithPayload: selectPayload(true, o.keys()), WithVectors: qdrant.NewWithVectors(o.Vectors),
	}
	if o.OrderBy == "" {
		return s.scrollByID(ctx, req, o, cur)
	}
	return s.scrollByKey(ctx, req, o, cur)
}

func (s *Store) scrollByID(ctx context.Context, req *qdrant.ScrollPoints, o ScrollOptions, cur cursor) ([]schema.Point, string, error) {
	req.Limit = qdrant.PtrOf(uint32(o.Limit))
	if cur.ID != "" {
		req.Offset = qdrant.NewIDUUID(cur.ID)
	}
	pts, next, err := s.scroll(ctx, req)
	if err != nil {
		return nil, "", err
	}
	out := make([]schema.Point, len(pts))
	for i, p := range pts {
		out[i] = p.Point
	}
	if next != "" {
		return out, cursor{ID: next}.String(), nil
	}
	return out, "", nil
}

func (s *Store) scrollByKey(ctx context.Context, req *qdrant.ScrollPoints, o ScrollOptions, cur cursor) ([]schema.Point, string, error) {
	key, err := path(o.OrderBy)
	if err != nil {
		return nil, "", err
	}
	dir := qdrant.Direction_Asc
	if o.Desc {
		dir = qdrant.Direction_Desc
	}
	req.OrderBy = &qdrant.OrderBy{Key: key, Direction: &dir}
	switch {
	case cur.Int != nil:
		req.OrderBy.StartFrom = qdrant.NewStartFromInt(*cur.Int)
	case cur.Float != nil:
		req.OrderBy.StartFrom = qdrant.NewStartFromFloat(*cur.Float)
	}
	req.Limit = qdrant.PtrOf(uint32(o.Limit + 1)) // one more tells whether there is a next page
	pts, _, err := s.scroll(ctx, req)
	if err != nil {
		return nil, "", err
	}
	more := len(pts) > o.Limit
	if more {
		pts = pts[:o.Limit]
	}
	out := make([]schema.Point, len(pts))
	for i, p := range pts {
		out[i] = p.Point
		cur.pass(p, p.Payload[o.OrderBy])
	}
	if more {
		return out, cur.String(), nil
	}
	return out, "", nil
}

func (s *Store) scroll(ctx context.Context, req *qdrant.ScrollPoints) ([]found, string, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	var r pageReply
	err := s.call(ctx, qdrant.Points_Scroll_FullMethodName, req, &r)
	return r.points, r.next, fail("scroll "+req.GetCollectionName(), err)
}

// pass moves the cursor past a point whose key has the value stored.
func (c *cursor) pass(p found, stored any) {
	i, isInt := stored.(int64)
	f, isFloat := stored.(float64)
	switch v := p.order.(type) {
	case int64:
		i, isInt, isFloat = v, true, false
	case float64:
		f, isFloat, isInt = v, true, false
	}
	same := isInt && c.Int != nil && *c.Int == i || isFloat && c.Float != nil && *c.Float == f
	if !same {
		*c = cursor{}
		if isInt {
			c.Int = &i
		} else if isFloat {
			c.Float = &f
		}
	}
	c.Seen = append(c.Seen, p.ID)
}

func (c cursor) String() string {
	b, err := json.Marshal(c)
	if err != nil {
		return "" // not reachable: a number that JSON cannot hold is in no payload
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseCursor(o ScrollOptions) (cursor, error) {
	var c cursor
	if o.Cursor == "" {
		return c, nil
	}
	bad := schema.Invalid("cursor", "is not one that this listing returned")
	if len(o.Cursor) > maxCursor {
		return c, bad
	}
	b, err := base64.RawURLEncoding.DecodeString(o.Cursor)
	if err != nil || json.Unmarshal(b, &c) != nil {
		return cursor{}, bad
	}
	byID := c.ID != ""
	byKey := (c.Int != nil) != (c.Float != nil)
	if byID == byKey || byID != (o.OrderBy == "") || byID && !isUUID(c.ID) {
		return cursor{}, bad
	}
	for _, id := range c.Seen {
		if !isUUID(id) {
			return cursor{}, bad
		}
	}
	return c, nil
}
