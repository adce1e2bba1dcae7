package qdrantd

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/qdrant/go-client/qdrant"
)

// entry is a point on a page of a scroll.
type entry struct {
	id      pointID
	payload []byte
	vectors *qdrant.VectorsOutput
	order   orderValue
}

// page is the first n points by id that pass f, from id from on where that is given.
func (c *collection) page(ctx context.Context, f *filter, from *pointID, n int, vec *vectorSelector) ([]entry, error) {
	var all []entry
	err := c.scan(ctx, f, func() { all = nil }, func(m *matcher) error {
		if m.none {
			return nil
		}
		take := 0
		add := func(row uint32) {
			all = append(all, entry{id: m.p.ids[row], payload: m.p.payload[row], vectors: vec.vectors(m.p, row)})
			take++
		}
		if m.driven && len(m.driver) < m.p.live/8 { // few: sort them
			rows := slices.Clone(m.driver)
			slices.SortFunc(rows, func(a, b uint32) int { return compareIDs(&m.p.ids[a], &m.p.ids[b]) })
			for _, row := range rows {
				if take == n {
					break
				}
				if (from == nil || compareIDs(&m.p.ids[row], from) >= 0) && m.rest(row) {
					add(row)
				}
			}
			return nil
		}
		order := m.p.byID()
		if from != nil {
			order = order[sort.Search(len(order), func(i int) bool { return compareIDs(&m.p.ids[order[i]], from) >= 0 }):]
		}
		for i, row := range order {
			if i&1023 == 1023 && ctx.Err() != nil {
				return ctx.Err()
			}
			if take == n {
				break
			}
			if m.check(row) {
				add(row)
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b entry) int { return compareIDs(&a.id, &b.id) })
	return all[:min(n, len(all))], err
}

// orderValue is what a point is ordered by: an integer (datetimes in microseconds) or a float.
type orderValue struct {
	real bool
	i    int64
	f    float64
}

func (o orderValue) compare(p orderValue) int {
	switch {
	case !o.real && !p.real:
		return cmp.Compare(o.i, p.i)
	case o.real && p.real:
		return cmp.Compare(o.f, p.f)
	case o.real:
		return -compareMixed(p.i, o.f)
	default:
		return compareMixed(o.i, p.f)
	}
}

// compareMixed compares exactly, without rounding i.
func compareMixed(i int64, f float64) int {
	switch {
	case math.IsNaN(f), f >= math.MaxInt64:
		return -1
	case f < math.MinInt64:
		return 1
	}
	t := math.Trunc(f)
	if c := cmp.Compare(i, int64(t)); c != 0 {
		return c
	}
	return cmp.Compare(t, f)
}

func (o orderValue) proto() *qdrant.OrderValue {
	if o.real {
		return &qdrant.OrderValue{Variant: &qdrant.OrderValue_Float{Float: o.f}}
	}
	return &qdrant.OrderValue{Variant: &qdrant.OrderValue_Int{Int: o.i}}
}

// ordering is a checked order_by.
type ordering struct {
	key  path
	desc bool
	from *orderValue
}

func newOrdering(o *qdrant.OrderBy) (*ordering, error) {
	if o == nil {
		return nil, nil
	}
	p, err := parsePath(o.GetKey())
	if err != nil {
		return nil, err
	}
	out := &ordering{key: p}
	switch o.GetDirection() {
	case qdrant.Direction_Asc:
	case qdrant.Direction_Desc:
		out.desc = true
	default:
		return nil, enumError("direction", o.GetDirection())
	}
	if o.StartFrom == nil {
		return out, nil
	}
	switch v := o.StartFrom.GetValue().(type) {
	case *qdrant.StartFrom_Integer:
		// Qdrant looks for it as a float, so that beyond 2^53 it begins at a neighbour.
		out.from = &orderValue{i: math.MaxInt64}
		if f := float64(v.Integer); f < math.MaxInt64 {
			out.from.i = int64(f)
		}
	case *qdrant.StartFrom_Float:
		out.from = &orderValue{real: true, f: v.Float}
	case *qdrant.StartFrom_Timestamp:
		if v.Timestamp.CheckValid() != nil {
			return nil, invalid("Malformed `start_from` parameter")
		}
		out.from = &orderValue{i: v.Timestamp.AsTime().UnixMicro()}
	case *qdrant.StartFrom_Datetime:
		t, ok := parseTime(v.Datetime)
		if !ok {
			return nil, invalid("Malformed `start_from` parameter: %q is not a datetime", v.Datetime)
		}
		out.from = &orderValue{i: t}
	default:
		return nil, invalid("Malformed `start_from` parameter")
	}
	return out, nil
}

// before orders two entries; ties by id, so that an answer is always the same.
func (o *ordering) before(a, b *entry) int {
	c := a.order.compare(b.order)
	if c == 0 {
		c = compareIDs(&a.id, &b.id)
	}
	if o.desc {
		return -c
	}
	return c
}

// ordered is the first n of the points that pass f, by a payload value. A point stands once for each of its values.
func (c *collection) ordered(ctx context.Context, f *filter, o *ordering, n int, vec *vectorSelector) ([]entry, error) {
	var all []entry
	err := c.scan(ctx, f, func() { all = nil }, func(m *matcher) error {
		fi := m.p.field(o.key.text)
		if fi == nil || !fi.spec.order {
			return wrongInput("No range index for `order_by` key: `%s`. Please create one to use `order_by`.", o.key.text)
		}
		err := m.each(ctx, func(row uint32) bool {
			add := func(v orderValue) bool {
				if o.from != nil {
					if d := v.compare(*o.from); d < 0 && !o.desc || d > 0 && o.desc {
						return false
					}
				}
				all = append(all, entry{id: m.p.ids[row], payload: m.p.payload[row], order: v})
				return false
			}
			if fi.whole != nil {
				fi.whole.any(row, func(i int64) bool { return add(orderValue{i: i}) })
			} else {
				fi.real.any(row, func(x float64) bool { return add(orderValue{real: true, f: x}) })
			}
			return true
		})
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(a, b entry) int { return o.before(&a, &b) })
		all = slices.CompactFunc(all, func(a, b entry) bool { return a.id == b.id && a.order == b.order })
		all = all[:min(n, len(all))]
		return nil
	})
	if err != nil || !vec.any {
		return all, err
	}
	for i := range all {
		_, err := c.lookup(all[i].id, func(p *partition, row uint32) error {
			all[i].vectors = vec.vectors(p, row)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Scroll implements qdrant.PointsServer.
func (ps *pointsService) Scroll(ctx context.Context, req *qdrant.ScrollPoints) (*qdrant.ScrollResponse, error) {
	start := time.Now()
	leave, err := ps.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel, err := limited(ctx, req.Timeout)
	if err != nil {
		return nil, err
	}
	defer cancel()
	c, err := ps.s.collection(req.GetCollectionName())
	if err != nil {
		return nil, err
	}
	f, err := newFilter(req.GetFilter())
	if err != nil {
		return nil, err
	}
	pay, err := newPayloadSelector(req.GetWithPayload(), true)
	if err != nil {
		return nil, err
	}
	vec, err := newVectorSelector(req.GetWithVectors(), c.view())
	if err != nil {
		return nil, err
	}
	by, err := newOrdering(req.GetOrderBy())
	if err != nil {
		return nil, err
	}
	limit := defaultLimit
	if req.Limit != nil {
		if limit = int(*req.Limit); limit == 0 {
			return nil, invalid("Validation error in body: [limit: must be greater than or equal to 1]")
		}
	}
	out := &qdrant.ScrollResponse{}
	var page []entry
	if by != nil {
		if req.Offset != nil {
			return nil, unsupported("parameter `offset` is not supported together with `order_by`")
		}
		if ix, ok := c.view().indexAt(by.key.text); !ok || !c.view().indexes[ix].order {
			return nil, wrongInput("No range index for `order_by` key: `%s`. Please create one to use `order_by`.", by.key.text)
		}
		page, err = c.ordered(ctx, f, by, limit, &vec)
	} else {
		var from *pointID
		if req.Offset != nil {
			id, err := parseID(req.Offset)
			if err != nil {
				return nil, err
			}
			from = &id
		}
		if page, err = c.page(ctx, f, from, limit+1, &vec); len(page) > limit {
			out.NextPageOffset = page[limit].id.proto()
			page = page[:limit]
		}
	}
	if err != nil {
		return nil, err
	}
	for i := range page {
		payload, err := pay.pick(page[i].payload)
		if err != nil {
			return nil, err
		}
		r := retrieved(page[i].id, payload, page[i].vectors)
		if by != nil {
			r.OrderValue = page[i].order.proto()
		}
		out.Result = append(out.Result, r)
	}
	out.Time = time.Since(start).Seconds()
	return out, nil
}
