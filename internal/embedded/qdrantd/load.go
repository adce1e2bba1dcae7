package qdrantd

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// load reads everything. Any record that cannot be read is an error: nothing is skipped.
func (s *store) load() (map[string]*collection, uint64, error) {
	next, err := s.number([]byte{keyNext})
	if err != nil {
		return nil, 0, err
	}
	found := map[string]*collection{}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{keyCollection}, UpperBound: []byte{keyCollection + 1}})
	if err != nil {
		return nil, 0, err
	}
	for ok := it.First(); ok; ok = it.Next() {
		c, err := s.loadCollection(it.Key(), it.Value())
		if err != nil {
			return nil, 0, errors.Join(fmt.Errorf("collection %x: %w", it.Key(), err), it.Close())
		}
		found[c.name] = c
	}
	if err := it.Close(); err != nil {
		return nil, 0, err
	}
	for _, c := range found {
		if err := s.loadPoints(c); err != nil {
			return nil, 0, fmt.Errorf("collection %s: %w", c.name, err)
		}
	}
	return found, next, s.damaged()
}

func (s *store) loadCollection(key, val []byte) (*collection, error) {
	var rec storedCollection
	if err := json.Unmarshal(val, &rec); err != nil {
		return nil, err
	}
	if len(key) != 9 || rec.Format != storedFormat {
		return nil, fmt.Errorf("format %d is not known to this version", rec.Format)
	}
	var create qdrant.CreateCollection
	if err := proto.Unmarshal(rec.Create, &create); err != nil {
		return nil, err
	}
	sc, err := newSchema(&create)
	if err != nil {
		return nil, err
	}
	for _, b := range rec.Indexes {
		var req qdrant.CreateFieldIndexCollection
		if err := proto.Unmarshal(b, &req); err != nil {
			return nil, err
		}
		ix, err := newIndex(&req)
		if err != nil {
			return nil, err
		}
		sc = sc.with(ix)
	}
	return newCollection(s, binary.BigEndian.Uint64(key[1:]), sc), nil
}

// loaders lays points out in as many goroutines as there are processors. Each has partitions of its own.
type loaders struct {
	chans []chan *record
	wg    sync.WaitGroup
	parts []map[partKey]*partition
	where []map[pointID]loc
	seed  maphash.Seed
	sc    *schema
}

func newLoaders(sc *schema) *loaders {
	l := &loaders{seed: maphash.MakeSeed(), sc: sc}
	for range runtime.GOMAXPROCS(0) {
		ch, parts, where := make(chan *record, 256), map[partKey]*partition{}, map[pointID]loc{}
		l.chans, l.parts, l.where = append(l.chans, ch), append(l.parts, parts), append(l.where, where)
		l.wg.Go(func() {
			for r := range ch {
				key := partOf(sc, r.payload)
				p := parts[key]
				if p == nil {
					p = newPartition(sc, key.keyed, key.value)
					parts[key] = p
				}
				where[r.id] = loc{p, p.insert(r)}
			}
		})
	}
	return l
}

func (l *loaders) add(r *record) {
	l.chans[maphash.Comparable(l.seed, partOf(l.sc, r.payload))%uint64(len(l.chans))] <- r
}

// finish puts what was loaded into c.
func (l *loaders) finish(c *collection) {
	for _, ch := range l.chans {
		close(ch)
	}
	l.wg.Wait()
	for i := range l.parts {
		maps.Copy(c.parts, l.parts[i])
		maps.Copy(c.where, l.where[i])
	}
}

func (s *store) loadPoints(c *collection) (err error) {
	if c.op, err = s.number(collectionKey(keyOp, c.id)); err != nil {
		return err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: collectionKey(keyPoint, c.id), UpperBound: collectionKey(keyPoint, c.id+1)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	into := newLoaders(c.schema)
	defer into.finish(c)
	var r *record
	flush := func() {
		if r != nil {
			into.add(r)
		}
		r = nil
	}
	for ok := it.First(); ok; ok = it.Next() {
		key, val := it.Key(), it.Value()
		if len(key) != 27 {
			return fmt.Errorf("malformed key %x", key)
		}
		id, err := idFromKey(key[9:26])
		if err != nil {
			return err
		}
		switch key[26] {
		case partHead:
			flush()
			if len(val) < 8 {
				return fmt.Errorf("point %s: malformed head", id)
			}
			r = &record{id: id, version: binary.BigEndian.Uint64(val), payload: append([]byte{}, val[8:]...),
				dense: make([][]float32, len(c.schema.dense)), sparse: make([]sparseVec, len(c.schema.sparse))}
		case partVectors:
			if r == nil || r.id != id {
				return fmt.Errorf("point %s: vectors without a head", id)
			}
			if err := readVectors(val, r); err != nil {
				return fmt.Errorf("point %s: %w", id, err)
			}
		default:
			return fmt.Errorf("malformed key %x", key)
		}
	}
	flush()
	return it.Error()
}
