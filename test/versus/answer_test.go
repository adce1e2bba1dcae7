package versus

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/qdrant/go-client/qdrant"

	"github.com/siltstone-ai/siltstone/internal/store/storetest"
)

// point is one point of an answer, in the form that both sides are brought to.
type point struct {
	ID      string
	Payload map[string]any
	Vectors map[string]any // []float64, or sparse
	Order   any            // int64 or float64
	Score   float64
}

type sparse struct {
	Indices []uint32
	Values  []float64
}

type page struct {
	Points []point
	Next   *string
}

type facetHit struct {
	Value any
	Count int
}

// Of the engine: what JSON decoding with UseNumber leaves.

// plain turns numbers into int64 where they are written as such, else into float64.
func plain(v any) any {
	switch x := v.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(x.String(), 10, 64); err == nil {
			return n
		}
		f, err := x.Float64()
		if err != nil {
			return x
		}
		return f
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = plain(x[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k := range x {
			out[k] = plain(x[k])
		}
		return out
	}
	return v
}

func (p *point) fromEngine() {
	if len(p.Payload) == 0 {
		p.Payload = nil
	} else {
		p.Payload = plain(p.Payload).(map[string]any)
	}
	p.Order = plain(p.Order)
	vs := p.Vectors
	p.Vectors = nil
	for name, v := range vs {
		if p.Vectors == nil {
			p.Vectors = map[string]any{}
		}
		switch v := v.(type) {
		case []any:
			p.Vectors[name] = floats(v)
		case map[string]any:
			s := sparse{Values: floats(v["values"].([]any))}
			for _, i := range v["indices"].([]any) {
				n, _ := i.(json.Number).Int64()
				s.Indices = append(s.Indices, uint32(n))
			}
			p.Vectors[name] = s
		}
	}
}

func floats(v []any) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i], _ = v[i].(json.Number).Float64()
	}
	return out
}

// Of the server.

func idOf(id *qdrant.PointId) string {
	if u := id.GetUuid(); u != "" {
		return u
	}
	return strconv.FormatUint(id.GetNum(), 10)
}

func payloadOf(m map[string]*qdrant.Value) map[string]any {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = storetest.PlainValue(v)
	}
	return out
}

func vectorsOf(v *qdrant.VectorsOutput) map[string]any {
	var out map[string]any
	for name, v := range v.GetVectors().GetVectors() {
		if out == nil {
			out = map[string]any{}
		}
		if s := v.GetSparse(); s != nil {
			out[name] = sparse{Indices: s.GetIndices(), Values: widen(s.GetValues())}
		} else {
			out[name] = widen(v.GetDense().GetData())
		}
	}
	return out
}

func widen(v []float32) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = float64(v[i])
	}
	return out
}

func orderOf(o *qdrant.OrderValue) any {
	switch v := o.GetVariant().(type) {
	case *qdrant.OrderValue_Int:
		return v.Int
	case *qdrant.OrderValue_Float:
		return v.Float
	}
	return nil
}

func fromRetrieved(ps []*qdrant.RetrievedPoint) []point {
	out := make([]point, len(ps))
	for i, p := range ps {
		out[i] = point{ID: idOf(p.Id), Payload: payloadOf(p.Payload), Vectors: vectorsOf(p.Vectors), Order: orderOf(p.OrderValue)}
	}
	return out
}

func fromScored(ps []*qdrant.ScoredPoint) []point {
	out := make([]point, len(ps))
	for i, p := range ps {
		out[i] = point{ID: idOf(p.Id), Payload: payloadOf(p.Payload), Vectors: vectorsOf(p.Vectors), Order: orderOf(p.OrderValue), Score: float64(p.Score)}
	}
	return out
}

// Comparing.

// near is how far apart scores and components may be that stand for the same number.
const near = 1e-4

func close2(a, b float64) bool {
	return a == b || math.Abs(a-b) <= near*max(1, math.Abs(a), math.Abs(b))
}

// samePoint is the first thing in which two points differ, apart from their scores.
func samePoint(engine, server *point) error {
	if engine.ID != server.ID {
		return fmt.Errorf("point %s, the engine has %s", server.ID, engine.ID)
	}
	if !reflect.DeepEqual(engine.Payload, server.Payload) {
		return fmt.Errorf("point %s: payload %#v, the engine has %#v", server.ID, server.Payload, engine.Payload)
	}
	if engine.Order != server.Order {
		return fmt.Errorf("point %s: order value %v, the engine has %v", server.ID, server.Order, engine.Order)
	}
	if len(engine.Vectors) != len(server.Vectors) {
		return fmt.Errorf("point %s: vectors %v, the engine has %v", server.ID, server.Vectors, engine.Vectors)
	}
	for name, v := range engine.Vectors {
		if !sameVector(v, server.Vectors[name]) {
			return fmt.Errorf("point %s: vector %s is %v, the engine has %v", server.ID, name, server.Vectors[name], v)
		}
	}
	return nil
}

func sameVector(a, b any) bool {
	switch a := a.(type) {
	case []float64:
		b, ok := b.([]float64)
		return ok && slices.EqualFunc(a, b, close2)
	case sparse:
		b, ok := b.(sparse)
		return ok && slices.Equal(a.Indices, b.Indices) && slices.EqualFunc(a.Values, b.Values, close2)
	}
	return false
}

// samePoints compares answers that have one right order.
func samePoints(engine, server []point) error {
	if len(engine) != len(server) {
		return fmt.Errorf("points %s, the engine has %s", ids(server), ids(engine))
	}
	for i := range engine {
		if err := samePoint(&engine[i], &server[i]); err != nil {
			return fmt.Errorf("%w (points %s, the engine has %s)", err, ids(server), ids(engine))
		}
	}
	return nil
}

// sameHits compares answers in the order of a rank (a score, an order value). Points of equal rank may stand in any
// order, and where the answer is cut between them, any of them may be in it; whole says what is in the whole answer of
// each side, asked for only then.
func sameHits(engine, server []point, rank func(*point) float64, whole func() (engine, server []point, err error)) error {
	if len(engine) != len(server) {
		return fmt.Errorf("hits %s, the engine has %s", ids(server), ids(engine))
	}
	for i := range engine {
		if !close2(rank(&engine[i]), rank(&server[i])) {
			return fmt.Errorf("hit %d has %v, in the engine %v (hits %s, the engine has %s)", i, rank(&server[i]), rank(&engine[i]), ids(server), ids(engine))
		}
	}
	e, s := sortedByID(engine), sortedByID(server)
	if sameIDs(e, s) {
		for i := range e {
			if !close2(rank(&e[i]), rank(&s[i])) {
				return fmt.Errorf("point %s has %v, in the engine %v", e[i].ID, rank(&s[i]), rank(&e[i]))
			}
			if err := samePoint(&e[i], &s[i]); err != nil {
				return err
			}
		}
		return nil
	}
	allE, allS, err := whole()
	if err != nil {
		return err
	}
	if err := sameHits(allE, allS, rank, func() ([]point, []point, error) {
		return nil, nil, fmt.Errorf("the whole answers differ: hits %s, the engine has %s", ids(allS), ids(allE))
	}); err != nil {
		return err
	}
	byID := map[string]*point{}
	for i := range allE {
		byID[key(&allE[i])] = &allE[i]
	}
	for i := range server {
		p := byID[key(&server[i])]
		if p == nil || !close2(rank(p), rank(&server[i])) {
			return fmt.Errorf("hit %s is not in the whole answer of the engine (hits %s, the engine has %s)", server[i].ID, ids(server), ids(engine))
		}
		if err := samePoint(p, &server[i]); err != nil {
			return err
		}
	}
	return nil
}

// key tells the hits of one answer apart: in the order of a key, a point stands once for each of its values.
func key(p *point) string { return fmt.Sprint(p.ID, " ", p.Order) }

func sortedByID(ps []point) []point {
	out := slices.Clone(ps)
	slices.SortFunc(out, func(a, b point) int { return strings.Compare(key(&a), key(&b)) })
	return out
}

func sameIDs(a, b []point) bool {
	return slices.EqualFunc(a, b, func(a, b point) bool { return key(&a) == key(&b) })
}

func ids(ps []point) string {
	var b strings.Builder
	for i := range ps {
		if i == 60 {
			fmt.Fprintf(&b, " … %d", len(ps))
			break
		}
		fmt.Fprintf(&b, " %s", ps[i].ID)
		if ps[i].Order != nil {
			fmt.Fprintf(&b, "=%v", ps[i].Order)
		} else if ps[i].Score != 0 {
			fmt.Fprintf(&b, "=%g", ps[i].Score)
		}
	}
	return "[" + strings.TrimSpace(b.String()) + "]"
}
