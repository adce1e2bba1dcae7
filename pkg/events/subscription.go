package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// subscription is one bound consumer.
type subscription struct {
	cfg      *SubscriberConfig
	nc       *nats.Conn
	topic    string
	name     string
	stream   string
	durable  string
	log      *slog.Logger
	base     context.Context
	stopping <-chan struct{} // closed once no more is pulled
	out      chan *message.Message
	wake     chan struct{} // a slot became free
	empty    chan struct{} // nothing is held any more
	forced   <-chan struct{}
	ackWait  atomic.Int64
	seen     atomic.Int64 // when the server last said something, Unix nanoseconds

	mu          sync.Mutex
	held        map[*lease]struct{}
	outstanding int  // asked for, not yet delivered
	heldBytes   int  // of the messages held
	askedBytes  int  // that the pulls under way may bring
	round       int  // of pulls: all of those before it have ended
	tooLong     bool // the next message is longer than a pull let in
	closing     bool
	failed      error // why the session must end

	logMu      sync.Mutex
	logged     time.Time
	suppressed int
}

// bind looks the consumer up and refuses one that would lose or repeat messages.
func (s *subscription) bind(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bindTimeout)
	defer cancel()
	cons, err := s.cfg.JS.Consumer(ctx, s.stream, s.durable)
	if err != nil {
		return fmt.Errorf("bind consumer %s of %s: %w", s.durable, s.stream, err)
	}
	c := cons.CachedInfo().Config
	switch {
	case c.AckPolicy != jetstream.AckExplicitPolicy:
		err = errors.New("ack policy must be explicit")
	case c.MaxDeliver > 0:
		err = errors.New("max_deliver must be unlimited: the server would drop what should be dead-lettered")
	case len(c.BackOff) > 0:
		err = errors.New("back_off must be empty: it overrides the delay of a negative acknowledgement")
	case c.MaxAckPending > 0 && s.cfg.Batch > c.MaxAckPending:
		err = fmt.Errorf("a batch of %d is over max_ack_pending %d", s.cfg.Batch, c.MaxAckPending)
	case c.AckWait <= 0:
		err = errors.New("ack_wait is missing")
	}
	if err != nil {
		return fmt.Errorf("check consumer %s of %s: %w", s.durable, s.stream, err)
	}
	s.ackWait.Store(int64(c.AckWait))
	return nil
}

// run pulls until ctx ends, then drains.
func (s *subscription) run(ctx context.Context) {
	defer close(s.out)
	done := make(chan struct{})
	beats := sync.WaitGroup{}
	beats.Go(func() { s.heartbeat(done) })
	defer beats.Wait()
	defer close(done)
	s.cfg.Metrics.watch(s)
	defer s.cfg.Metrics.unwatch(s)

	failures := uint64(0)
	for ctx.Err() == nil {
		began := time.Now()
		err := s.session(ctx)
		if ctx.Err() != nil {
			break
		}
		if errors.Is(err, errReconnected) || time.Since(began) > 10*time.Second {
			failures = 0
		}
		if errors.Is(err, errReconnected) {
			continue
		}
		failures++
		s.fault("pull messages", err)
		s.recover(ctx, &failures)
	}
	s.drain()
}

// recover waits until the consumer answers again, ever longer between tries, and has it made anew where it is
// gone.
func (s *subscription) recover(ctx context.Context, failures *uint64) {
	wait := Backoff{Min: 20 * time.Millisecond, Max: 2 * time.Second, Jitter: 0.5, Rand: s.cfg.Backoff.Rand}
	for ; ctx.Err() == nil; *failures++ {
		err := s.bind(ctx)
		if gone := errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound); gone && s.cfg.Rebind != nil {
			if err = s.cfg.Rebind(ctx, s.topic); err == nil {
				err = s.bind(ctx)
			}
		}
		if err == nil && *failures <= 1 {
			return
		}
		t := time.NewTimer(wait.Delay(*failures))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
		if err == nil {
			return
		}
		s.fault("bind consumer", err)
	}
}

// heartbeat keeps every message held from being delivered to someone else, until done is closed.
func (s *subscription) heartbeat(done <-chan struct{}) {
	t := time.NewTimer(s.beatEvery())
	defer t.Stop()
	var ls []*lease
	for {
		select {
		case <-done:
			return
		case <-t.C:
		}
		ls = s.snapshot(ls[:0])
		for _, l := range ls {
			if err := l.beat(); err != nil {
				s.cfg.Metrics.heartbeatError(s.name)
				s.fault("extend lease", err)
			}
		}
		clear(ls)
		t.Reset(s.beatEvery())
	}
}

func (s *subscription) beatEvery() time.Duration { return time.Duration(s.ackWait.Load()) / 3 }

func (s *subscription) snapshot(ls []*lease) []*lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.held {
		ls = append(ls, l)
	}
	return ls
}

// oldest is the age in seconds of the message held longest.
func (s *subscription) oldest() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var age time.Duration
	for l := range s.held {
		age = max(age, time.Since(l.since))
	}
	return age.Seconds()
}

// deliver takes a message in; it never blocks.
func (s *subscription) deliver(m *nats.Msg) {
	d, err := parseAck(m.Subject, m.Reply)
	if err != nil { // no server of ours sends such a thing; it comes again after AckWait
		s.fault("read delivery", err)
		return
	}
	l := &lease{sub: s, raw: m, delivery: d, size: m.Size(), gone: make(chan struct{}), since: time.Now(), link: s.nc.Stats().Reconnects}
	l.ctx, l.cancel = context.WithCancel(context.WithValue(s.base, deliveryKey{}, l))
	l.msg = s.decode(l)
	l.msg.SetContext(l.ctx)
	if s.cfg.open != nil {
		s.cfg.open(l)
	}

	s.mu.Lock()
	s.came(1, l.size)
	starved := s.outstanding == 0
	took := !s.closing
	if took {
		s.held[l] = struct{}{}
		s.heldBytes += l.size
		select {
		case s.out <- l.msg:
		default: // more came than was asked for, after pulls of a lost session
			took = false
			delete(s.held, l)
			s.heldBytes -= l.size
		}
	}
	starved = starved && s.free() > 0
	s.mu.Unlock()
	if starved {
		poke(s.wake)
	}
	if !took {
		l.cancel()
		l.settle(nakBody)
		return
	}
	if d.NumDelivered > 1 {
		s.cfg.Metrics.redelivered(s.name)
	}
	if s.cfg.open == nil {
		go l.watch()
	}
}

func (s *subscription) decode(l *lease) *message.Message {
	h := l.raw.Header
	id := first(h, HeaderMessageUUID)
	if id == "" {
		id = first(h, jetstream.MsgIDHeader)
	}
	m := message.NewMessage(id, l.raw.Data)
	if s.cfg.open == nil {
		for k, v := range h {
			if len(v) > 0 && !reserved(k) && k != HeaderMessageUUID { // a repeated header is its first value
				m.Metadata[k] = v[0]
			}
		}
	}
	return m
}

func first(h nats.Header, key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// release frees the slot of a message that was answered.
func (s *subscription) release(l *lease) {
	s.mu.Lock()
	fitted := s.fits()
	if _, ok := s.held[l]; ok {
		delete(s.held, l)
		s.heldBytes -= l.size
	}
	free := s.free()
	enough := free >= s.low() || s.outstanding == 0 && free == 1 || !fitted && s.fits()
	none := len(s.held) == 0
	s.mu.Unlock()
	if enough {
		poke(s.wake)
	}
	if none {
		poke(s.empty)
	}
}

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// drain answers for everything still held. No message is delivered any more.
func (s *subscription) drain() {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	for taken := false; !taken; {
		select {
		case m := <-s.out:
			m.Context().Value(deliveryKey{}).(*lease).giveBack()
		default:
			taken = true
		}
	}
	if !s.await(s.cfg.DrainTimeout, s.forced) {
		for _, l := range s.snapshot(nil) {
			l.cancel()
		}
		if !s.await(forceTimeout, nil) {
			ls := s.snapshot(nil)
			for _, l := range ls {
				l.giveBack()
			}
			s.log.Warn("gave back messages that handlers did not finish", "count", len(ls))
			s.await(forceTimeout, nil)
		}
	}
	if err := s.nc.FlushTimeout(time.Second); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		s.log.Warn("acknowledgements may not have reached the server", "error", err)
	}
}

// await waits until nothing is held; false after the timeout or once cut is closed.
func (s *subscription) await(timeout time.Duration, cut <-chan struct{}) bool {
	t := time.NewTimer(timeout)
	defer t.Stop()
	for {
		s.mu.Lock()
		n := len(s.held)
		s.mu.Unlock()
		if n == 0 {
			return true
		}
		select {
		case <-s.empty:
		case <-cut:
			return false
		case <-t.C:
			return false
		}
	}
}

// logEvery bounds the rate of log lines about one subscription's troubles.
const logEvery = 30 * time.Second

// fault logs trouble that the subscription goes on after: the first at once, then one line every [logEvery].
func (s *subscription) fault(what string, err error) {
	s.logMu.Lock()
	now := time.Now()
	if !s.logged.IsZero() && now.Sub(s.logged) < logEvery {
		s.suppressed++
		s.logMu.Unlock()
		return
	}
	n := s.suppressed
	s.logged, s.suppressed = now, 0
	s.logMu.Unlock()
	s.log.Warn("subscription in trouble, going on", "action", what, "error", err, "suppressed", n)
}
