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

// Defaults of a subscription.
const (
	DefaultWindow       = 256
	DefaultDrainTimeout = 10 * time.Second

	ackTimeout   = 5 * time.Second // of a double acknowledgement
	forceTimeout = 2 * time.Second // between cancelling a handler and giving its message back
	bindTimeout  = 5 * time.Second
)

// ErrClosed is returned by a Subscriber or Router that was closed.
var ErrClosed = errors.New("subscriber is closed")

// SubscriberConfig configures a [Subscriber].
type SubscriberConfig struct {
	JS jetstream.JetStream

	// Resolve names the stream and the durable pull consumer behind a topic. Both must exist: a Subscriber binds
	// and never creates. Required.
	Resolve func(topic string) (stream, durable string, err error)

	Window       int           // messages held at most: delivered to this process and not answered; default 256
	Batch        int           // messages a pull asks for at most; default Window
	Backoff      Backoff       // delay after Nack
	DoubleAck    bool          // wait for the server to confirm each acknowledgement; costs a round trip a message
	DrainTimeout time.Duration // how long Close waits for messages in the hands of handlers; default 10 s

	// Rebind is called where the durable is found to be gone, before the Subscriber looks for it again: its owner
	// may create it anew from a checkpoint. It may be called again while it fails. Nil: wait until someone does.
	Rebind func(ctx context.Context, topic string) error

	Logger  *slog.Logger // nil discards
	Metrics *Metrics     // nil counts nothing
	Name    string       // label of metrics and logs; default the topic

	// open is the router's: it decodes the event here, on a stack that is grown already, and then answers for
	// messages itself, so that nobody needs to wait for Ack and Nack, and nobody reads Metadata.
	open func(*lease)
}

// Subscriber implements Watermill's message.Subscriber over durable pull consumers that exist.
//
// It holds at most Window messages and tells the server every third of AckWait that it still works on them,
// whether a handler has them or not. Ack acknowledges, Nack gives back with the delay of Backoff. When a
// subscription ends (its context, or Close), messages that nobody took go back at once, those in the hands of
// handlers get DrainTimeout, then their contexts are cancelled and they go back too. A deleted consumer, a
// restarted server or a lost connection is recovered from for as long as it takes.
//
// Messages may be handled in any order and concurrently; with Window and MaxAckPending of 1 they come one by
// one, in order. Delivery is at least once. All methods are safe for concurrent use.
type Subscriber struct {
	cfg    SubscriberConfig
	mu     sync.Mutex
	ctx    context.Context
	stop   context.CancelFunc
	wg     sync.WaitGroup
	forced chan struct{}
	once   sync.Once
}

var _ message.Subscriber = (*Subscriber)(nil)

// NewSubscriber checks cfg and returns a Subscriber. It does not touch the network.
func NewSubscriber(cfg SubscriberConfig) (*Subscriber, error) {
	switch {
	case cfg.JS == nil:
		return nil, errors.New("create subscriber: JS is missing")
	case cfg.Resolve == nil:
		return nil, errors.New("create subscriber: Resolve is missing")
	case cfg.Window < 0 || cfg.Batch < 0:
		return nil, errors.New("create subscriber: Window and Batch must not be negative")
	}
	if cfg.Window == 0 {
		cfg.Window = DefaultWindow
	}
	if cfg.Batch == 0 || cfg.Batch > cfg.Window {
		cfg.Batch = cfg.Window
	}
	if cfg.DrainTimeout == 0 {
		cfg.DrainTimeout = DefaultDrainTimeout
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.Backoff = cfg.Backoff.withDefaults()
	ctx, stop := context.WithCancel(context.Background())
	return &Subscriber{cfg: cfg, ctx: ctx, stop: stop, forced: make(chan struct{})}, nil
}

// Subscribe binds to the consumer behind topic and returns its messages. It fails where the consumer does not
// exist or is configured in a way that loses or repeats messages. The channel is closed when ctx is cancelled or
// the Subscriber is closed, after the drain.
func (s *Subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	sub, err := s.prepare(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
	}
	return s.start(ctx, sub)
}

// prepare binds to the consumer behind topic.
func (s *Subscriber) prepare(ctx context.Context, topic string) (*subscription, error) {
	stream, durable, err := s.cfg.Resolve(topic)
	if err != nil {
		return nil, err
	}
	name := s.cfg.Name
	if name == "" {
		name = topic
	}
	sub := &subscription{
		cfg: &s.cfg, nc: s.cfg.JS.Conn(), topic: topic, name: name, stream: stream, durable: durable,
		out: make(chan *message.Message, s.cfg.Window), wake: make(chan struct{}, 1),
		held: make(map[*lease]struct{}, s.cfg.Window), empty: make(chan struct{}, 1), forced: s.forced,
		log: s.cfg.Logger.With("stage", name, "stream", stream, "durable", durable),
	}
	return sub, sub.bind(ctx)
}

// start begins to pull.
func (s *Subscriber) start(ctx context.Context, sub *subscription) (<-chan *message.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", sub.topic, ErrClosed)
	}
	run, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(s.ctx, cancel)
	sub.base, sub.stopping = context.WithoutCancel(ctx), run.Done()
	s.wg.Go(func() {
		defer cancel()
		defer unhook()
		sub.run(run)
	})
	return sub.out, nil
}

// Close ends all subscriptions and waits until they have drained. It is idempotent.
func (s *Subscriber) Close() error {
	s.mu.Lock()
	s.stop()
	s.mu.Unlock()
	s.wg.Wait()
	return nil
}

// Abort ends the wait of a Close that is under way: handlers' contexts are cancelled now.
func (s *Subscriber) Abort() { s.once.Do(func() { close(s.forced) }) }

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
	outstanding int // asked for, not yet delivered
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
	l := &lease{sub: s, raw: m, delivery: d, gone: make(chan struct{}), since: time.Now(), link: s.nc.Stats().Reconnects}
	l.ctx, l.cancel = context.WithCancel(context.WithValue(s.base, deliveryKey{}, l))
	l.msg = s.decode(l)
	l.msg.SetContext(l.ctx)
	if s.cfg.open != nil {
		s.cfg.open(l)
	}

	s.mu.Lock()
	s.outstanding = max(s.outstanding-1, 0)
	starved := s.outstanding == 0
	took := !s.closing
	if took {
		s.held[l] = struct{}{}
		select {
		case s.out <- l.msg:
		default: // more came than was asked for, after pulls of a lost session
			took = false
			delete(s.held, l)
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
	delete(s.held, l)
	free := s.free()
	enough := free >= s.low() || s.outstanding == 0 && free == 1
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
