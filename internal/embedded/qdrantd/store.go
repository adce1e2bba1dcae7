package qdrantd

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// Keys of the store:
//
//	'c' collection(8)                → JSON of storedCollection
//	'f'                              → the format of all this (1)
//	'n'                              → the next collection number (8)
//	'o' collection(8)                → its last operation number (8)
//	'p' collection(8) point(17) 0    → head: version (8), payload
//	'p' collection(8) point(17) 1    → vectors; absent where the point has none
//
// Head and vectors lie apart so that setting a payload does not write the vectors again, and next to each other so that
// loading is one walk. Pebble checks every block it reads against its checksum; loading reads all of them.
const (
	keyFormat     = 'f'
	keyCollection = 'c'
	keyNext       = 'n'
	keyOp         = 'o'
	keyPoint      = 'p'

	partHead    = 0
	partVectors = 1
)

type storedCollection struct {
	Format  int      `json:"format"`
	Create  []byte   `json:"create"`  // qdrant.CreateCollection
	Indexes [][]byte `json:"indexes"` // qdrant.CreateFieldIndexCollection
}

const storedFormat = 1

type store struct {
	db  *pebble.DB
	log *slog.Logger

	// damage is the first file that the engine found damaged, whoever met it. Without a listener the engine would end the
	// process over it.
	damage atomic.Pointer[string]

	synced chan struct{} // a sync has happened that is not sealed yet
	done   chan struct{}
	sealer sync.WaitGroup
}

// sealAfter is how long after a sync the log is sealed: often enough to matter, too seldom to cost.
const sealAfter = 100 * time.Millisecond

// seal puts a chunk behind the last record that says that all before it is synced. See checkLogs.
func (s *store) seal() error { return s.db.LogData(nil, pebble.Sync) }

func (s *store) sealing() {
	for {
		select {
		case <-s.done:
			return
		case <-s.synced:
		}
		select {
		case <-s.done:
			return
		case <-time.After(sealAfter):
		}
		if err := s.seal(); err != nil {
			s.log.Error("seal the log", "err", err)
		}
	}
}

func (s *store) damaged() error {
	if d := s.damage.Load(); d != nil {
		return fmt.Errorf("damaged: %s", *d)
	}
	return nil
}

// pebbleLog passes what the engine says on. Its Fatalf must not return: the engine calls it where it cannot go on
// without breaking its promises (a log that cannot be written).
type pebbleLog struct{ log *slog.Logger }

func (l pebbleLog) Infof(format string, args ...any) {
	if !l.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	l.log.Debug("storage engine", "message", fmt.Sprintf(format, args...))
}

func (l pebbleLog) Errorf(format string, args ...any) {
	l.log.Error("storage engine", "message", fmt.Sprintf(format, args...))
}

func (l pebbleLog) Fatalf(format string, args ...any) {
	panic("qdrantd: storage engine: " + fmt.Sprintf(format, args...))
}

func openStore(dir string, log *slog.Logger) (*store, error) {
	if err := checkLogs(dir, log); err != nil {
		return nil, err
	}
	s := &store{log: log, synced: make(chan struct{}, 1), done: make(chan struct{})}
	report := func(what string) {
		s.damage.CompareAndSwap(nil, &what)
		log.Error("storage is damaged", "what", what)
	}
	db, err := pebble.Open(dir, &pebble.Options{
		FormatMajorVersion: pebble.FormatNewest, // its log tells a torn tail from damage before a sync
		MemTableSize:       32 << 20,
		Logger:             pebbleLog{log},
		EventListener: &pebble.EventListener{
			DataCorruption:  func(info pebble.DataCorruptionInfo) { report(fmt.Sprintf("%s: %v", info.Path, info.Details)) },
			BackgroundError: func(err error) { log.Error("storage engine", "err", err) },
		},
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	s.db = db
	if err := s.found(); err != nil {
		return nil, errors.Join(fmt.Errorf("begin a store in %s: %w", dir, err), db.Close())
	}
	s.sealer.Go(s.sealing)
	return s, nil
}

// found marks a new store. The engine begins the very first log before it has raised its format to the one that
// checkLogs needs: flushing begins another.
func (s *store) found() error {
	v, closer, err := s.db.Get([]byte{keyFormat})
	if errors.Is(err, pebble.ErrNotFound) {
		return errors.Join(s.db.Set([]byte{keyFormat}, []byte{storedFormat}, pebble.Sync), s.db.Flush())
	}
	if err != nil {
		return err
	}
	defer closer.Close()
	if len(v) != 1 || v[0] != storedFormat {
		return fmt.Errorf("its format %x is not known to this version", v)
	}
	return nil
}

// close writes everything into tables, all under checksums, so that the next start has no log to replay.
func (s *store) close() error {
	close(s.done)
	s.sealer.Wait()
	return errors.Join(s.db.Flush(), s.db.Close())
}

func collectionKey(kind byte, id uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{kind}, id)
}

func pointKey(to []byte, c uint64, id pointID, part byte) []byte {
	to = append(to, keyPoint)
	to = binary.BigEndian.AppendUint64(to, c)
	to = append(to, id[:]...)
	return append(to, part)
}

// batch collects what one operation writes.
type batch struct {
	s   *store
	b   *pebble.Batch
	key []byte
	val []byte
	err error
}

func (s *store) begin() *batch { return &batch{s: s, b: s.db.NewBatch()} }

func (b *batch) set(key, val []byte) { b.err = errors.Join(b.err, b.b.Set(key, val, nil)) }
func (b *batch) del(key []byte)      { b.err = errors.Join(b.err, b.b.Delete(key, nil)) }

func (b *batch) putOp(c, op uint64) {
	b.set(collectionKey(keyOp, c), binary.BigEndian.AppendUint64(nil, op))
}

func (b *batch) putHead(c uint64, id pointID, version uint64, payload []byte) {
	b.key = pointKey(b.key[:0], c, id, partHead)
	b.val = append(binary.BigEndian.AppendUint64(b.val[:0], version), payload...)
	b.set(b.key, b.val)
}

func (b *batch) putPoint(c uint64, r *record) {
	b.putHead(c, r.id, r.version, r.payload)
	b.key = pointKey(b.key[:0], c, r.id, partVectors)
	if b.val = appendVectors(b.val[:0], r); len(b.val) == 0 {
		b.del(b.key)
		return
	}
	b.set(b.key, b.val)
}

func (b *batch) deletePoint(c uint64, id pointID) {
	for _, part := range [...]byte{partHead, partVectors} {
		b.key = pointKey(b.key[:0], c, id, part)
		b.del(b.key)
	}
}

// write puts the batch into the log, in the order of these calls, and returns before it is synced. Without sync nobody
// is going to wait; a later sync covers it too.
func (b *batch) write(sync bool) (*pending, error) {
	switch {
	case b.err != nil:
	case sync: // the sync is shared by all that wait for one at the time
		b.err = b.s.db.ApplyNoSyncWait(b.b, pebble.Sync)
	default:
		b.err = b.s.db.Apply(b.b, pebble.NoSync)
	}
	if b.err != nil {
		return nil, errors.Join(b.err, b.b.Close())
	}
	return &pending{b.s, b.b, sync}, nil
}

// pending is a batch in the log whose sync may have been asked for. Each must be waited for, once.
type pending struct {
	s    *store
	b    *pebble.Batch
	sync bool
}

func (p *pending) wait() error {
	var err error
	if p.sync {
		err = p.b.SyncWait()
		select {
		case p.s.synced <- struct{}{}:
		default:
		}
	}
	return errors.Join(err, p.b.Close())
}

// Vectors: for each one present: kind (0 dense, 1 sparse), position in the schema (uvarint), length (uvarint), then
// float32s, or indices and float32s, little endian.

func appendVectors(to []byte, r *record) []byte {
	for i, v := range r.dense {
		if v == nil {
			continue
		}
		to = append(to, 0)
		to = binary.AppendUvarint(to, uint64(i))
		to = binary.AppendUvarint(to, uint64(len(v)))
		to = appendFloats(to, v)
	}
	for i, v := range r.sparse {
		if v.idx == nil {
			continue
		}
		to = append(to, 1)
		to = binary.AppendUvarint(to, uint64(i))
		to = binary.AppendUvarint(to, uint64(len(v.idx)))
		for _, ix := range v.idx {
			to = binary.LittleEndian.AppendUint32(to, ix)
		}
		to = appendFloats(to, v.val)
	}
	return to
}

func appendFloats(to []byte, v []float32) []byte {
	for _, x := range v {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
	}
	return to
}

var errVectors = errors.New("malformed vectors in the store")

func readVectors(b []byte, r *record) error {
	for len(b) > 0 {
		kind := b[0]
		at, b2, ok1 := varint(b[1:])
		n, b3, ok2 := varint(b2)
		if !ok1 || !ok2 || n > uint64(len(b3))/4 {
			return errVectors
		}
		b = b3
		floats := func() []float32 {
			v := make([]float32, n)
			for i := range v {
				v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
			}
			b = b[4*n:]
			return v
		}
		switch {
		case kind == 0 && at < uint64(len(r.dense)):
			r.dense[at] = floats()
		case kind == 1 && at < uint64(len(r.sparse)) && 2*n <= uint64(len(b))/4:
			idx := make([]uint32, n)
			for i := range idx {
				idx[i] = binary.LittleEndian.Uint32(b[4*i:])
			}
			b = b[4*n:]
			r.sparse[at] = sparseVec{idx, floats()}
		default:
			return errVectors
		}
	}
	return nil
}

// putCollection stores what a collection is and syncs. For a new one next is the number after its own, else 0.
func (s *store) putCollection(c *collection, sc *schema, next uint64) error {
	rec := storedCollection{Format: storedFormat}
	var err error
	if rec.Create, err = proto.Marshal(sc.create); err != nil {
		return err
	}
	for _, ix := range sc.indexes {
		b, err := proto.Marshal(ix.req)
		if err != nil {
			return err
		}
		rec.Indexes = append(rec.Indexes, b)
	}
	val, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	b := s.db.NewBatch()
	defer b.Close()
	if next != 0 {
		if err := b.Set([]byte{keyNext}, binary.BigEndian.AppendUint64(nil, next), nil); err != nil {
			return err
		}
	}
	return errors.Join(b.Set(collectionKey(keyCollection, c.id), val, nil), b.Commit(pebble.Sync))
}

func (s *store) deleteCollection(id uint64) error {
	b := s.db.NewBatch()
	defer b.Close()
	return errors.Join(
		b.Delete(collectionKey(keyCollection, id), nil),
		b.Delete(collectionKey(keyOp, id), nil),
		b.DeleteRange(collectionKey(keyPoint, id), collectionKey(keyPoint, id+1), nil),
		b.Commit(pebble.Sync))
}

func (s *store) number(key []byte) (uint64, error) {
	v, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer closer.Close()
	if len(v) != 8 {
		return 0, fmt.Errorf("malformed number under key %x", key)
	}
	return binary.BigEndian.Uint64(v), nil
}

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

func (s *store) loadPoints(c *collection) (err error) {
	if c.op, err = s.number(collectionKey(keyOp, c.id)); err != nil {
		return err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: collectionKey(keyPoint, c.id), UpperBound: collectionKey(keyPoint, c.id+1)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	var r *record
	flush := func() {
		if r != nil {
			key := partOf(c.schema, r.payload)
			p := c.part(key)
			c.where[r.id] = loc{p, p.insert(r)}
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
