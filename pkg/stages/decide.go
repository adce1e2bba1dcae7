package stages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/siltstone-ai/siltstone/internal/decide"
	"github.com/siltstone-ai/siltstone/internal/distill"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Decide compares the candidates of an event with all statements of their groups and slots and writes the state
// that follows: its own points whole, the statuses of others by merging keys.
var Decide = Spec{
	Name: decideName, In: InFact,
	Doc: "recalls, compares and decides: add, update, delete or none",
	New: newDecide,
}

const decideName = "decide"

// maxRecall bounds how often the set of statements grows by those of newly found groups and slots. Statements of
// one group share their slot, so two rounds are the rule.
const maxRecall = 16

func newDecide(d Deps) (Func, error) {
	switch {
	case d.Embedder == nil:
		return nil, errors.New("decide needs the port Embedder")
	case d.Slots == nil:
		return nil, errors.New("decide needs the port Slots")
	case d.Points == nil:
		return nil, errors.New("decide needs the port Points")
	}
	if _, err := text.Open(text.Config{}); err != nil {
		return nil, fmt.Errorf("open dictionaries: %w", err)
	}
	return decider{d.Embedder, d.Slots, d.Points, d.Earlier}.run, nil
}

type decider struct {
	embedder Embedder
	slots    SlotReader
	points   PointLister
	earlier  Earlier
}

func (d decider) run(ctx context.Context, ev schema.Event) (schema.Result, error) {
	if ev.Op != schema.OpFact {
		return schema.Result{}, schema.Permanent(schema.CodeInvalid, nil, "op %q holds no candidates", ev.Op)
	}
	body, err := schema.DecodeStored[schema.Candidates](ev.Op, ev.Version, ev.Body)
	if err != nil {
		return schema.Result{}, err
	}
	return d.settle(ctx, ev, statements(ev, body.Facts, decideName, 0), body.Forget)
}

// settle decides on statements of ev, and on things that it asks to be forgotten.
func (d decider) settle(ctx context.Context, ev schema.Event, own []schema.Memory, forget []string) (schema.Result, error) {
	rec := recall{d: d, ctx: ctx, gen: ev.Generation, owner: schema.Owner(ev.Tenant, ev.User), facts: map[string]schema.Memory{}, revs: map[string]uint64{}}
	if err := rec.collect(own); err != nil {
		return schema.Result{}, err
	}
	all := slices.Clone(own)
	mine := map[string]bool{}
	for i := range own {
		mine[own[i].ID] = true
	}
	for _, id := range sortedKeys(rec.facts) {
		if !mine[id] {
			all = append(all, rec.facts[id])
		}
	}
	settled := decide.Settle(all)
	res := schema.Result{Guards: rec.guards(), Done: true}
	var err error
	if len(forget) > 0 {
		if res.Forget, err = d.wished(ctx, ev, forget, len(own) == 0); err != nil {
			return schema.Result{}, err
		}
	}
	if res.Writes, err = d.ownWrites(ctx, ev, settled[:len(own)]); err != nil {
		return schema.Result{}, err
	}
	for i := len(own); i < len(all); i++ {
		if decide.Changed(&all[i], &settled[i]) {
			res.Writes = append(res.Writes, stateWrite(rec.owner, &settled[i]))
		}
	}
	return res, nil
}

// statements are the memories and marks that the candidates of ev which a stage found become, as they will be read back:
// said one after the other, the first at place.
func statements(ev schema.Event, cands []schema.Memory, stage string, place int) []schema.Memory {
	var out []schema.Memory
	for i := range cands {
		m := cands[i]
		n := strconv.Itoa(i)
		target := m.ID
		m.ID = pointID(ev, n, stage)
		m.Tenant, m.User = ev.Tenant, ev.User
		m.Source.Event, m.Source.UUID, m.Source.Seq, m.Source.Place = ev.ID, ev.UUID, ev.Seq, place+i
		if m.Source.Class == 0 {
			m.Source.Class = ev.Class
		}
		if m.ObservedAt.IsZero() {
			m.ObservedAt = ev.At
		}
		if m.Status == schema.StatusDeleted {
			if target != "" {
				out = append(out, stored(decide.Deletion(m.ID, target, m)))
			}
			continue
		}
		if m.Group == "" {
			m = distill.Complete(m)
		}
		m.Status, m.SupersededBy, m.Mark, m.Edits = schema.StatusActive, "", "", target
		m.Pinned = pinned(&m)
		out = append(out, stored(m))
		if target != "" {
			out = append(out, stored(decide.Edit(pointID(ev, n+".edit", stage), target, m.ID, m)))
		}
	}
	return out
}

// pinned: a rule of the user's is kept before the model whatever the query; what an assistant or a tool says never
// is. An explicit write says itself whether it is.
func pinned(m *schema.Memory) bool {
	return m.Source.Class >= schema.ClassUser && (m.Pinned || m.Type == schema.TypeConstraint && m.Explicit && !explicit(m))
}

// stored is m as it reads back from the store: times in milliseconds, so that fresh and stored statements compare.
func stored(m schema.Memory) schema.Memory { return schema.MemoryFrom(m.ID, m.Payload()) }

// recall collects the statements that have a say, and the revisions under which they were read.
type recall struct {
	d     decider
	ctx   context.Context
	gen   int
	owner string
	facts map[string]schema.Memory
	revs  map[string]uint64
}

// collect reads what shares a group or a slot with own, what own names as targets, and what shares theirs, until
// nothing new turns up. Each key's revision is read before its facts: whoever writes between makes the guard fail.
func (r *recall) collect(own []schema.Memory) error {
	asked := map[string]bool{} // ids
	next := own
	for round := range maxRecall {
		var groups, slots, ids []string
		for i := range next {
			f := &next[i]
			if decide.IsMark(f) { // it ties two statements together by their ids
				for _, id := range []string{f.Subject, f.Object} {
					if id != "" && !asked[id] {
						asked[id] = true
						ids = append(ids, id)
					}
				}
			}
			for j, k := range []string{f.Group, f.Slot, marksOn(f, round == 0)} {
				if _, seen := r.revs[k]; k == "" || seen {
					continue
				}
				rev, err := r.d.slots.Revision(r.ctx, r.gen, k)
				if err != nil {
					return fmt.Errorf("read the revision of a slot: %w", err)
				}
				r.revs[k] = rev
				if j == 0 {
					groups = append(groups, k)
				} else {
					slots = append(slots, k)
				}
			}
		}
		next = nil
		if len(groups)+len(slots) > 0 {
			fs, err := r.d.slots.Facts(r.ctx, r.gen, r.owner, groups, slots)
			if err != nil {
				return fmt.Errorf("read the facts of %d slots: %w", len(groups)+len(slots), err)
			}
			next = append(next, fs...)
		}
		if len(ids) > 0 {
			fs, err := r.d.slots.FactsByID(r.ctx, r.gen, r.owner, ids)
			if err != nil {
				return fmt.Errorf("read the facts that are edited: %w", err)
			}
			next = append(next, fs...)
		}
		if len(next) == 0 {
			return nil
		}
		for _, f := range next {
			r.facts[f.ID] = f
		}
	}
	return schema.Permanent(schema.CodeInternal, nil, "statements hang together over more than %d rounds", maxRecall)
}

// marksOn is the slot of the marks on f, or on the first of its line. Of what was decided before it says itself
// whether one stands on it: "" where none does.
func marksOn(f *schema.Memory, fresh bool) string {
	switch {
	case f.ID == "" || decide.IsMark(f):
		return ""
	case f.Edits != "":
		return schema.TargetKey(f.Edits)
	case fresh || f.Mark != "":
		return schema.TargetKey(f.ID)
	}
	return ""
}

// guards protect every key that was read, in one order.
func (r *recall) guards() []schema.Guard {
	out := make([]schema.Guard, 0, len(r.revs))
	for _, k := range sortedKeys(r.revs) {
		out = append(out, schema.Guard{Slot: k, Revision: r.revs[k]})
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// ownWrites are the points of the event's own statements: whole, with both vectors. Marks, and what was taken back
// before it came here, hold no text and have none.
func (d decider) ownWrites(ctx context.Context, ev schema.Event, ms []schema.Memory) ([]schema.Write, error) {
	var texts []string
	for i := range ms {
		if !bare(&ms[i]) {
			texts = append(texts, text.Sanitize(distill.SearchText(&ms[i])))
		}
	}
	var vecs [][]float32
	if len(texts) > 0 {
		var err error
		if vecs, err = d.embedder.Embed(ctx, texts, EmbedPassage); err != nil {
			return nil, fmt.Errorf("embed %d facts: %w", len(texts), err)
		}
		if len(vecs) != len(texts) {
			return nil, schema.Retryable(schema.CodeUnavailable, 0, nil, "embedder %s gave %d vectors for %d texts", d.embedder.Model(), len(vecs), len(texts))
		}
	}
	var out []schema.Write
	for i := range ms {
		m := &ms[i]
		if bare(m) && !decide.IsMark(m) {
			gone := decide.Shell(*m)
			m = &gone
		}
		p := schema.Point{ID: m.ID, Payload: m.Payload()}
		if !bare(m) {
			p.Dense, vecs = vecs[0], vecs[1:]
			if sp := text.Sparse(text.Terms(distill.SearchText(m))); len(sp.Indices) > 0 {
				p.Sparse = &sp
			}
		}
		out = append(out, schema.Write{Kind: schema.WriteUpsert, Collection: schema.Facts, Owner: schema.Owner(ev.Tenant, ev.User), Point: p})
	}
	return out, nil
}

// bare reports whether m is kept without what it says.
func bare(m *schema.Memory) bool { return m.Status == schema.StatusDeleted || decide.IsMark(m) }

// stateWrite merges the decided state into another event's point, if it is still there. Of what was taken back only
// the shell is left, in its place and without vectors.
func stateWrite(owner string, m *schema.Memory) schema.Write {
	if m.Status == schema.StatusDeleted {
		gone := decide.Shell(*m)
		return schema.Write{
			Kind: schema.WriteUpsert, Collection: schema.Facts, Owner: owner, Seq: m.Source.Seq,
			Point: schema.Point{ID: m.ID, Payload: gone.Payload()},
		}
	}
	until := schema.NoTime
	if !m.ValidTo.IsZero() {
		until = m.ValidTo.UnixMilli()
	}
	return schema.Write{
		Kind: schema.WriteSetPayload, Collection: schema.Facts, Owner: owner, IDs: []string{m.ID},
		Payload: map[string]any{
			schema.KeyStatus: string(m.Status), schema.KeyValidTo: until, schema.KeySupersededBy: m.SupersededBy, schema.KeyMark: m.Mark,
		},
	}
}
