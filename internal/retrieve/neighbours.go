package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// How long the order of a conversation is remembered, and of how many. A turn that it does not know yet makes it be
// read anew, so that only turns beside it are late.
const (
	conversationAge = 30 * time.Second
	conversationMax = 512
)

// conversation is the order of the turns of one conversation.
type conversation struct {
	turns []turn
	order map[string]int // uuid → place in turns
	read  time.Time
}

// conversations remembers orders. It is safe for concurrent use.
type conversations struct {
	mu sync.Mutex
	m  map[conversationKey]*conversation
}

type conversationKey struct {
	gen         int
	owner, name string
}

func (c *conversations) get(k conversationKey, now time.Time, uuids []string) *conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	cv := c.m[k]
	if cv == nil || now.Sub(cv.read) > conversationAge {
		return nil
	}
	for _, u := range uuids {
		if _, ok := cv.order[u]; !ok {
			return nil
		}
	}
	return cv
}

func (c *conversations) put(k conversationKey, cv *conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= conversationMax {
		c.m = map[conversationKey]*conversation{}
	}
	c.m[k] = cv
}

// place gives the episodes among cands their places in their conversations, as far as found turns need it, and
// returns the turns beside found ones that no arm returned. ok is false where nothing was placed.
func (s *Service) place(ctx context.Context, a *ask, cands []rank.Candidate, fs *faults) (more []rank.Candidate, ok bool) {
	names, uuids := s.worthPlacing(cands)
	if len(names) == 0 {
		return nil, false
	}
	byName, err := s.orders(ctx, a, names, uuids)
	if err != nil {
		fs.add("neighbours", err)
		return nil, false
	}
	known := map[string]bool{}
	for i := range cands {
		c := &cands[i]
		known[c.Item.ID] = true
		if cv := byName[c.Item.Conversation]; cv != nil && c.Item.Type == schema.TypeEpisode {
			if at, ok := cv.order[c.Item.ID]; ok {
				c.Turn = &rank.Turn{Conversation: c.Item.Conversation, Order: at}
			}
		}
	}
	if a.Filter != nil { // what no search returned has not passed the filter
		return nil, true
	}
	reach := s.cfg.Rank.Reach
	for _, name := range names {
		cv := byName[name]
		for _, u := range uuids[name] {
			at, ok := cv.order[u]
			if !ok {
				continue
			}
			for j := max(0, at-reach); j <= min(len(cv.turns)-1, at+reach); j++ {
				t := &cv.turns[j]
				if known[t.uuid] || !a.AsOf.IsZero() && t.at > a.at.UnixMilli() {
					continue
				}
				known[t.uuid] = true
				more = append(more, rank.Candidate{Item: t.item(), Turn: &rank.Turn{Conversation: name, Order: j}})
			}
		}
	}
	return more, true
}

// worthPlacing are the conversations of the best found turns, and those turns.
func (s *Service) worthPlacing(cands []rank.Candidate) (names []string, uuids map[string][]string) {
	type best struct {
		name string
		gain float64
	}
	var order []best
	at := map[string]int{}
	uuids = map[string][]string{}
	for _, c := range cands {
		name := c.Item.Conversation
		if !c.Own || c.Item.Type != schema.TypeEpisode || name == "" {
			continue
		}
		g := 0.0
		for _, x := range c.Gains {
			g += x.Gain
		}
		i, ok := at[name]
		if !ok {
			i = len(order)
			at[name] = i
			order = append(order, best{name: name})
		}
		order[i].gain = max(order[i].gain, g)
		uuids[name] = append(uuids[name], c.Item.ID)
	}
	slices.SortStableFunc(order, func(x, y best) int { return cmp.Compare(y.gain, x.gain) })
	for _, b := range order[:min(len(order), s.cfg.Neighbours)] {
		names = append(names, b.name)
	}
	return names, uuids
}

// orders are the orders of conversations by name: those that are remembered and know these turns, and the others from the
// store, by one request for all of them, or by one each where that one does not bring all of their turns.
func (s *Service) orders(ctx context.Context, a *ask, names []string, uuids map[string][]string) (map[string]*conversation, error) {
	now := s.clock()
	out := make(map[string]*conversation, len(names))
	var missing []string
	for _, name := range names {
		if cv := s.conversations.get(conversationKey{a.gen, a.owner, name}, now, uuids[name]); cv != nil {
			out[name] = cv
		} else {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	read, err := s.readOrders(ctx, a, missing)
	if err != nil {
		return nil, err
	}
	for name, cv := range read {
		cv.read = now
		s.conversations.put(conversationKey{a.gen, a.owner, name}, cv)
		out[name] = cv
	}
	return out, nil
}

func (s *Service) readOrders(ctx context.Context, a *ask, names []string) (map[string]*conversation, error) {
	ps, err := s.readOrder(ctx, a, names)
	if err != nil {
		return nil, err
	}
	if len(ps) < s.cfg.Turns || len(names) == 1 {
		byName := make(map[string][]schema.Point, len(names))
		for _, p := range ps {
			name := str(p.Payload, schema.KeyConversation)
			byName[name] = append(byName[name], p)
		}
		out := make(map[string]*conversation, len(names))
		for _, name := range names {
			out[name] = newConversation(name, byName[name])
		}
		return out, nil
	}
	each := make([]*conversation, len(names))
	g, gctx := errgroup.WithContext(ctx)
	for i, name := range names {
		g.Go(func() error {
			ps, err := s.readOrder(gctx, a, []string{name})
			each[i] = newConversation(name, ps)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := make(map[string]*conversation, len(names))
	for i, name := range names {
		out[name] = each[i]
	}
	return out, nil
}

// readOrder reads when the latest turns of conversations were said, as many as are read of one.
func (s *Service) readOrder(ctx context.Context, a *ask, names []string) ([]schema.Point, error) {
	f := ownerFilter(a.owner, schema.Cond{Key: schema.KeyConversation, Any: names})
	f.MustNot = hidden()
	page := Page{Limit: s.cfg.Turns, Newest: true, Keys: []string{schema.KeyConversation, schema.KeyAt, schema.KeySeq}}
	return isolate(ctx, s.cfg.Path, s.log, "neighbours", func(ctx context.Context) ([]schema.Point, error) {
		ps, err := s.deps.Scroller.Scroll(ctx, a.gen, schema.Events, f, page)
		if err != nil {
			return nil, fmt.Errorf("read order of %d conversations: %w", len(names), err)
		}
		return ps, nil
	})
}

func newConversation(name string, ps []schema.Point) *conversation {
	cv := &conversation{order: make(map[string]int, len(ps))}
	for _, p := range ps {
		cv.turns = append(cv.turns, turn{uuid: p.ID, conversation: name,
			at: integer(p.Payload, schema.KeyAt), seq: uint64(integer(p.Payload, schema.KeySeq))})
	}
	slices.SortFunc(cv.turns, func(x, y turn) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.seq, y.seq), cmp.Compare(x.uuid, y.uuid))
	})
	for i := range cv.turns {
		cv.order[cv.turns[i].uuid] = i
	}
	return cv
}
