package qdrantd

import (
	"context"
	"sync"
	"sync/atomic"
)

// partKey names a partition: the value of the tenant key, or the zero key for points that have not exactly one.
type partKey struct {
	keyed bool
	value string
}

// loc is where a point lies.
type loc struct {
	part *partition
	row  uint32
}

// collection is one collection in memory.
//
// Locks, in the order they are taken: the store's engine (store.writing), writeMu, mu, the partitions' mu. Whoever changes anything holds writeMu, so that
// a writer may read schema, where and parts without mu.
type collection struct {
	id    uint64 // of its keys in the store
	name  string
	store *store

	writeMu sync.Mutex
	op      uint64 // last operation number
	dropped bool

	mu     sync.RWMutex
	schema *schema
	parts  map[partKey]*partition
	where  map[pointID]loc

	moves atomic.Uint64 // counts what may make a scan miss a point: moves between partitions, rebuilt indexes
}

func newCollection(st *store, id uint64, s *schema) *collection {
	return &collection{id: id, name: s.create.GetCollectionName(), store: st, schema: s,
		parts: map[partKey]*partition{}, where: map[pointID]loc{}}
}

// view is the present schema.
func (c *collection) view() *schema {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.schema
}

func partOf(s *schema, payload []byte) (k partKey) {
	if s.tenant < 0 {
		return k
	}
	n := 0
	s.indexes[s.tenant].path.each(payload, func(v value) bool {
		n++
		if v.kind == kindString {
			k = partKey{true, string(v.b)}
		}
		return n > 1
	})
	if n != 1 {
		return partKey{}
	}
	return k
}

// change is one point's new state.
type change struct {
	id      pointID
	record  *record // a whole point; nil otherwise
	payload []byte  // where record is nil: the new payload of an existing point; nil deletes it
}

// commit logs the changes as one operation and applies them to memory. It needs writeMu; ids are unique and, but for
// whole points, exist. The returned batch is to be waited for after writeMu is released.
func (c *collection) commit(changes []change, sync bool) (*pending, error) {
	c.op++
	b := c.store.begin()
	for i := range changes {
		ch := &changes[i]
		switch {
		case ch.record != nil:
			ch.record.version = c.op
			b.putPoint(c.id, ch.record)
		case ch.payload != nil:
			b.putHead(c.id, ch.id, c.op, ch.payload)
		default:
			b.deletePoint(c.id, ch.id)
		}
	}
	b.putOp(c.id, c.op)
	p, err := b.write(sync)
	if err != nil {
		return nil, internal("write the log: %v", err)
	}
	c.apply(changes)
	return p, nil
}

// lockRun bounds how many points are changed under one lock of a partition, so that readers get their turn.
const lockRun = 64

func (c *collection) apply(changes []change) {
	// By partition, so that a run of points costs one lock.
	puts := map[*partition][]*change{}
	var order, left []*partition
	for i := range changes {
		ch := &changes[i]
		at, exists := c.where[ch.id]
		if ch.record == nil && ch.payload == nil {
			if exists {
				c.drop(ch.id, at)
				left = append(left, at.part)
			}
			continue
		}
		payload := ch.payload
		if ch.record != nil {
			payload = ch.record.payload
		} else if !exists {
			continue
		}
		key := partOf(c.schema, payload)
		if exists && (partKey{at.part.keyed, at.part.key}) != key {
			c.move(ch, at, key)
			left = append(left, at.part)
			continue
		}
		p := at.part
		if !exists {
			p = c.part(key)
		}
		if puts[p] == nil {
			order = append(order, p)
		}
		puts[p] = append(puts[p], ch)
	}
	for _, p := range order {
		list := puts[p]
		for len(list) > 0 {
			n := min(lockRun, len(list))
			c.put(p, list[:n])
			list = list[n:]
		}
	}
	for _, p := range left {
		c.tidy(p)
	}
}

// tidy forgets a partition that has become empty. Nothing may be on its way into it.
func (c *collection) tidy(p *partition) {
	p.mu.RLock()
	empty := p.live == 0
	p.mu.RUnlock()
	if key := (partKey{p.keyed, p.key}); empty && c.parts[key] == p {
		c.mu.Lock()
		delete(c.parts, key)
		c.mu.Unlock()
	}
}

// part is the partition of key, made where it is missing.
func (c *collection) part(key partKey) *partition {
	p := c.parts[key]
	if p == nil {
		p = newPartition(c.schema, key.keyed, key.value)
		c.mu.Lock()
		c.parts[key] = p
		c.mu.Unlock()
	}
	return p
}

func (c *collection) put(p *partition, list []*change) {
	type found struct {
		id pointID
		at loc
	}
	var fresh []found
	p.mu.Lock()
	for _, ch := range list {
		at, exists := c.where[ch.id]
		switch {
		case !exists:
			fresh = append(fresh, found{ch.id, loc{p, p.insert(ch.record)}})
		case ch.record != nil:
			p.replace(at.row, ch.record)
		default:
			p.setPayload(at.row, c.op, ch.payload)
		}
	}
	p.mu.Unlock()
	if len(fresh) == 0 {
		return
	}
	c.mu.Lock()
	for _, f := range fresh {
		c.where[f.id] = f.at
	}
	c.mu.Unlock()
}

func (c *collection) drop(id pointID, at loc) {
	c.mu.Lock()
	delete(c.where, id)
	c.mu.Unlock()
	at.part.mu.Lock()
	at.part.remove(at.row)
	at.part.mu.Unlock()
}

// move puts a point into another partition because its tenant key changed.
func (c *collection) move(ch *change, at loc, key partKey) {
	to := c.part(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moves.Add(1) // before anything can be missed: a scan that meets the gap then finds the count changed
	at.part.mu.Lock()
	r := ch.record
	if r == nil {
		r = at.part.record(at.row)
		r.version, r.payload = c.op, ch.payload
	}
	at.part.remove(at.row)
	at.part.mu.Unlock()
	to.mu.Lock()
	row := to.insert(r)
	to.mu.Unlock()
	c.where[ch.id] = loc{to, row}
}

// rebuild lays every point out anew under another schema. It needs writeMu; readers go on with the old partitions
// until the new ones are there.
func (c *collection) rebuild(s *schema) {
	parts := map[partKey]*partition{}
	where := make(map[pointID]loc, len(c.where))
	for _, old := range c.parts {
		for _, row := range old.byID() {
			r := old.record(row)
			key := partOf(s, r.payload)
			p := parts[key]
			if p == nil {
				p = newPartition(s, key.keyed, key.value)
				parts[key] = p
			}
			where[r.id] = loc{p, p.insert(r)}
		}
	}
	c.mu.Lock()
	c.schema, c.parts, c.where = s, parts, where
	c.moves.Add(1)
	c.mu.Unlock()
}

// lookup calls fn with the partition, read-locked, and the row of a point; it says whether the point exists.
func (c *collection) lookup(id pointID, fn func(p *partition, row uint32) error) (bool, error) {
	for {
		c.mu.RLock()
		at, ok := c.where[id]
		c.mu.RUnlock()
		if !ok {
			return false, nil
		}
		at.part.mu.RLock()
		if at.part.holds(at.row, id) {
			err := fn(at.part, at.row)
			at.part.mu.RUnlock()
			return true, err
		}
		at.part.mu.RUnlock() // moved or deleted in between
	}
}

// matching is the ids of the points that pass f, in order. It needs writeMu where they are to be changed.
func (c *collection) matching(ctx context.Context, f *filter) ([]pointID, error) {
	var ids []pointID
	err := c.scan(ctx, f, func() { ids = ids[:0] }, func(m *matcher) error {
		return m.each(ctx, func(row uint32) bool {
			ids = append(ids, m.p.ids[row])
			return true
		})
	})
	sortIDs(ids)
	return ids, err
}

// count is the number of points that pass f.
func (c *collection) count(ctx context.Context, f *filter) (total int, err error) {
	err = c.scan(ctx, f, func() { total = 0 }, func(m *matcher) error {
		n, err := m.count(ctx)
		total += n
		return err
	})
	return total, err
}
