package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Bounds of an append. A batch commit costs one sync whatever its size, a single one each; the batch has a fixed
// cost of its own, so that below minBatch singles are as fast.
const (
	minBatch       = 16
	maxBatch       = 1000     // the server's limit
	maxBatchBytes  = 16 << 20 // well below what a stream buffers (128 MiB)
	maxBatchesOpen = 8        // of this process; the server takes 50 a stream
	maxRefusals    = 8        // of one batch: enough to find a duplicate or two; with more of them singles are faster
	appendTimeout  = 10 * time.Second
)

// Appended is what became of one event of an [Log.Append].
type Appended struct {
	Seq       uint64 // log sequence: of this event, or with Duplicate of the first one with its id
	Duplicate bool   // the same id and body was there already: the same answer as then
	Err       error  // *schema.Error; Seq then names the entry in the way, where there is one
}

// Append writes evs to the log and returns one result an event, in order, once all are on disk or refused. The
// envelope must be complete but for UUID, Version and BodyHash, which are filled in where empty; the body is kept
// byte for byte, in the log or, above [MaxRawInLog], in the blobs. An id seen within the dedupe window is a
// Duplicate where the body is the same, and a permanent [schema.CodeConflict] where it is another. One event's
// fault does not touch the others. A retryable error leaves open whether the event was stored; the same call
// again settles it. It blocks up to about ten seconds, less where ctx ends, and is safe for concurrent use.
//
// From 16 events on they travel as atomic batches, which a server that syncs every write syncs once. A batch with a
// single duplicate is refused whole, and the refusal names no culprit. Singles that are duplicates are cheap,
// since nothing is written. So ids that this process appended of late go as singles from the start; after a
// refusal singles probe from the front as long as they meet duplicates, in growing steps (another process took
// the first try of a request that comes again whole); then what is left is halved, and each half tried again. The
// server's fast batch would drop duplicates one by one, but answers no sequence per message and syncs each one.
//
// Measured with BenchmarkAppend on a server that syncs, 1 kB bodies, two shared cores, a disk that syncs in
// 0.1–0.3 ms, events a second: single ones one at a time 3,800, 256 under way 2,000–10,000 (as the disk went);
// batches of 16 4,400, of 64 10,000, of 256 15,000, of 1,000 22,000; batches of 1,000 that share one id with what
// another process appended 15,000, ten 5,000, all of them 6,000; with this process's own, ten 12,000, all 42,000.
// On a disk that syncs in 1.4 ms, measured earlier: singles 600, batches of 64 2,500, of 256 7,800, fast batches of
// 256 600. So the gain is what the disk makes it: 2 to 20 times.
func (l *Log) Append(ctx context.Context, evs []schema.Event) []Appended {
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	out := make([]Appended, len(evs))
	todo := make([]entry, 0, len(evs))
	seen := make(map[string]bool, len(evs))
	var again []entry // ids of this very call or of late: singles, after the first one is in
	for i := range evs {
		e, err := l.prepare(ctx, evs[i])
		if err != nil {
			out[i].Err = err
			continue
		}
		e.out = &out[i]
		if _, known := l.recent.get(e.uuid); known || seen[e.uuid] {
			again = append(again, e)
			continue
		}
		seen[e.uuid] = true
		todo = append(todo, e)
	}
	all := append(slices.Clone(todo), again...)
	crash.At(crash.AppendBegin)
	for len(todo) > 0 {
		n, bytes := 0, 0
		for n < len(todo) && n < maxBatch && (n == 0 || bytes+todo[n].size <= maxBatchBytes) {
			bytes += todo[n].size
			n++
		}
		refusals := maxRefusals
		l.batch(ctx, todo[:n], &refusals)
		todo = todo[n:]
	}
	l.singles(ctx, again)
	for _, e := range all {
		if e.out.Err == nil {
			l.recent.put(e.uuid, firstEntry{e.out.Seq, e.hash})
		}
	}
	crash.At(crash.AppendDone)
	return out
}

// entry is an event on its way into the log.
type entry struct {
	subject string
	header  nats.Header
	body    []byte
	size    int
	uuid    string
	hash    string
	out     *Appended
}

// msg is a fresh message each time: publishing in a batch writes batch headers and a reply subject into it.
func (e *entry) msg() *nats.Msg {
	h := make(nats.Header, len(e.header)+4)
	for k, v := range e.header {
		h[k] = v
	}
	h[jetstream.MsgIDHeader] = []string{LogMsgID(e.uuid)}
	return &nats.Msg{Subject: e.subject, Header: h, Data: e.body}
}

func (l *Log) prepare(ctx context.Context, ev schema.Event) (entry, error) {
	hash := schema.Hash(ev.Body)
	if ev.BodyHash == "" {
		ev.BodyHash = hash
	}
	if ev.UUID == "" {
		ev.UUID = schema.EventUUID(ev.Tenant, ev.ID)
	}
	if ev.Version == 0 {
		ev.Version = schema.Version
	}
	switch {
	case len(ev.Body) == 0:
		return entry{}, schema.Invalid("body", "must not be empty")
	case ev.BodyHash != hash:
		return entry{}, schema.Permanent(schema.CodeCorrupt, nil, "body does not match its hash")
	case ev.Generation != 0 || ev.Seq != 0 || ev.Attempt != 0 || ev.Low != 0 || ev.Epoch != 0:
		return entry{}, schema.Permanent(schema.CodeInternal, nil, "a derived event does not belong into the log")
	}
	// What could not be read again must not get in: the log is for ever.
	if _, err := ParseEnvelope(Headers(ev.Envelope)); err != nil {
		return entry{}, err
	}
	switch ev.Op {
	case schema.OpTurn, schema.OpMemory, schema.OpPin, schema.OpForget, schema.OpTool, schema.OpSetting, schema.OpErase, schema.OpArchive:
	default:
		return entry{}, schema.Invalid(HeaderOp, "%q is not an operation of the log", ev.Op)
	}
	h, body, err := l.blobs.encode(ctx, stageRaw, ev, MaxRawInLog)
	if err != nil {
		return entry{}, err
	}
	return entry{
		subject: LogSubject(ev.Tenant, ev.User, ev.Op), header: h, body: body, size: len(body) + 1024, uuid: ev.UUID, hash: hash,
	}, nil
}

// batch appends es, at most maxBatch of them. refusals is how many more may be borne before what is left goes as
// singles.
func (l *Log) batch(ctx context.Context, es []entry, refusals *int) {
	if len(es) < minBatch || *refusals == 0 {
		l.singles(ctx, es)
		return
	}
	ack, err := l.commit(ctx, es)
	if err == nil {
		first := ack.Sequence - uint64(len(es)) + 1 // a batch is stored without a gap
		for i := range es {
			es[i].out.Seq = first + uint64(i)
		}
		return
	}
	switch {
	case errors.Is(err, jetstreamext.ErrBatchPublishDuplicateMsgID):
		*refusals--
		l.apart(ctx, es, refusals)
	case errors.Is(err, jetstreamext.ErrBatchPublishNotEnabled), errors.Is(err, jetstreamext.ErrAtomicPublishTooManyInflight),
		errors.Is(err, jetstreamext.ErrBatchPublishTooManyInflight), errors.Is(err, jetstreamext.ErrBatchPublishExceedsLimit),
		errors.Is(err, jetstreamext.ErrBatchPublishIncomplete):
		l.singles(ctx, es)
	default:
		err = fmt.Errorf("append batch to log: %w", mapError(err))
		for i := range es {
			es[i].out.Err = err
		}
	}
}

// apart appends es, a batch that was refused for a duplicate: see [Log.Append].
func (l *Log) apart(ctx context.Context, es []entry, refusals *int) {
	for step := 1; len(es) > 0; step *= 2 {
		n := min(step, len(es))
		l.singles(ctx, es[:n])
		fresh := false
		for _, e := range es[:n] {
			fresh = fresh || e.out.Err == nil && !e.out.Duplicate
		}
		es = es[n:]
		if fresh {
			break
		}
	}
	l.batch(ctx, es[:len(es)/2], refusals)
	l.batch(ctx, es[len(es)/2:], refusals)
}

func (l *Log) commit(ctx context.Context, es []entry) (*jetstreamext.BatchAck, error) {
	select {
	case l.inflight <- struct{}{}:
		defer func() { <-l.inflight }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	msgs := make([]*nats.Msg, len(es))
	for i := range es {
		msgs[i] = es[i].msg()
	}
	return jetstreamext.PublishMsgBatch(ctx, l.js, msgs)
}

// singles appends es one message each, all under way at once.
func (l *Log) singles(ctx context.Context, es []entry) {
	futures := make([]jetstream.PubAckFuture, len(es))
	for i := range es {
		f, err := l.js.PublishMsgAsync(es[i].msg(), jetstream.WithExpectStream(StreamLog), jetstream.WithStallWait(appendTimeout))
		if err != nil {
			es[i].out.Err = fmt.Errorf("append to log: %w", mapError(err))
			continue
		}
		futures[i] = f
	}
	for i, f := range futures {
		if f == nil {
			continue
		}
		select {
		case ack := <-f.Ok():
			if i+1 < len(futures) {
				crash.At(crash.AppendPart)
			}
			es[i].out.Seq = ack.Sequence
			if ack.Duplicate {
				l.duplicate(ctx, &es[i])
			}
		case err := <-f.Err():
			es[i].out.Err = fmt.Errorf("append to log: %w", mapError(err))
		case <-ctx.Done():
			es[i].out.Err = fmt.Errorf("append to log: %w", mapError(ctx.Err()))
		}
	}
}

// duplicate decides what a second event with a known id is, by the hash of the first one's body.
func (l *Log) duplicate(ctx context.Context, e *entry) {
	if first, ok := l.recent.get(e.uuid); ok && first.seq == e.out.Seq && first.hash == e.hash {
		e.out.Duplicate = true
		return
	}
	m, err := l.stream.GetMsg(ctx, e.out.Seq)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		// Erased, and the window outlives it: the id stays taken.
		e.out.Err = &schema.Error{Code: schema.CodeConflict, Field: "id", Message: "the id belonged to an event that was erased"}
		return
	case err != nil:
		e.out.Err = fmt.Errorf("compare with log entry %d: %w", e.out.Seq, mapError(err))
		return
	}
	if h := m.Header[HeaderHash]; len(h) == 1 && h[0] == e.hash {
		e.out.Duplicate = true
		return
	}
	e.out.Err = &schema.Error{Code: schema.CodeConflict, Field: "id", Message: "the id is taken by an event with another body"}
	// The refused body's blob is nobody's. Failing to remove it costs space only.
	_ = l.blobs.Delete(ctx, e.header)
}

// firstEntry is where an id was first appended, and with what.
type firstEntry struct {
	seq  uint64
	hash string
}

// recent remembers the ids that this process appended last, at least half and at most all of maxRecent. It only
// saves work: an id in it goes as a single, and the server decides.
type recent struct {
	mu       sync.Mutex
	cur, old map[string]firstEntry
}

const maxRecent = 64 << 10

func (r *recent) get(uuid string) (firstEntry, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.cur[uuid]
	if !ok {
		e, ok = r.old[uuid]
	}
	return e, ok
}

func (r *recent) put(uuid string, e firstEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cur == nil || len(r.cur) >= maxRecent/2 {
		r.cur, r.old = make(map[string]firstEntry), r.cur
	}
	r.cur[uuid] = e
}
