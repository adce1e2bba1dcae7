package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
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
	MaxBytes     int           // bytes of messages held at most, but one message is always let in; 0: no bound
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
// It holds at most Window messages of MaxBytes together and tells the server every third of AckWait that it still
// works on them, whether a handler has them or not. Ack acknowledges, Nack gives back with the delay of Backoff. When
// a subscription ends (its context, or Close), messages that nobody took go back at once, those in the hands of
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
	case cfg.Window < 0 || cfg.Batch < 0 || cfg.MaxBytes < 0:
		return nil, errors.New("create subscriber: Window, Batch and MaxBytes must not be negative")
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
