package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// What a run alone that nobody answered for weighs, and how much makes an event dead. A process that dies of whatever it works
// on, or is killed from without, proves little against the event in its hands; one whose stage had passed
// another event before proves twice as much.
const (
	blindRun  = 1
	provenRun = 2
	guilty    = 6
	rival     = guilty / 2 // what must not speak against another event of the stage where all runs were blind
)

// account is what is known of the deliveries of one message beside the server's count of them, which rises with
// every process that dies, every worker that stops and every outage. It is kept for messages that were given back,
// in the bucket SILT_RETRIES; all workers share it.
type account struct {
	Answered uint64   `json:"answered,omitempty"` // number of the last delivery that somebody answered for
	Tries    uint64   `json:"tries,omitempty"`    // deliveries that somebody answered for
	Failed   int      `json:"failed,omitempty"`   // deliveries that count against the event
	Alone    int      `json:"alone,omitempty"`    // what runs alone since Answered weigh
	Proven   bool     `json:"proven,omitempty"`   // others had passed in the same process before one of them
	Verdict  *verdict `json:"verdict,omitempty"`  // the event is dead, and some of what that takes is still to do

	stored bool // it is in the bucket
	unread bool // it could not be read, and must not be written over
}

// verdict is why an event is dead.
type verdict struct {
	Code   schema.Code `json:"code"`
	Reason string      `json:"reason"`
}

func verdictOf(cause error) *verdict { return &verdict{schema.CodeOf(cause), reasonOf(cause)} }

// cause is the verdict as the error that it was.
func (v *verdict) cause() error {
	return schema.Permanent(v.Code, nil, "%s", strings.TrimPrefix(v.Reason, string(v.Code)+": "))
}

// quarantine keeps the accounts, and finds the event that kills processes among those that were in the same
// process by chance.
//
// Deliveries alone do not tell: a process that dies leaves its whole window unanswered, and with it the delivery
// count of hundreds of innocent events rises each time. So an event of which MaxDeliver deliveries in a row went
// unanswered is not dead but suspected. It runs alone: no other handler of the router runs meanwhile, and the
// run is noted before. Any answer, a failure too, clears it. Suspects against which little speaks run first: so what an
// event alone does falls on it again and again while the others pass, and what ends processes whatever they work on falls
// on one event after the other. Whoever finds runs that weigh [guilty] takes it that the processes died of this event,
// unless they may have died of whatever they worked on: nothing of the stage had passed, and others of it weigh nearly as much.
//
// Where the streams go down with the process, no delivery is ever the second one. Then it is told from without which
// events are suspected, from their first delivery on ([RouterConfig.Suspects]), until one of them is found.
type quarantine struct {
	js       jetstream.JetStream
	suspects func(schema.Event) bool // nil: none from the first delivery on
	found    atomic.Bool             // the event that ended processes was found since the beginning
	line     lineup
	mu       sync.RWMutex // held for reading by handlers, for writing by a suspect's

	kvMu sync.Mutex
	kv   jetstream.KeyValue
}

// bucket opens the accounts; nil without an error where there is no such bucket.
func (q *quarantine) bucket(ctx context.Context) (jetstream.KeyValue, error) {
	q.kvMu.Lock()
	defer q.kvMu.Unlock()
	if q.kv != nil {
		return q.kv, nil
	}
	kv, err := q.js.KeyValue(ctx, BucketRetries)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open accounts of deliveries: %w", mapError(err))
	}
	q.kv = kv
	return kv, nil
}

// accountKey names a message: by its event, which a message that takes its place when a stream was lost has too; by what
// the stream knows of it where it is none. Sequences begin anew with a stream: the time tells the messages apart.
func accountKey(l *lease) string {
	d, ev := l.delivery, l.event
	if ev.UUID != "" {
		return schema.Token(d.Durable) + "." + ev.UUID + "." + strconv.FormatUint(ev.Seq, 10) + "." + strconv.Itoa(ev.Attempt)
	}
	return schema.Token(d.Durable) + "." + strconv.FormatUint(d.Sequence, 10) + "." + strconv.FormatInt(d.Stored.UnixNano(), 10)
}

// read loads the account of a message that was delivered before, or that is suspected from the first delivery on. Without a bucket the server's count has to do:
// every delivery before this one counts.
func (q *quarantine) read(l *lease, maxDeliver int) error {
	before := l.delivery.NumDelivered - 1
	if before == 0 && !q.suspected(l) {
		return nil
	}
	l.account.unread = true
	ctx, cancel := context.WithTimeout(l.ctx, bindTimeout)
	defer cancel()
	kv, err := q.bucket(ctx)
	if err != nil {
		return err
	}
	if kv == nil {
		l.account = account{Tries: before, Failed: int(before), Alone: max(int(before)-maxDeliver, 0)}
		return nil
	}
	e, err := kv.Get(ctx, accountKey(l))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		l.account.unread = false
		return nil
	}
	if err != nil {
		return fmt.Errorf("read account of deliveries: %w", mapError(err))
	}
	l.account = account{stored: true}
	if err := json.Unmarshal(e.Value(), &l.account); err != nil { // nobody else writes there; begin anew
		l.account = account{stored: true}
	}
	if l.account.Answered >= l.delivery.NumDelivered { // of a message that this one took the place of
		l.account.Answered = 0
	}
	return nil
}

// write stores the account.
func (q *quarantine) write(l *lease) error {
	if l.account.unread {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), bindTimeout)
	defer cancel()
	kv, err := q.bucket(ctx)
	if kv == nil || err != nil {
		return err
	}
	b, err := json.Marshal(l.account)
	if err != nil {
		return fmt.Errorf("encode account of deliveries: %w", err)
	}
	if _, err := kv.Put(ctx, accountKey(l), b); err != nil {
		return fmt.Errorf("store account of deliveries: %w", mapError(err))
	}
	l.account.stored = true
	return nil
}

// drop removes the account of a message that never comes again. One that stays does no harm and ages out.
func (q *quarantine) drop(l *lease) {
	if !l.account.stored && !l.account.unread {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), bindTimeout)
	defer cancel()
	if kv, err := q.bucket(ctx); kv != nil && err == nil {
		_ = kv.Purge(ctx, accountKey(l))
	}
}

// suspected reports whether the event of l is suspected whatever the server counts.
func (q *quarantine) suspected(l *lease) bool {
	return q.suspects != nil && l.event.UUID != "" && !q.found.Load() && q.suspects(l.event)
}

// suspect reports whether MaxDeliver deliveries in a row went unanswered, or it is known otherwise that the event may be
// what ends processes.
func (h *handler) suspect(l *lease) bool {
	return h.r.quarantine.suspected(l) || l.delivery.NumDelivered > l.account.Answered+uint64(h.cfg.MaxDeliver)
}

// runAlone runs a suspect while no other handler of the router runs.
func (h *handler) runAlone(m *message.Message, l *lease, next message.HandlerFunc) error {
	q := &h.r.quarantine
	if err := q.line.enter(l.ctx, l.account.Alone, &h.passed); err != nil {
		return err // cut off while it waited for its turn
	}
	defer q.line.leave()
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := l.ctx.Err(); err != nil {
		return err
	}
	convicted, err := q.convicts(h, l)
	if err != nil {
		return err
	}
	if convicted {
		q.found.Store(true)
		return schema.Permanent(schema.CodeInternal, nil, "ran alone again and again, and the process ended each time without an answer")
	}
	l.account.Alone += blindRun
	if h.passed.Load() > 0 {
		l.account.Alone += provenRun - blindRun
		l.account.Proven = true
	}
	if err := q.write(l); err != nil {
		return err
	}
	l.alone = true
	level := slog.LevelWarn
	if q.suspected(l) { // with all that were there with it
		level = slog.LevelDebug
	}
	h.log.Log(l.ctx, level, "event is suspected of ending processes and runs alone", h.ids(l, "weight", l.account.Alone)...)
	_, err = next(m)
	return err
}

// convicts reports whether the runs alone of an event show that the processes died of it. Runs before which nothing of the
// stage had passed may have ended as any would have. They are enough against an event beside which nothing is suspected and nothing passes;
// else it runs once more, until one of its runs came after others had passed.
func (q *quarantine) convicts(h *handler, l *lease) (bool, error) {
	if l.account.Alone < guilty {
		return false, nil
	}
	if l.account.Proven {
		return true, nil
	}
	if h.passed.Load() > 0 {
		return false, nil
	}
	found, err := q.rivals(l)
	return err == nil && !found, err
}

// rivals reports whether another event of the stage has an account that weighs [rival] or more.
func (q *quarantine) rivals(l *lease) (bool, error) {
	ctx, cancel := context.WithTimeout(l.ctx, bindTimeout)
	defer cancel()
	kv, err := q.bucket(ctx)
	if kv == nil || err != nil {
		return false, err
	}
	list, err := kv.ListKeysFiltered(ctx, schema.Token(l.delivery.Durable)+".>")
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("list accounts of deliveries: %w", mapError(err))
	}
	own := accountKey(l)
	found := false
	for key := range list.Keys() { // to its end, which stops the listing
		if found || key == own {
			continue
		}
		e, err := kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return false, errors.Join(fmt.Errorf("read account of deliveries: %w", mapError(err)), list.Stop())
		}
		var a account
		found = json.Unmarshal(e.Value(), &a) == nil && a.Alone >= rival
	}
	if err := ctx.Err(); err != nil { // the listing ends without a word
		return false, fmt.Errorf("list accounts of deliveries: %w", mapError(err))
	}
	return found, nil
}
