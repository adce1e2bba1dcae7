package upkeep

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// ForgetLog reads the forget events of the log.
type ForgetLog interface {
	// LastForget is the log sequence of the newest forget event, erasure or archive event, 0 where there is none, as the log's leader knows it.
	LastForget(ctx context.Context) (uint64, error)
	// Scan calls fn with the events of ops from sequence from on, in order, to the end as it stands at the call.
	Scan(ctx context.Context, from uint64, ops []schema.Op, tenant string, fn func(schema.Event) error) error
}

// EventPoints reads the payload of one event point, nil where there is none.
type EventPoints interface {
	EventPoint(ctx context.Context, generation int, uuid string) (map[string]any, error)
}

// Marks holds every forget event of the log. [Marks.Load] reads what is there before anything is shown or written,
// [Marks.Follow] what comes; any number of goroutines may ask.
type Marks struct {
	log     ForgetLog
	points  EventPoints
	sources func(ctx context.Context, ids []string) ([]string, error) // see NewMarks

	// Keys gives the key of an erasure, nil once that has expired: by then nothing of whom it was can come any more. A nil
	// Keys knows of none.
	Keys func(ctx context.Context, id string) (schema.ErasureKey, error)

	mu       sync.Mutex
	owners   map[string][]mark              // by rising sequence; a slice is never changed once it is here
	erasures map[string][]erasure           // by tenant, by rising sequence
	archived map[string]map[[16]byte]uint64 // by owner and inside id, the sequence of the last archive event that names it
	asked    map[string]int                 // by owner, how many of the tenant's erasures were held against it
	applied  uint64
	moved    chan struct{} // closed and replaced whenever applied rises

	ask chan struct{} // wakes Follow
}

type mark struct {
	seq    uint64
	forget schema.Forget
	match  string          // folded
	ids    map[string]bool // as given, and the inside ids of the events that they name
	erased bool            // everything is erased: not even that it was there may stay
}

// erasure is the mark of an erasure, which does not say whose it is to who does not ask for an owner.
type erasure struct {
	seq   uint64
	whose string
	key   schema.ErasureKey
}

// NewMarks returns marks without an event. sources tells the inside ids of the events that the memories of ids
// come from, as far as they exist: who forgets a memory forgets the turn that states it.
func NewMarks(log ForgetLog, points EventPoints, sources func(ctx context.Context, ids []string) ([]string, error)) *Marks {
	return &Marks{
		log: log, points: points, sources: sources, owners: map[string][]mark{}, erasures: map[string][]erasure{}, asked: map[string]int{},
		archived: map[string]map[[16]byte]uint64{},
		moved:    make(chan struct{}), ask: make(chan struct{}, 1),
	}
}

// Load reads the forget events that the log holds and this process does not know yet. It blocks until done.
func (m *Marks) Load(ctx context.Context) error {
	last, err := m.log.LastForget(ctx)
	if err != nil {
		return fmt.Errorf("ask for the last forget event: %w", err)
	}
	m.mu.Lock()
	from := m.applied + 1
	m.mu.Unlock()
	if last < from {
		return nil
	}
	return m.log.Scan(ctx, from, []schema.Op{schema.OpForget, schema.OpErase, schema.OpArchive}, "", func(ev schema.Event) error { return m.apply(ctx, ev) })
}

// followEvery is how often Follow looks without being asked.
const followEvery = 200 * time.Millisecond

// Follow keeps loading until ctx ends, at once where somebody waits. It returns nil then; failures are handed to
// failed and tried again.
func (m *Marks) Follow(ctx context.Context, failed func(error)) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-m.ask:
		}
		if err := m.Load(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
}

// apply adds one forget event or erasure. A body that cannot be read is an error: what it reaches is unknown.
func (m *Marks) apply(ctx context.Context, ev schema.Event) error {
	switch ev.Op {
	case schema.OpErase:
		return m.applyErasure(ctx, ev)
	case schema.OpArchive:
		return m.applyArchive(ev)
	}
	f, err := schema.DecodeStored[schema.Forget](schema.OpForget, ev.Version, ev.Body)
	if err != nil {
		return fmt.Errorf("read forget event %s: %w", ev.UUID, err)
	}
	mk := mark{seq: ev.Seq, forget: f, match: text.FoldMatch(f.Match), ids: map[string]bool{}}
	for _, id := range f.IDs {
		mk.ids[id], mk.ids[schema.EventUUID(ev.Tenant, id)] = true, true
	}
	if len(f.IDs) > 0 {
		// Where the store does not answer, what the memories come from shows until the forgetter has been there.
		if uuids, err := m.sources(ctx, f.IDs); err == nil {
			for _, u := range uuids {
				mk.ids[u] = true
			}
		}
	}
	m.advance(ev.Seq, func() { m.add(schema.Owner(ev.Tenant, ev.User), mk) })
	return nil
}

// applyErasure adds the mark of an erasure. Its other entries name sequences, and nobody's.
func (m *Marks) applyErasure(ctx context.Context, ev schema.Event) error {
	e, err := schema.DecodeStored[schema.Erasure](ev.Op, ev.Version, ev.Body)
	if err != nil {
		return fmt.Errorf("read erasure %s: %w", ev.UUID, err)
	}
	var key schema.ErasureKey
	if e.Whose != "" && m.Keys != nil {
		if key, err = m.Keys(ctx, e.ID); err != nil {
			return err
		}
	}
	m.advance(ev.Seq, func() {
		if key != nil {
			m.erasures[ev.Tenant] = append(m.erasures[ev.Tenant], erasure{ev.Seq, e.Whose, key})
		}
	})
	return nil
}

// applyArchive adds an archive event. It hides nothing: it tells who writes of a turn what is to be written.
func (m *Marks) applyArchive(ev schema.Event) error {
	a, err := schema.DecodeStored[schema.Archive](ev.Op, ev.Version, ev.Body)
	if err != nil {
		return fmt.Errorf("read archive event %s: %w", ev.UUID, err)
	}
	m.advance(ev.Seq, func() {
		owner := schema.Owner(ev.Tenant, ev.User)
		of := m.archived[owner]
		if of == nil {
			of = map[[16]byte]uint64{}
			m.archived[owner] = of
		}
		for _, id := range a.IDs {
			of[uuidBytes(schema.EventUUID(ev.Tenant, id))] = ev.Seq
		}
	})
	return nil
}

// uuidBytes is a UUID without its form: there may be very many.
func uuidBytes(s string) (out [16]byte) {
	_, _ = hex.Decode(out[:], []byte(strings.ReplaceAll(s, "-", "")))
	return out
}

// Archived reports whether an archive event that is applied here names ev. It does not block.
func (m *Marks) Archived(ev schema.Event) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.archived[schema.Owner(ev.Tenant, ev.User)]
	return of != nil && ev.Seq < of[uuidBytes(ev.UUID)]
}

// ArchivedBy is Archived by the archive events up to a sequence, those that are carried out.
func (m *Marks) ArchivedBy(ev schema.Event, upTo uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.archived[schema.Owner(ev.Tenant, ev.User)]
	return of != nil && ev.Seq < of[uuidBytes(ev.UUID)] && of[uuidBytes(ev.UUID)] <= upTo
}

// advance makes do, unless the entry with sequence seq is applied already, and tells who waits for it.
func (m *Marks) advance(seq uint64, do func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq <= m.applied {
		return
	}
	do()
	m.applied = seq
	close(m.moved)
	m.moved = make(chan struct{})
}

// add puts a mark among those of its owner. The caller holds mu.
func (m *Marks) add(owner string, mk mark) {
	ms := slices.Clone(m.owners[owner])
	i := len(ms)
	for i > 0 && ms[i-1].seq > mk.seq {
		i--
	}
	m.owners[owner] = slices.Insert(ms, i, mk)
}

// of is an owner's marks by rising sequence. Erasures are held against an owner when it is asked for.
func (m *Marks) of(tenant, user string) []mark {
	owner := schema.Owner(tenant, user)
	m.mu.Lock()
	defer m.mu.Unlock()
	if es := m.erasures[tenant]; len(es) > m.asked[owner] {
		for _, e := range es[m.asked[owner]:] {
			if e.key.Of(owner) == e.whose {
				m.add(owner, mark{seq: e.seq, forget: schema.Forget{User: user, All: true}, erased: true})
			}
		}
		m.asked[owner] = len(es)
	}
	return m.owners[owner]
}

// Erased reports whether an erasure that is applied here reaches ev: then nothing of it may stay, not even that it was
// there. It does not block.
func (m *Marks) Erased(ev schema.Event) bool {
	return slices.ContainsFunc(m.of(ev.Tenant, ev.User), func(mk mark) bool { return mk.erased && ev.Seq <= mk.seq })
}

// Hides reports whether a forget event reaches an item that is about to be shown. It does not block.
func (m *Marks) Hides(tenant, user string, it schema.Item) bool {
	return m.reach(tenant, user, it, func() ([]string, string) { return []string{it.Content}, it.Conversation })
}

// reach reports whether a mark reaches what it tells of, told being its texts, each by itself, and its conversation. They
// are asked for only where a mark needs them: reading them may be a lot of work.
func (m *Marks) reach(tenant, user string, it schema.Item, told func() (said []string, conversation string)) bool {
	var said []string
	var conversation string
	var asked, folded bool
	for _, mk := range m.of(tenant, user) {
		f := mk.forget
		switch {
		case it.Source.Seq > mk.seq:
			continue
		case f.All, mk.ids[it.ID], mk.ids[it.Source.UUID], f.Covers(it.ObservedAt):
			return true
		case f.Conversation == "" && mk.match == "":
			continue
		}
		if !asked {
			said, conversation = told()
			asked = true
		}
		if f.Conversation != "" && f.Conversation == conversation {
			return true
		}
		if mk.match == "" {
			continue
		}
		if !folded {
			folded, said = true, foldAll(said)
		}
		if slices.ContainsFunc(said, func(s string) bool { return contains(s, mk.match) }) {
			return true
		}
	}
	return false
}

// foldAll is texts as they are matched.
func foldAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = text.FoldMatch(s)
	}
	return out
}

// Forgotten reports whether a forget event that was in the log when it was asked reaches ev. It asks the log's
// leader for the newest forget event and waits until that one is applied here.
func (m *Marks) Forgotten(ctx context.Context, ev schema.Event) (bool, error) {
	last, err := m.log.LastForget(ctx)
	if err != nil {
		return false, fmt.Errorf("ask for the last forget event: %w", err)
	}
	if last <= ev.Seq {
		return false, nil
	}
	if err := m.wait(ctx, last); err != nil {
		return false, err
	}
	byText := false
	for _, mk := range m.of(ev.Tenant, ev.User) {
		f := mk.forget
		switch {
		case ev.Seq > mk.seq:
		case f.All, mk.ids[ev.UUID], f.Covers(ev.At):
			return true, nil
		default: // by text, conversation or a memory's id: the forgetter has resolved it on the event point
			byText = true
		}
	}
	if !byText {
		return false, nil
	}
	p, err := m.points.EventPoint(ctx, ev.Generation, ev.UUID)
	if err != nil {
		return false, fmt.Errorf("read event point %s: %w", ev.UUID, err)
	}
	return p[schema.KeyOutcome] == string(schema.OutcomeForgotten), nil
}

// HidesEvent is Hides for the event of an event point.
func (m *Marks) HidesEvent(p map[string]any) bool {
	it := schema.Item{
		ObservedAt: time.UnixMilli(int64(number(p[schema.KeyAt]))),
		Source:     schema.Source{Event: str(p, schema.KeyEventID), UUID: str(p, schema.KeyEvent), Seq: uint64(number(p[schema.KeySeq]))},
	}
	return m.reach(str(p, schema.KeyTenant), str(p, schema.KeyUser), it, func() (said []string, conversation string) {
		for _, s := range segmentsOf(p) {
			said = append(said, s.Text)
		}
		return said, str(p, schema.KeyConversation)
	})
}

// HidesEntry is Hides for an entry of the log, by all that it states.
func (m *Marks) HidesEntry(ev schema.Event) bool {
	it := schema.Item{ObservedAt: ev.At, Source: schema.Source{Event: ev.ID, UUID: ev.UUID, Seq: ev.Seq}}
	return m.reach(ev.Tenant, ev.User, it, func() ([]string, string) { return words(ev) })
}

func (m *Marks) wait(ctx context.Context, seq uint64) error {
	for {
		m.mu.Lock()
		applied, moved := m.applied, m.moved
		m.mu.Unlock()
		if applied >= seq {
			return nil
		}
		select {
		case m.ask <- struct{}{}:
		default: // it is awake already
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return schema.Retryable(schema.CodeUnavailable, 0, ctx.Err(), "forget events are known to %d, not yet to %d", applied, seq)
		}
	}
}
