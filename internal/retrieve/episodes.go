package retrieve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A turn as a memory: neither sure nor important by itself.
const (
	episodeImportance = 0.5
	episodeConfidence = 0.5
)

// maxFacts bounds the facts that are read to judge a batch of turns.
const maxFacts = 5000

func (t *turn) item() schema.Item {
	return schema.Item{
		ID: t.uuid, Type: schema.TypeEpisode, Status: schema.StatusActive,
		Importance: episodeImportance, Confidence: episodeConfidence,
		Conversation: t.conversation, ObservedAt: time.UnixMilli(t.at).UTC(),
		Source: schema.Source{UUID: t.uuid, Seq: t.seq}, // the turn's point tells the rest of it
	}
}

// hydrate gives the episodes among cands their texts, best first, until there are enough for the reply, and leaves
// out those that may not be shown. Facts pass as they are.
func (s *Service) hydrate(ctx context.Context, a *ask, cands []rank.Candidate, h *hits, fs *faults) ([]rank.Candidate, error) {
	rank.Order(cands, a.rank(), s.cfg.Rank, false)
	var out, eps []rank.Candidate
	for _, c := range cands {
		if c.Item.Type == schema.TypeEpisode {
			eps = append(eps, c)
		} else {
			out = append(out, c)
		}
	}
	step := a.Limit + s.cfg.Budget.Types[schema.TypeFact] + 10
	for kept := 0; len(eps) > 0 && kept < step; {
		n := min(step, len(eps))
		chunk := eps[:n]
		eps = eps[n:]
		ids := make([]string, 0, n)
		for _, c := range chunk {
			ids = append(ids, c.Item.ID)
		}
		states, err := s.turns(ctx, a, h, ids, fs)
		if err != nil {
			if len(out) == 0 {
				return nil, fmt.Errorf("read turns: %w", err)
			}
			fs.add("vectors", fmt.Errorf("read turns: %w", err))
			return out, nil
		}
		for _, c := range chunk {
			var shows map[string]bool
			if t := h.events[c.Item.ID]; t != nil {
				shows = t.shows(h.w)
				c.Item.Source.Seg = t.best()
			}
			if it, ok := a.episode(h.points[c.Item.ID], c.Item, states[c.Item.ID], shows); ok {
				c.Item = it
				c.Named = a.names(str(h.points[it.ID], schema.KeySpeaker), it.Content)
				c.Asks = asks(h.points[it.ID])
				c.TellsWhen = a.when && text.TellsWhen(it.Content)
				out = append(out, c)
				kept++
			}
		}
	}
	rank.Answers(out, s.cfg.Rank)
	return out, nil
}

// turns reads the event points of ids and, side by side, what their facts say of them; that part may fail alone.
func (s *Service) turns(ctx context.Context, a *ask, h *hits, ids []string, fs *faults) (map[string]judgement, error) {
	type judged struct {
		states map[string]judgement
		err    error
	}
	done := make(chan judged, 1)
	go func() {
		st, err := isolate(ctx, s.cfg.Path, s.log, "history", func(ctx context.Context) (map[string]judgement, error) {
			return s.states(ctx, a, ids)
		})
		done <- judged{st, err}
	}()
	err := s.readTurns(ctx, a, h, ids)
	j := <-done
	if j.err != nil && err == nil {
		fs.add("history", j.err)
	}
	return j.states, err
}

// readTurns reads those of the event points that were not read yet.
func (s *Service) readTurns(ctx context.Context, a *ask, h *hits, ids []string) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return h.points[id] != nil })
	if len(ids) == 0 {
		return nil
	}
	ps, err := s.deps.Points.GetKeys(ctx, a.gen, schema.Events, ids, turnKeys...)
	for _, p := range ps {
		h.points[p.ID] = p.Payload
	}
	return err
}

// turnKeys are what [ask.episode] reads of an event point.
var turnKeys = []string{
	schema.KeyOwner, schema.KeyEventID, schema.KeyAt, schema.KeySeq, schema.KeyConversation, schema.KeyOutcome, schema.KeySegments,
	schema.KeySpeaker,
}

// names reports whether the question names who said a turn: its speaker, or the name that its line of a transcript
// begins with.
func (a *ask) names(speaker, content string) bool {
	if speaker == "" {
		speaker = text.Speaker(content)
	}
	return speaker != "" && text.Names(a.Query.Query, speaker)
}

// asks reports whether all that a turn does is ask: its input ends with a question, and neither a reply nor a tool's output
// answers it. A reply that closes by asking what else there is states what comes before.
func asks(p map[string]any) bool {
	ends := false
	for _, sg := range segments(p) {
		switch sg.Kind {
		case schema.SegInput:
			ends = text.Asks(sg.Text)
		default:
			if sg.Text != "" {
				return false
			}
		}
	}
	return ends
}

// everySegment among the shown segments asks for all of a turn.
const everySegment = "*"

// episode fills it from its event point. shows names the segments of tools' output that belong into the text; a
// turn of tool output alone shows all of it where none is named. What it shows lowers the item's class.
func (a *ask) episode(p map[string]any, it schema.Item, st judgement, shows map[string]bool) (schema.Item, bool) {
	if p == nil || str(p, schema.KeyOwner) != a.owner || !shown(p) || st.state == retracted {
		return it, false
	}
	var parts []string
	var classes []schema.Class
	segs := segments(p)
	it.Status = schema.StatusActive
	if slices.ContainsFunc(segs, func(sg schema.Segment) bool { return sg.Kind == schema.SegArchive }) {
		it.Status = schema.StatusArchived
	}
	if st.state == superseded && st.covers(inputOf(p)) {
		if it.Status = schema.StatusSuperseded; !a.IncludeHistory {
			return it, false
		}
	}
	add := func(sg schema.Segment) {
		if sg.Text == "" {
			return
		}
		parts = append(parts, sg.Text)
		classes = append(classes, sg.Class)
		if sg.Kind == schema.SegTool && it.Source.Tool == "" {
			it.Source.Tool, it.Source.Seg = sg.Tool, sg.Key
		}
	}
	for _, kind := range []schema.SegmentKind{schema.SegArchive, schema.SegInput, schema.SegResponse} {
		for _, sg := range segs {
			if sg.Kind == kind {
				add(sg)
			}
		}
	}
	alone := len(parts) == 0
	for _, sg := range segs {
		if sg.Kind == schema.SegTool && (shows[everySegment] || shows[sg.Key] || alone && len(shows) == 0) {
			add(sg)
		}
	}
	if alone {
		it.Kind = schema.KindReference
	}
	if len(parts) == 0 {
		return it, false
	}
	it.Content = strings.Join(parts, "\n")
	it.Source.Class = schema.Least(classes...)
	it.Source.Event = str(p, schema.KeyEventID)
	it.Source.Seq = uint64(integer(p, schema.KeySeq))
	it.Conversation = str(p, schema.KeyConversation)
	it.ObservedAt = time.UnixMilli(integer(p, schema.KeyAt)).UTC()
	return it, true
}

// hidden are the outcomes of events that are no memories.
func hidden() []schema.Cond {
	return []schema.Cond{{Key: schema.KeyOutcome, Any: []string{
		string(schema.OutcomeDropped), string(schema.OutcomeDuplicate), string(schema.OutcomeConflict), string(schema.OutcomeForgotten),
	}}}
}

// shown reports whether an event of this outcome is a memory at all.
func shown(p map[string]any) bool {
	switch schema.Outcome(str(p, schema.KeyOutcome)) {
	case schema.OutcomeDropped, schema.OutcomeDuplicate, schema.OutcomeConflict, schema.OutcomeForgotten:
		return false
	}
	return true
}

// segmentMaps are the segments of an event point as the store gives them back.
func segmentMaps(p map[string]any) []map[string]any {
	var maps []map[string]any
	switch x := p[schema.KeySegments].(type) {
	case []map[string]any:
		maps = x
	case []any:
		for _, v := range x {
			if m, ok := v.(map[string]any); ok {
				maps = append(maps, m)
			}
		}
	}
	return maps
}

// segments reads the segments of an event point, in their order.
func segments(p map[string]any) []schema.Segment {
	maps := segmentMaps(p)
	out := make([]schema.Segment, 0, len(maps))
	for _, m := range maps {
		class, _ := schema.ParseClass(str(m, "class"))
		out = append(out, schema.Segment{
			Key: str(m, "key"), Kind: schema.SegmentKind(str(m, "kind")), Tool: str(m, "tool"), Class: class,
			Text: str(m, "text"), Lang: str(m, "lang"),
		})
	}
	return out
}

// state is what a turn's facts say of the turn.
type state uint8

const (
	holding    state = iota // at least one fact holds, or it has none
	superseded              // it has facts, and later ones hold in their place
	retracted               // its user took back something that it states
)

// over reports whether one fact of state s decides for a turn that the others would leave at old: what was taken back
// must not be read in the turn instead, and else what holds counts.
func (s state) over(old state) bool {
	return old != retracted && (s == retracted || s < old)
}

// judgement is the state of a turn and how much of it that state is about.
type judgement struct {
	state  state
	stated int // runes of the sentences that its facts were read from, where it is superseded
}

// covered is the share of a turn's input that its facts must have been read from for the turn to go with them. A page that
// somebody hands over says more than the two sentences of it that were understood.
const covered = .25

// covers reports whether the facts speak for a turn with so long an input: none, or they were read from enough of it.
func (j judgement) covers(input int64) bool { return float64(j.stated) >= covered*float64(input) }

// inputOf is how many characters the input of an event point has, or had before the turn was archived.
func inputOf(p map[string]any) int64 {
	n := int64(0)
	for _, m := range segmentMaps(p) {
		switch schema.SegmentKind(str(m, "kind")) {
		case schema.SegInput:
			n += int64(utf8.RuneCountInString(str(m, "text")))
		case schema.SegArchive:
			n += integer(m, schema.KeySaid)
		}
	}
	return n
}

// stateKeys are what is read of a turn's facts, and of what holds in their place, to judge it.
var stateKeys = []string{
	schema.KeyOwner, schema.KeyEvent, schema.KeyStatus, schema.KeyAt, schema.KeyValidTo, schema.KeySupersededBy,
}

// states judges the turns of ids by their facts: a turn is superseded where all that it stated is, and retracted
// where its user took something of it back. A duplicate is what its canonical memory is.
func (s *Service) states(ctx context.Context, a *ask, ids []string) (map[string]judgement, error) {
	f := ownerFilter(a.owner, schema.Cond{Key: schema.KeyEvent, Any: ids})
	ps, err := s.deps.Scroller.Scroll(ctx, a.gen, schema.Facts, f, Page{Limit: maxFacts, Keys: stateKeys})
	if err != nil {
		return nil, fmt.Errorf("read facts of turns: %w", err)
	}
	facts := make(map[string]schema.Memory, len(ps))
	var order, canon []string
	for _, p := range ps {
		facts[p.ID] = schema.MemoryFrom(p.ID, p.Payload)
		order = append(order, p.ID)
	}
	for _, id := range order {
		m := facts[id]
		if _, known := facts[m.SupersededBy]; m.Status == schema.StatusDuplicate && m.SupersededBy != "" && !known && !slices.Contains(canon, m.SupersededBy) {
			canon = append(canon, m.SupersededBy)
		}
	}
	if len(canon) > 0 {
		ps, err := s.deps.Points.GetKeys(ctx, a.gen, schema.Facts, canon, stateKeys...)
		if err != nil {
			return nil, fmt.Errorf("read canonical facts: %w", err)
		}
		for _, p := range ps {
			if str(p.Payload, schema.KeyOwner) == a.owner {
				facts[p.ID] = schema.MemoryFrom(p.ID, p.Payload)
			}
		}
	}
	out := map[string]judgement{}
	for _, id := range order {
		m := facts[id]
		event, st := m.Source.UUID, a.state(m, facts)
		if old, known := out[event]; !known || st.over(old.state) {
			out[event] = judgement{state: st}
		}
	}
	return out, s.stated(ctx, a, out)
}

// stated measures what the superseded turns of js stated, each sentence once. There are few: their facts are read again.
func (s *Service) stated(ctx context.Context, a *ask, js map[string]judgement) error {
	var over []string
	for event, j := range js {
		if j.state == superseded {
			over = append(over, event)
		}
	}
	if len(over) == 0 {
		return nil
	}
	slices.Sort(over)
	f := ownerFilter(a.owner, schema.Cond{Key: schema.KeyEvent, Any: over})
	ps, err := s.deps.Scroller.Scroll(ctx, a.gen, schema.Facts, f, Page{Limit: maxFacts, Keys: []string{schema.KeyEvent, schema.KeyContent}})
	if err != nil {
		return fmt.Errorf("read what superseded turns stated: %w", err)
	}
	said := map[[2]string]bool{}
	for _, p := range ps {
		event, sentence := str(p.Payload, schema.KeyEvent), str(p.Payload, schema.KeyContent)
		if j, ok := js[event]; ok && !said[[2]string{event, sentence}] {
			said[[2]string{event, sentence}] = true
			j.stated += utf8.RuneCountInString(sentence)
			js[event] = j
		}
	}
	return nil
}

func (a *ask) state(m schema.Memory, facts map[string]schema.Memory) state {
	if m.Status == schema.StatusDuplicate {
		c, ok := facts[m.SupersededBy]
		if !ok || c.Status == schema.StatusDuplicate {
			return holding
		}
		m = c
	}
	switch {
	case m.Status == schema.StatusDeleted:
		return retracted
	case m.Status == schema.StatusSuperseded && (a.AsOf.IsZero() || !m.ValidTo.After(a.at)):
		return superseded
	}
	return holding
}

// rank is what the order depends on.
func (a *ask) rank() rank.Ask {
	return rank.Ask{Now: a.now, Conversation: a.Conversation, Legacy: a.mode == Legacy, When: a.when}
}
