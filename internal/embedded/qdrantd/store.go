package qdrantd

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
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
	dir  string
	db   *pebble.DB
	lock *pebble.Lock
	log  *slog.Logger

	// damage is the first file that the engine found damaged, whoever met it. Without a listener the engine would end the
	// process over it.
	damage atomic.Pointer[string]
	room   *room
	end    *end

	opts *pebble.Options // to open the engine again

	compacting sync.Mutex   // one compaction at a time
	engine     sync.RWMutex // held while db is used for a write, and to change it

	synced chan struct{} // a sync has happened that is not sealed yet
	listed chan struct{} // the list of tables has changed and that is not recorded yet
	done   chan struct{}
	sealer sync.WaitGroup

	resting chan struct{} // closed to end what seals and lists; nil while nothing does
	shut    bool          // the engine was closed, and did not open again
	listMu  sync.Mutex    // held while the list of tables is recorded
}

// sealAfter is how long after a sync the log is sealed: often enough to matter, too seldom to cost.
const sealAfter = 100 * time.Millisecond

// seal puts a chunk behind the last record that says that all before it is synced. See checkLogs.
func (s *store) seal() error { return s.db.LogData(nil, pebble.Sync) }

// tend has the log sealed and the list of tables recorded, until rest.
func (s *store) tend() {
	resting := make(chan struct{})
	s.resting = resting
	s.sealer.Go(func() { s.sealing(resting) })
	s.sealer.Go(func() { s.listing(resting) })
}

func (s *store) rest() {
	if s.resting == nil { // a compaction that failed has left it so
		return
	}
	close(s.resting)
	s.resting = nil
	s.sealer.Wait()
}

func (s *store) sealing(resting <-chan struct{}) {
	for {
		select {
		case <-resting:
			return
		case <-s.synced:
		}
		select {
		case <-resting:
			return
		case <-time.After(sealAfter):
		}
		if err := s.seal(); err != nil {
			s.log.Error("seal the log", "err", err)
		}
	}
}

// listing records every change of the list of tables. See checkList.
func (s *store) listing(resting <-chan struct{}) {
	for {
		select {
		case <-resting:
			return
		case <-s.listed:
		}
		if err := s.recordList(); err != nil {
			s.log.Error("record the list of tables", "err", err)
		}
	}
}

func (s *store) recordList() error {
	s.listMu.Lock()
	defer s.listMu.Unlock()
	return recordList(s.dir)
}

func (s *store) damaged() error {
	if d := s.damage.Load(); d != nil {
		return fmt.Errorf("damaged: %s", *d)
	}
	return nil
}

// pebbleLog passes what the engine says on. Its Fatalf must not return: the engine calls it where it cannot go on
// without breaking its promises (a log that cannot be written, a table that is gone).
type pebbleLog struct {
	log *slog.Logger
	end *end
}

// end is that of an engine that could not go on.
type end struct {
	once sync.Once
	why  string
	dead chan struct{} // closed once why is set
}

func newEnd() *end { return &end{dead: make(chan struct{})} }

// over notes the end.
func (e *end) over(err error) {
	e.once.Do(func() {
		e.why = err.Error()
		close(e.dead)
	})
}

// err is why the engine ended, nil while it goes on.
func (e *end) err() error {
	select {
	case <-e.dead:
		return fmt.Errorf("the storage engine cannot go on: %s", e.why)
	default:
		return nil
	}
}

// await runs f and returns its error, or that of the end where the engine ends first: then f never returns.
func (e *end) await(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-e.dead:
		return e.err()
	}
}

func (l pebbleLog) Infof(format string, args ...any) {
	if !l.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	l.log.Debug("storage engine", "message", fmt.Sprintf(format, args...))
}

func (l pebbleLog) Errorf(format string, args ...any) {
	l.log.Error("storage engine", "message", fmt.Sprintf(format, args...))
}

// Fatalf notes the end and never returns. The process is to end for it ([Server.Dead]), and to end in order: the log's
// other half, the stream, lies in other hands. The goroutine stays where it is, with the engine's locks.
func (l pebbleLog) Fatalf(format string, args ...any) {
	l.end.once.Do(func() {
		l.end.why, _, _ = strings.Cut(fmt.Sprintf(format, args...), "\n") // traces follow
		l.log.Error("the storage engine cannot go on", "why", l.end.why)
		close(l.end.dead)
	})
	select {}
}

func openStore(dir string, log *slog.Logger) (*store, error) {
	lock, err := pebble.LockDirectory(dir, vfs.Default)
	if err != nil {
		return nil, fmt.Errorf("lock %s, which another process may have open: %w", dir, err)
	}
	if err := errors.Join(checkList(dir), checkLogs(dir, log)); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s := &store{dir: dir, lock: lock, log: log, end: newEnd(), synced: make(chan struct{}, 1), listed: make(chan struct{}, 1), done: make(chan struct{})}
	s.room = &room{dir: dir, log: log, done: s.done}
	listed := func() {
		select {
		case s.listed <- struct{}{}:
		default:
		}
	}
	report := func(what string) {
		s.damage.CompareAndSwap(nil, &what)
		log.Error("storage is damaged", "what", what)
	}
	opts := &pebble.Options{
		FormatMajorVersion: pebble.FormatNewest, // its log tells a torn tail from damage before a sync
		MemTableSize:       uint64(memory(dir)),
		Lock:               lock,
		FS:                 patientFS{vfs.Default, s.room},
		Logger:             pebbleLog{log, s.end},
		EventListener: &pebble.EventListener{
			DataCorruption:  func(info pebble.DataCorruptionInfo) { report(fmt.Sprintf("%s: %v", info.Path, info.Details)) },
			BackgroundError: func(err error) { log.Error("storage engine", "err", err) },
			FlushEnd:        func(pebble.FlushInfo) { listed() },
			CompactionEnd:   func(pebble.CompactionInfo) { listed() },
		},
	}
	s.opts = opts
	if err := s.end.await(func() error { return s.openEngine(opts) }); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s.tend()
	return s, nil
}

// openEngine opens the engine and marks a new store.
func (s *store) openEngine(opts *pebble.Options) error {
	db, err := pebble.Open(s.dir, opts)
	if err != nil {
		return fmt.Errorf("open %s: %w", s.dir, err)
	}
	s.db = db
	if err := errors.Join(s.found(), s.recordList()); err != nil {
		return errors.Join(fmt.Errorf("begin a store in %s: %w", s.dir, err), db.Close())
	}
	return nil
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
	full := s.room.err() != nil // then the log is what there is, and the next start replays it
	close(s.done)
	s.rest()
	if s.shut { // by a compaction that failed: the end was declared with why, and the engine must not be asked
		return s.lock.Close()
	}
	var err error
	if !full {
		err = s.db.Flush()
	}
	return errors.Join(err, s.db.Close(), s.recordList(), s.lock.Close())
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
