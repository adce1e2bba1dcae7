package nats

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/highwayhash"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/atomicfile"
)

// The server overwrites a message only where a client asks for that one message. What is acknowledged in a work queue,
// replaced under its key, expired or purged stays in its block, until that is compacted one day: the block that is written
// to never is. Scrub overwrites those records as the server overwrites a message, while the server stands still.
//
// The format is that of the file store of the server that is built in, whose version go.mod holds: a block is records of
// length 4 (the highest bit says that there are headers), sequence 8 (the highest bit: erased; the next: a tombstone, which
// has no text), time 8, length of the subject 2, subject, headers, body, checksum 8. The tests of this package see that it
// is still so.
const (
	blockHeader   = 22
	blockChecksum = 8

	recordHeaders = 1 << 31 // in the length
	recordErased  = 1 << 63 // in the sequence
	recordTomb    = 1 << 62
)

// Scrub has the files of all streams hold nothing that was removed before the call. It starts the server again, as
// Restart does; memory streams are gone then.
func (s *Server) Scrub(ctx context.Context) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.closed {
		return nil
	}
	live, err := s.live(ctx)
	if err != nil {
		return fmt.Errorf("scrub streams: %w", err)
	}
	s.pausing.Store(true)
	defer s.pausing.Store(false)
	s.shutdown()
	s.log.reset()
	for name, st := range live {
		err = errors.Join(err, scrubStream(filepath.Join(s.opts.StoreDir, server.JetStreamStoreDir, "$G", "streams", name), name, st))
	}
	if again := s.start(ctx); again != nil {
		s.shutdown()
		s.log.stay(again)
		return errors.Join(err, fmt.Errorf("restart nats: %w", again))
	}
	if err != nil {
		return fmt.Errorf("scrub streams: %w", err)
	}
	return nil
}

// live are the states of the streams on disk, with what is missing inside them. What is removed later only lacks in it.
func (s *Server) live(ctx context.Context) (map[string]jetstream.StreamState, error) {
	if _, set := ctx.Deadline(); !set {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Minute)
		defer cancel()
	}
	nc, err := s.Conn()
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	names := js.StreamNames(ctx)
	out := map[string]jetstream.StreamState{}
	for name := range names.Name() {
		st, err := js.Stream(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("open stream %s: %w", name, err)
		}
		if st.CachedInfo().Config.Storage != jetstream.FileStorage {
			continue
		}
		info, err := st.Info(ctx, jetstream.WithDeletedDetails(true))
		if err != nil {
			return nil, fmt.Errorf("look at stream %s: %w", name, err)
		}
		out[name] = info.State
	}
	return out, names.Err()
}

// scrubStream overwrites the records of removed messages in the blocks of one stream.
func scrubStream(dir, name string, st jetstream.StreamState) error {
	gone := make(map[uint64]bool, len(st.Deleted))
	for _, seq := range st.Deleted {
		gone[seq] = true
	}
	dead := func(seq uint64) bool { return seq < st.FirstSeq || seq <= st.LastSeq && gone[seq] }
	blocks, err := filepath.Glob(filepath.Join(globEscape(dir), "msgs", "*.blk"))
	if err != nil {
		return err
	}
	changed := false
	for _, path := range blocks {
		var index int
		if _, err := fmt.Sscanf(filepath.Base(path), "%d.blk", &index); err != nil {
			return fmt.Errorf("%s is no block", path)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n, err := scrubBlock(b, blockKey(name, index), dead)
		if err != nil {
			return fmt.Errorf("block %s: %w", path, err)
		}
		if n == 0 {
			continue
		}
		if err := atomicfile.Write(path, b); err != nil {
			return err
		}
		changed = true
	}
	if !changed {
		return nil
	}
	// The index has the checksum of the last record. The server makes it anew from the blocks.
	if err := os.Remove(filepath.Join(dir, "msgs", "index.db")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// blockKey is the key of the checksums of a block.
func blockKey(stream string, index int) []byte {
	k := sha256.Sum256(fmt.Appendf(nil, "%s-%d", stream, index))
	return k[:]
}

// scrubBlock overwrites the dead records of a block in b and returns how many. Anything that is not as expected is an
// error, and b is not to be used then: it checks every record against its checksum first.
func scrubBlock(b, key []byte, dead func(seq uint64) bool) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if strings.HasPrefix(string(b[:min(len(b), 3)]), "cmp") {
		return 0, errors.New("it is compressed, which no stream of ours is")
	}
	h, err := highwayhash.NewDigest64(key)
	if err != nil {
		return 0, err
	}
	n := 0
	for at := 0; at < len(b); {
		if at+blockHeader+blockChecksum > len(b) {
			return 0, fmt.Errorf("a record at %d is cut off", at)
		}
		length := binary.LittleEndian.Uint32(b[at:])
		subject := int(binary.LittleEndian.Uint16(b[at+20:]))
		size := int(length &^ recordHeaders)
		text := blockHeader + subject // where headers and body begin
		if length&recordHeaders != 0 {
			text += 4
		}
		if size < text+blockChecksum || at+size > len(b) {
			return 0, fmt.Errorf("a record at %d is not whole", at)
		}
		rec := b[at : at+size]
		at += size
		sum := rec[size-blockChecksum:]
		checksum := func(parts ...[]byte) []byte {
			h.Reset()
			for _, p := range parts {
				_, _ = h.Write(p)
			}
			return h.Sum(nil)
		}
		if string(checksum(rec[4:20], rec[blockHeader:blockHeader+subject], rec[text:size-blockChecksum])) != string(sum) {
			return 0, fmt.Errorf("the record before %d does not match its checksum", at)
		}
		seq := binary.LittleEndian.Uint64(rec[4:])
		if seq == 0 || seq&(recordErased|recordTomb) != 0 || !dead(seq) {
			continue
		}
		binary.LittleEndian.PutUint32(rec, uint32(size))
		binary.LittleEndian.PutUint64(rec[4:], seq|recordErased)
		binary.LittleEndian.PutUint16(rec[20:], 0)
		if _, err := rand.Read(rec[blockHeader : size-blockChecksum]); err != nil {
			return 0, err
		}
		copy(sum, checksum(rec[4:20], rec[blockHeader:size-blockChecksum]))
		n++
	}
	return n, nil
}
