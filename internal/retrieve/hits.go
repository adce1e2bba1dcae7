package retrieve

import (
	"maps"
	"math"
	"slices"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// hits gathers what the arms returned: facts as they are, passages by their event.
type hits struct {
	a      *ask
	w      weighted
	lang   string          // of the query
	full   map[string]bool // arm → it returned everything it has
	facts  []rank.Candidate
	byFact map[string]int
	events map[string]*turn
	order  []string                  // events in the order of their first hit
	points map[string]map[string]any // event points that were read
}

// turn is an event of which passages were found.
type turn struct {
	uuid, conversation string
	at                 int64 // Unix milliseconds
	seq                uint64
	arms               map[string]float64
	cross              bool            // the passage nearest in meaning is in another language than the query
	terms              map[uint32]bool // terms of the query that its passages hold
	segments           map[string]*segment
}

// segment is one of its segments that was found.
type segment struct {
	tool bool
	arms map[string]float64
	held map[uint32]bool
}

func newHits(a *ask, w weighted) *hits {
	return &hits{a: a, w: w, lang: text.Lang(a.Query.Query), full: map[string]bool{rank.ArmDense: true, rank.ArmTerms: true},
		byFact: map[string]int{}, events: map[string]*turn{}, points: map[string]map[string]any{}}
}

// pool is what the search was over.
func (h *hits) pool() rank.Pool { return rank.Pool{Full: h.full, Texts: h.w.texts} }

// crosses reports whether a text in lang, "" where unknown, is in another language than the query.
func (h *hits) crosses(lang string) bool { return lang != "" && lang != h.lang }

func (h *hits) fact(arm string, hit schema.Hit) {
	i, seen := h.byFact[hit.ID]
	if !seen {
		m := schema.MemoryFrom(hit.ID, hit.Payload)
		st, ok := h.a.holds(&m)
		if !ok || !h.a.meansTool(m.Source.Tool) || !h.a.wants(m.Type) {
			return
		}
		i = len(h.facts)
		h.byFact[hit.ID] = i
		h.facts = append(h.facts, rank.Candidate{Item: item(&m, st), Hash: m.ContentHash, Arms: map[string]float64{}, Cross: h.crosses(m.Lang)})
	}
	c := &h.facts[i]
	c.Arms[arm] = hit.Score
	if arm == rank.ArmTerms {
		c.Shared, c.Rare = h.w.evidence(h.w.held(hit.Terms), hit.Score)
	}
}

func (h *hits) passage(arm string, hit schema.Hit) {
	uuid := str(hit.Payload, schema.KeyEvent)
	if uuid == "" || !h.a.meansPassage(hit.Payload) {
		return
	}
	t := h.events[uuid]
	if t == nil {
		t = &turn{uuid: uuid, conversation: str(hit.Payload, schema.KeyConversation), at: integer(hit.Payload, schema.KeyAt),
			arms: map[string]float64{}, segments: map[string]*segment{}}
		h.events[uuid] = t
		h.order = append(h.order, uuid)
	}
	if old, ok := t.arms[arm]; !ok || hit.Score > old {
		t.arms[arm] = hit.Score
		if arm == rank.ArmDense {
			t.cross = h.crosses(str(hit.Payload, schema.KeyLang))
		}
	}
	if arm == rank.ArmTerms {
		if held := h.w.held(hit.Terms); held != nil {
			if t.terms == nil {
				t.terms = map[uint32]bool{}
			}
			maps.Copy(t.terms, held)
		}
	}
	key := str(hit.Payload, schema.KeySegment)
	seg := t.segments[key]
	if seg == nil {
		seg = &segment{tool: str(hit.Payload, schema.KeySegKind) == string(schema.SegTool), arms: map[string]float64{}}
		t.segments[key] = seg
	}
	if old, ok := seg.arms[arm]; !ok || hit.Score > old {
		seg.arms[arm] = hit.Score
	}
	if arm == rank.ArmTerms {
		seg.held = h.w.held(hit.Terms)
	}
}

// settle scales the terms arm to shares of the query's weight, so that its prior means the same for every query.
func (h *hits) settle() {
	if h.w.total <= 0 {
		return
	}
	scale := func(m map[string]float64) {
		if x, ok := m[rank.ArmTerms]; ok {
			m[rank.ArmTerms] = x / h.w.total
		}
	}
	for i := range h.facts {
		scale(h.facts[i].Arms)
	}
	for _, t := range h.events {
		scale(t.arms)
	}
}

// held are the query's terms among those of a point, nil where the point does not say what it holds.
func (w weighted) held(terms []uint32) map[uint32]bool {
	if terms == nil {
		return nil
	}
	out := map[uint32]bool{}
	for _, i := range terms {
		if w.weight[i] > 0 {
			out[i] = true
		}
	}
	return out
}

// evidence is the share of the query's weight in the terms held, and whether one of them is rare. Where a point does
// not say what it holds, the raw score stands in: a term's saturation is about 1.
func (w weighted) evidence(held map[uint32]bool, score float64) (shared float64, rare bool) {
	if w.total <= 0 {
		return 0, false
	}
	if held == nil {
		least := math.Inf(1)
		for i, r := range w.rare {
			if r {
				least = math.Min(least, w.weight[i])
			}
		}
		return math.Min(1, score/w.total), score >= least/2
	}
	for i := range held {
		shared += w.weight[i]
		rare = rare || w.rare[i]
	}
	return math.Min(1, shared/w.total), rare
}

// episodes are the events as candidates, still without their texts.
func (h *hits) episodes() []rank.Candidate {
	out := make([]rank.Candidate, 0, len(h.order))
	for _, uuid := range h.order {
		t := h.events[uuid]
		c := rank.Candidate{Item: t.item(), Arms: t.arms, Cross: t.cross}
		if score, ok := t.arms[rank.ArmTerms]; ok {
			c.Shared, c.Rare = h.w.evidence(t.terms, score*h.w.total)
		}
		out = append(out, c)
	}
	return out
}

// maxShown bounds the pieces of tool output that a turn shows.
const maxShown = 2

// shows are the segments of tools' output that belong into the turn's text: those that hold a quarter of the query's
// weight, or more, that the turn's own words do not, else the one that matched best of all. What a tool printed is
// the least trusted part of a turn and the longest: it must be what was asked for.
func (t *turn) shows(w weighted) map[string]bool {
	out := map[string]bool{}
	covered := map[uint32]bool{}
	var tools []string
	for key, seg := range t.segments {
		if seg.tool {
			tools = append(tools, key)
			continue
		}
		maps.Copy(covered, seg.held)
	}
	slices.Sort(tools)
	for len(out) < maxShown {
		next, most := "", 0.0
		for _, key := range tools {
			gain := 0.0
			for _, i := range slices.Sorted(maps.Keys(t.segments[key].held)) {
				if !covered[i] {
					gain += w.weight[i]
				}
			}
			if gain > most {
				next, most = key, gain
			}
		}
		if next == "" || most < w.total/4 {
			break
		}
		out[next] = true
		maps.Copy(covered, t.segments[next].held)
	}
	if best := t.best(); len(out) == 0 && best != "" && t.segments[best].tool {
		out[best] = true
	}
	return out
}

// best is the segment that matched best: each arm's score as a share of the event's best in that arm, summed.
// Between equal ones the first by key wins.
func (t *turn) best() string {
	most := map[string]float64{}
	for _, seg := range t.segments {
		for arm, x := range seg.arms {
			most[arm] = math.Max(most[arm], x)
		}
	}
	best, top := "", 0.0
	for _, key := range slices.Sorted(maps.Keys(t.segments)) {
		s := 0.0
		for _, arm := range rank.Arms {
			if x := t.segments[key].arms[arm]; x > 0 && most[arm] > 0 {
				s += x / most[arm]
			}
		}
		if s > top {
			best, top = key, s
		}
	}
	return best
}

func str(p map[string]any, key string) string {
	s, _ := p[key].(string)
	return s
}

func integer(p map[string]any, key string) int64 {
	switch x := p[key].(type) {
	case int64:
		return x
	case float64:
		return int64(x)
	}
	return 0
}
