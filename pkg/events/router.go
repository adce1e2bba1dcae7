package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Defaults of a handler.
const (
	DefaultMaxDeliver = 10
	DefaultHold       = 5 * time.Minute
)

// RouterConfig configures a [Router].
type RouterConfig struct {
	JS             jetstream.JetStream
	Logger         *slog.Logger         // nil discards
	Metrics        *Metrics             // nil counts nothing
	TracerProvider trace.TracerProvider // nil traces nothing

	// Bodies reads the bodies of messages that are claims: [Blobs]. Nil: there are no claims, bodies are handed on as
	// they are.
	Bodies Bodies

	// Budget bounds the bytes of the bodies that handlers work on; routers of one process may share it. Nil bounds
	// nothing.
	Budget *Budget

	// OnDead is told of an event that is dead, before it is copied to the dead letters and leaves its stream. Where
	// it or what follows fails, it is told again when the message comes again, so it must be idempotent; there is
	// one copy all the same. Nil: nobody is told. It is not called for a message that is no event at all.
	OnDead func(ctx context.Context, ev schema.Event, stage string, cause error) error

	// Suspects reports whether an event may be what ended the processes before this one ([Run.Suspects]). Such an event runs
	// alone, from the first delivery on, until the one that does it is found. Nil: what the server counts has to tell.
	Suspects func(ev schema.Event) bool

	// Middleware is put around every handler, the first outermost, inside our own. The event is EventFrom of the
	// message's context.
	Middleware []message.HandlerMiddleware

	DrainTimeout time.Duration // how long a close waits for handlers; default [DefaultDrainTimeout]
}

// Bodies is the claim check as a router uses it.
type Bodies interface {
	// Size is how many bytes the body has that h claims, 0 where h claims none.
	Size(ctx context.Context, h nats.Header) (int64, error)
	// Resolve is the body that a message stands for, body itself where h claims none.
	Resolve(ctx context.Context, h nats.Header, body []byte) ([]byte, error)
}

// HandlerConfig says what a handler consumes, and how.
type HandlerConfig struct {
	Name    string // stage: label of metrics, spans, logs and dead letters; lower-case letters
	Stream  string
	Durable string // must exist

	Generation int                                                           // set on events that carry none, as entries of the log do
	Window     int                                                           // messages in handlers at most; default [DefaultWindow]
	Batch      int                                                           // messages a pull asks for at most; default Window
	MaxBytes   int                                                           // bytes of the messages held at most; see [SubscriberConfig]
	MaxBody    int64                                                         // bytes of a body, claimed or not; a longer one is dead and never read. 0: no bound
	GiveUp     func(ctx context.Context, ev schema.Event, cause error) error // told of an event instead of burying it; it is acknowledged then. Idempotent; nil buries
	MaxDeliver int                                                           // deliveries that count against an event before it is dead; default [DefaultMaxDeliver]. Unanswered ones only make it suspected: it runs alone then
	Backoff    Backoff                                                       // delay before a further delivery, and between tries in place
	Hold       time.Duration                                                 // how long one delivery waits in place in an outage; default [DefaultHold]. Negative never: outages never count then
	DoubleAck  bool                                                          // see [SubscriberConfig]

	// Decode turns a message into an event; nil is [Decode]. For streams that others write.
	Decode func(d Delivery, h nats.Header, body []byte) (schema.Event, error)

	Rebind func(ctx context.Context) error // makes the durable anew where it is gone; see [SubscriberConfig]
}

// Handler handles one event. A nil error acknowledges it and [ErrDuplicate] does, too; a permanent
// [schema.Error] sends it to the dead letters at once; after any other error it is tried again, after the
// error's After or the backoff, whichever is longer, and what counts against it is told in the package's
// documentation. ctx tells the delivery ([DeliveryFrom]), carries the span, and is cancelled where the handler does
// not end within the drain. Handlers run concurrently and more than once for an event. A handler never waits inside
// for events that other handlers of the router settle; it returns [Wait].
type Handler func(ctx context.Context, ev schema.Event) error

// Router runs handlers over durables: a Watermill router with our Subscriber below it and our middleware in it.
// All methods are safe for concurrent use.
type Router struct {
	cfg    RouterConfig
	log    *slog.Logger
	tracer trace.Tracer
	wm     *message.Router
	idle   *idleSubscriber
	dead   *Publisher

	quarantine quarantine

	done chan struct{} // closed when Run returns

	mu      sync.Mutex
	ctx     context.Context // of Run; nil before
	subs    map[string]*Subscriber
	handles map[string]*message.Handler
	added   int // handlers, ever
	closed  bool
}

// NewRouter checks cfg and returns a Router without handlers.
func NewRouter(cfg RouterConfig) (*Router, error) {
	if cfg.JS == nil {
		return nil, errors.New("create router: JS is missing")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.DrainTimeout == 0 {
		cfg.DrainTimeout = DefaultDrainTimeout
	}
	wm, err := message.NewRouter(message.RouterConfig{CloseTimeout: cfg.DrainTimeout + 4*forceTimeout}, wmLogger{cfg.Logger})
	if err != nil {
		return nil, fmt.Errorf("create router: %w", err)
	}
	dead, err := NewPublisher(PublisherConfig{JS: cfg.JS, Metrics: cfg.Metrics, Name: "dlq"})
	if err != nil {
		return nil, fmt.Errorf("create router: %w", err)
	}
	r := &Router{
		cfg: cfg, log: cfg.Logger, wm: wm, dead: dead, done: make(chan struct{}), idle: newIdleSubscriber(),
		quarantine: quarantine{js: cfg.JS, suspects: cfg.Suspects},
		subs:       make(map[string]*Subscriber), handles: make(map[string]*message.Handler),
	}
	if cfg.TracerProvider != nil {
		r.tracer = cfg.TracerProvider.Tracer("github.com/siltstone-ai/siltstone/pkg/events")
	}
	wm.AddConsumerHandler("idle", "idle", r.idle, func(*message.Message) error { return nil })
	return r, nil
}

// Handle adds a handler and binds to its durable; it fails where that does not exist, is configured in a way that
// loses or repeats messages, or has a handler already. On a running router the handler starts at once.
func (r *Router) Handle(cfg HandlerConfig, fn Handler) error {
	if cfg.Name == "" || cfg.Stream == "" || cfg.Durable == "" || fn == nil {
		return errors.New("add handler: name, stream, durable and function are required")
	}
	if cfg.MaxDeliver <= 0 {
		cfg.MaxDeliver = DefaultMaxDeliver
	}
	if cfg.Hold == 0 {
		cfg.Hold = DefaultHold
	}
	if cfg.Decode == nil {
		cfg.Decode = func(d Delivery, h nats.Header, body []byte) (schema.Event, error) { return Decode(h, body, d.Sequence) }
	}
	cfg.Backoff = cfg.Backoff.withDefaults()
	sub, err := NewSubscriber(SubscriberConfig{
		JS: r.cfg.JS, Window: cfg.Window, Batch: cfg.Batch, MaxBytes: cfg.MaxBytes, Backoff: cfg.Backoff, DoubleAck: cfg.DoubleAck,
		DrainTimeout: r.cfg.DrainTimeout, Logger: r.log, Metrics: r.cfg.Metrics, Name: cfg.Name,
		Resolve: func(string) (string, string, error) { return cfg.Stream, cfg.Durable, nil },
		Rebind:  rebindOf(cfg),
		open: func(l *lease) {
			l.event, l.err = cfg.Decode(l.delivery, l.raw.Header, l.raw.Data)
			if l.event.Generation == 0 {
				l.event.Generation = cfg.Generation
			}
		},
	})
	if err != nil {
		return fmt.Errorf("add handler %s: %w", cfg.Name, err)
	}
	name := cfg.Stream + "/" + cfg.Durable
	prepared, err := sub.prepare(context.Background(), name)
	if err != nil {
		return fmt.Errorf("add handler %s: %w", cfg.Name, err)
	}
	h := &handler{
		cfg: cfg, r: r, fn: fn, metrics: r.cfg.Metrics.stage(cfg.Name), share: r.cfg.Budget.share(),
		log: r.log.With("stage", cfg.Name, "stream", cfg.Stream, "durable", cfg.Durable),
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return fmt.Errorf("add handler %s: %w", cfg.Name, ErrClosed)
	}
	if _, taken := r.subs[name]; taken {
		return fmt.Errorf("add handler %s: %s has a handler already", cfg.Name, name)
	}
	r.added++ // Watermill knows one that was stopped before the router ran until it runs, and takes no name twice
	wh := r.wm.AddConsumerHandler(name+"#"+strconv.Itoa(r.added), name, boundSubscriber{sub, prepared}, h.handle)
	wh.AddMiddleware(h.settle, h.observe, h.trace, h.hold, h.open)
	wh.AddMiddleware(r.cfg.Middleware...)
	wh.AddMiddleware(recoverPanics)
	r.subs[name], r.handles[name] = sub, wh
	if r.ctx == nil {
		return nil
	}
	<-r.wm.Running()
	if err := r.wm.RunHandlers(r.ctx); err != nil {
		return fmt.Errorf("add handler %s: %w", cfg.Name, err)
	}
	return nil
}

func rebindOf(cfg HandlerConfig) func(context.Context, string) error {
	if cfg.Rebind == nil {
		return nil
	}
	return func(ctx context.Context, _ string) error { return cfg.Rebind(ctx) }
}

// Stop ends the handler of one durable and waits until it has drained, at most until ctx ends; then its handlers'
// contexts are cancelled. The router goes on. Stopping what is not there does nothing, and what has not begun, since the
// router does not run yet, never begins.
func (r *Router) Stop(ctx context.Context, stream, durable string) error {
	name := stream + "/" + durable
	r.mu.Lock()
	sub, wh, running := r.subs[name], r.handles[name], r.ctx != nil
	delete(r.subs, name)
	delete(r.handles, name)
	r.mu.Unlock()
	if sub == nil {
		return nil
	}
	unhook := context.AfterFunc(ctx, sub.Abort)
	defer unhook()
	err := sub.Close()
	if !running {
		return err
	}
	select {
	case <-r.wm.Running(): // a router that is just beginning has not started all handlers
	case <-r.done: // it did not come to that
		return err
	}
	wh.Stop()
	<-wh.Stopped()
	return err
}

// Run runs the handlers until ctx ends or [Router.Close] is called, then drains: nothing more is pulled, what no
// handler has taken goes back at once, and what handlers have is waited for. It returns after that. It can be
// called once.
func (r *Router) Run(ctx context.Context) error {
	defer close(r.done)
	run := context.WithoutCancel(ctx)
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return fmt.Errorf("run router: %w", ErrClosed)
	}
	r.ctx = run
	r.mu.Unlock()
	unhook := context.AfterFunc(ctx, func() {
		if err := r.shut(); err != nil {
			r.log.Error("router did not close in time", "error", err)
		}
	})
	defer unhook()
	if err := r.wm.Run(run); err != nil {
		return fmt.Errorf("run router: %w", err)
	}
	return nil
}

// Running is closed once all handlers pull.
func (r *Router) Running() <-chan struct{} { return r.wm.Running() }

// Close drains as the end of Run's context does and waits for it; where ctx ends before, the contexts of
// handlers are cancelled.
func (r *Router) Close(ctx context.Context) error {
	unhook := context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, s := range r.subs {
			s.Abort()
		}
	})
	defer unhook()
	err := r.shut()
	r.mu.Lock()
	ran := r.ctx != nil
	r.mu.Unlock()
	if ran {
		<-r.done
	}
	return err
}

func (r *Router) shut() error {
	r.mu.Lock()
	r.closed = true
	ran := r.ctx != nil
	r.mu.Unlock()
	if !ran {
		return nil
	}
	<-r.wm.Running()
	return r.wm.Close()
}

// boundSubscriber is a Subscriber whose one consumer was bound before, so that starting it cannot fail half-way.
type boundSubscriber struct {
	*Subscriber
	sub *subscription
}

// Subscribe of one that was closed before has no messages and is no error: the others of its router run.
func (b boundSubscriber) Subscribe(ctx context.Context, _ string) (<-chan *message.Message, error) {
	out, err := b.start(ctx, b.sub)
	if errors.Is(err, ErrClosed) {
		none := make(chan *message.Message)
		close(none)
		return none, nil
	}
	return out, err
}

// idleSubscriber never has a message. Watermill's router ends with its last handler; this one keeps it running
// while there is none.
type idleSubscriber struct {
	once sync.Once
	out  chan *message.Message
}

func newIdleSubscriber() *idleSubscriber { return &idleSubscriber{out: make(chan *message.Message)} }

// Subscribe's channel is closed with ctx too: where a router is closed before it has begun to watch for that, it
// ends only the context.
func (s *idleSubscriber) Subscribe(ctx context.Context, _ string) (<-chan *message.Message, error) {
	context.AfterFunc(ctx, func() { _ = s.Close() })
	return s.out, nil
}

func (s *idleSubscriber) Close() error {
	s.once.Do(func() { close(s.out) })
	return nil
}

// wmLogger passes Watermill's log on one level lower: its Info is about its own inner life. Unlike Watermill's
// adapter it costs nothing where the level is off.
type wmLogger struct{ log *slog.Logger }

func (l wmLogger) Error(msg string, err error, f watermill.LogFields) {
	l.put(slog.LevelError, msg, f, "error", err)
}
func (l wmLogger) Info(msg string, f watermill.LogFields)  { l.put(slog.LevelDebug, msg, f) }
func (l wmLogger) Debug(msg string, f watermill.LogFields) { l.put(slog.LevelDebug, msg, f) }
func (l wmLogger) Trace(string, watermill.LogFields)       {}
func (l wmLogger) With(f watermill.LogFields) watermill.LoggerAdapter {
	return wmLogger{l.log.With(attrs(f)...)}
}

func (l wmLogger) put(level slog.Level, msg string, f watermill.LogFields, more ...any) {
	if l.log.Enabled(context.Background(), level) {
		l.log.Log(context.Background(), level, msg, append(attrs(f), more...)...)
	}
}

func attrs(f watermill.LogFields) []any {
	a := make([]any, 0, 2*len(f))
	for k, v := range f {
		a = append(a, k, v)
	}
	return a
}
