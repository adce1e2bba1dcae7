package events

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// WitnessStore keeps what was witnessed of the log, apart from it. What Save took lasts.
type WitnessStore interface {
	// Load is the value of a key, nil where there is none.
	Load(ctx context.Context, key string) ([]byte, error)
	// Save puts the value of a key, nil removes it. Where others write too, it refuses with [ErrWitnessed] what was changed
	// since it was loaded here.
	Save(ctx context.Context, key string, value []byte) error
	// Keys are all there are, in any order.
	Keys(ctx context.Context) ([]string, error)
}

// ErrWitnessed says that another process has written to a [WitnessStore] meanwhile: load and try again.
var ErrWitnessed = errors.New("another process has witnessed meanwhile")

// Witness remembers of every log entry a short tag, outside of the log, and holds the log against it. JetStream tells of
// no loss by itself: a stream that lost its end hands out the same sequences again, and an entry that cannot be read is
// passed over as if it had been deleted.
//
// A tag is the beginning of a SHA-256 over the sequence, the subject and all of Siltstone's headers, with the hash of the
// body among them. One per entry, and not one rolling hash: an erasure takes entries out of the middle, after which
// nobody could compute a rolling hash again without keeping what was erased; and a tag that does not match names its
// entry. A tag of zeros stands where there is nothing to compare: the entry was erased, has expired, or was accepted as
// it is.
//
// Safe for concurrent use, also by several processes on one store.
type Witness struct {
	js    jetstream.JetStream
	store WitnessStore
	log   *slog.Logger
	every time.Duration
	tell  func(schema.LogFault)

	work  sync.Mutex // one look at a time; guards what follows
	end   uint64     // last sequence witnessed
	tail  *tagBlock  // the block of the sequence after end
	first uint64     // number of the oldest block there is
	gaps  gapsSeen

	mine     []schema.LogFault // those among the stored faults that this process answers for
	accepted acceptance        // that this process knows of
	outlived bool              // the log was accepted as another one, and this process has read the one before

	named   []schema.SequenceRange // what erasures name, up to the one at namedAt
	namedAt uint64

	mu      sync.Mutex // guards what follows
	state   schema.LogState
	found   map[faultKey]schema.LogFault // by this process
	looking map[faultKey]schema.LogFault // found by a look that began anew and is not over; nil where there is none
	others  []schema.LogFault            // found by other processes
}

// WitnessOptions configure a [Witness].
type WitnessOptions struct {
	Every time.Duration         // Run looks this often; default 1 s
	Log   *slog.Logger          // nil: slog.Default
	Tell  func(schema.LogFault) // called once for each fault found; may be nil
}

// NewWitness returns a witness that has seen nothing yet: [Witness.Check] comes first.
func NewWitness(js jetstream.JetStream, store WitnessStore, o WitnessOptions) *Witness {
	w := &Witness{js: js, store: store, log: o.Log, every: o.Every, tell: o.Tell, found: map[faultKey]schema.LogFault{}}
	if w.every <= 0 {
		w.every = time.Second
	}
	if w.log == nil {
		w.log = slog.Default()
	}
	return w
}

// State is how the log stands, as of the last look. It does not block.
func (w *Witness) State() schema.LogState {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.state
	s.Faults = make([]schema.LogFault, 0, len(w.found)+len(w.others))
	for _, f := range w.found {
		s.Faults = append(s.Faults, f)
	}
	for _, f := range w.others {
		if _, own := w.found[keyOf(f)]; !own {
			s.Faults = append(s.Faults, f)
		}
	}
	s.Held = slices.ContainsFunc(s.Faults, func(f schema.LogFault) bool { return f.Kind.Grave() })
	slices.SortFunc(s.Faults, compareFaults)
	return s
}

// compareFaults puts first what matters most.
func compareFaults(a, b schema.LogFault) int {
	if a.Kind.Grave() != b.Kind.Grave() {
		if a.Kind.Grave() {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.From, b.From), strings.Compare(string(a.Kind), string(b.Kind)))
}

// Err is nil where the log is what was witnessed, else a permanent [schema.CodeCorrupt] that names the first fault.
func (w *Witness) Err() error {
	s := w.State()
	if len(s.Faults) == 0 {
		return nil
	}
	more := ""
	if n := len(s.Faults) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more: siltstone log)", n)
	}
	return schema.Permanent(schema.CodeCorrupt, nil, "%s%s; restore it, or go on with it as it is: siltstone log accept", s.Faults[0], more)
}

const (
	tagSize     = 8
	blockSize   = 4096 // sequences a block
	keyBlock    = "block."
	keyFaults   = "faults"
	keyAccepted = "accepted"
	maxFaults   = 100 // that are remembered of a kind; a whole disk may be damaged
	sampleSize  = 64  // entries outside of the last block that a start reads
)

// tag is what is remembered of an entry.
type tag [tagSize]byte

// noTag stands where there is nothing to compare, unseenTag where an entry must have been that nobody could read.
var (
	noTag     tag
	unseenTag = tag{255, 255, 255, 255, 255, 255, 255, 255}
)

// tagOf is never the tag of nothing.
func tagOf(seq uint64, subject string, h nats.Header) tag {
	sum := sha256.New()
	var n [8]byte
	field := func(s string) {
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		sum.Write(n[:])
		sum.Write([]byte(s))
	}
	binary.BigEndian.PutUint64(n[:], seq)
	sum.Write(n[:])
	field(subject)
	keys := make([]string, 0, len(h))
	for k := range h {
		if strings.HasPrefix(k, "Silt-") || k == HeaderTrace {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		field(k)
		for _, v := range h[k] {
			field(v)
		}
	}
	t := tag(sum.Sum(nil)[:tagSize])
	if t == noTag || t == unseenTag {
		t[0] = 1
	}
	return t
}

// tagBlock is the tags of up to blockSize sequences, from number*blockSize+1.
type tagBlock struct {
	number  uint64
	created time.Time // of the stream
	tags    []byte
}

// storedBlock is a block as the store keeps it. Sum covers the rest: a witness that was damaged itself accuses nobody.
type storedBlock struct {
	Created time.Time `json:"created"`
	Tags    []byte    `json:"tags"`
	Sum     string    `json:"sum"`
}

func blockOf(seq uint64) uint64       { return (seq - 1) / blockSize }
func (b *tagBlock) first() uint64     { return b.number*blockSize + 1 }
func (b *tagBlock) len() uint64       { return uint64(len(b.tags)) / tagSize }
func (b *tagBlock) last() uint64      { return b.number*blockSize + b.len() }
func (b *tagBlock) full() bool        { return b.len() == blockSize }
func (b *tagBlock) append(t tag)      { b.tags = append(b.tags, t[:]...) }
func (b *tagBlock) has(s uint64) bool { return s >= b.first() && s <= b.last() }
func (b *tagBlock) at(s uint64) tag   { return tag(b.tags[(s-b.first())*tagSize:]) }
func (b *tagBlock) clear(s uint64)    { copy(b.tags[(s-b.first())*tagSize:], noTag[:]) }
func (b *tagBlock) blank() bool {
	return !slices.ContainsFunc(b.tags, func(x byte) bool { return x != 0 })
}
func (b *tagBlock) key() string { return fmt.Sprintf("%s%010d", keyBlock, b.number) }

// tagAt is the tag of a sequence, noTag where b is nil or does not have it.
func (b *tagBlock) tagAt(s uint64) tag {
	if b == nil || !b.has(s) {
		return noTag
	}
	return b.at(s)
}

func (s *storedBlock) sum(number uint64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d ", number, s.Created.UnixNano())
	h.Write(s.Tags)
	return hex.EncodeToString(h.Sum(nil))
}

// block loads a block, nil where there is none.
func (w *Witness) block(ctx context.Context, number uint64) (*tagBlock, error) {
	b := &tagBlock{number: number}
	raw, err := w.store.Load(ctx, b.key())
	if err != nil {
		return nil, fmt.Errorf("load %s of the witness: %w", b.key(), err)
	}
	if raw == nil {
		return nil, nil
	}
	var s storedBlock
	if err := json.Unmarshal(raw, &s); err != nil || s.Sum != s.sum(number) || len(s.Tags)%tagSize != 0 || len(s.Tags) > blockSize*tagSize {
		return nil, schema.Permanent(schema.CodeCorrupt, err, "%s of the witness of the log is damaged: remove it, and the log is taken as it is there", b.key())
	}
	b.created, b.tags = s.Created, s.Tags
	return b, nil
}

func (w *Witness) save(ctx context.Context, b *tagBlock) error {
	s := storedBlock{Created: b.created.UTC(), Tags: b.tags}
	s.Sum = s.sum(b.number)
	raw, err := json.Marshal(s)
	if err == nil {
		err = w.store.Save(ctx, b.key(), raw)
	}
	if err != nil {
		return fmt.Errorf("save %s of the witness: %w", b.key(), err)
	}
	return nil
}

// remove removes a block, and tells which is the oldest then.
func (w *Witness) remove(ctx context.Context, b *tagBlock) error {
	if err := w.store.Save(ctx, b.key(), nil); err != nil {
		return fmt.Errorf("remove %s of the witness: %w", b.key(), err)
	}
	if b.number == w.first {
		w.first++
	}
	return nil
}

// load finds where the witness ends: in its newest block.
func (w *Witness) load(ctx context.Context) error {
	keys, err := w.store.Keys(ctx)
	if err != nil {
		return fmt.Errorf("list what was witnessed: %w", err)
	}
	newest := uint64(0)
	some := false
	w.first = math.MaxUint64
	for _, k := range keys {
		var n uint64
		if _, err := fmt.Sscanf(k, keyBlock+"%d", &n); err == nil && strings.HasPrefix(k, keyBlock) {
			newest, some = max(newest, n), true
			w.first = min(w.first, n)
		}
	}
	w.end, w.tail = 0, nil
	if !some {
		w.first = 0
		return nil
	}
	if w.tail, err = w.block(ctx, newest); err != nil {
		return err
	}
	if w.tail != nil {
		w.end = w.tail.last()
	}
	return nil
}

// refresh takes in what other processes have witnessed since.
func (w *Witness) refresh(ctx context.Context) error {
	for {
		number := blockOf(w.end + 1)
		b, err := w.block(ctx, number)
		if err != nil {
			return err
		}
		if b == nil || b.last() <= w.end {
			if w.tail == nil || w.tail.number != number {
				w.tail = &tagBlock{number: number}
			}
			if b != nil {
				w.tail = b
			}
			return nil
		}
		w.tail, w.end = b, b.last()
		if !b.full() {
			return nil
		}
	}
}
