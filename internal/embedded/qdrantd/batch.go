package qdrantd

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/cockroachdb/pebble/v2"
)

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
