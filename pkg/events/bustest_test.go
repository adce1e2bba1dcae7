package events

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// rig is a server with the streams that the bus moves between, in the shape of the topology, with one durable on
// the log.
type rig struct {
	t       testing.TB
	js      jetstream.JetStream
	metrics *Metrics
	reg     *prometheus.Registry
	logs    *logLines
}

const rigDurable = "clean_1"

func newRig(t testing.TB, js jetstream.JetStream, consumer jetstream.ConsumerConfig) *rig {
	t.Helper()
	reg := prometheus.NewRegistry()
	m, err := NewMetrics(reg)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, js: js, metrics: m, reg: reg, logs: &logLines{}}
	r.stream(jetstream.StreamConfig{Name: StreamLog, Subjects: []string{SubjectsLog}})
	r.stream(jetstream.StreamConfig{Name: StreamDLQ, Subjects: []string{SubjectsDLQ}})
	r.stream(DefaultTopology().retries())
	r.durable(StreamLog, rigDurable, consumer)
	return r
}

func startRig(t testing.TB, consumer jetstream.ConsumerConfig, opts ...eventstest.Option) *rig {
	t.Helper()
	nc := eventstest.Conn(t, eventstest.Server(t, opts...))
	js, err := OpenJetStream(nc)
	if err != nil {
		t.Fatal(err)
	}
	return newRig(t, js, consumer)
}

func (r *rig) stream(cfg jetstream.StreamConfig) {
	r.t.Helper()
	if _, err := r.js.CreateStream(r.t.Context(), cfg); err != nil {
		r.t.Fatalf("create stream %s: %v", cfg.Name, err)
	}
}

func (r *rig) durable(stream, name string, cfg jetstream.ConsumerConfig) {
	r.t.Helper()
	cfg.Durable, cfg.AckPolicy = name, jetstream.AckExplicitPolicy
	if cfg.AckWait == 0 {
		cfg.AckWait = 30 * time.Second
	}
	if cfg.MaxDeliver == 0 {
		cfg.MaxDeliver = -1
	}
	if _, err := r.js.CreateConsumer(r.t.Context(), stream, cfg); err != nil {
		r.t.Fatalf("create consumer %s: %v", name, err)
	}
}

func (r *rig) info(stream, durable string) *jetstream.ConsumerInfo {
	r.t.Helper()
	c, err := r.js.Consumer(r.t.Context(), stream, durable)
	if err != nil {
		r.t.Fatalf("look up consumer %s: %v", durable, err)
	}
	return c.CachedInfo()
}

func (r *rig) stored(stream string) uint64 {
	r.t.Helper()
	s, err := r.js.Stream(r.t.Context(), stream)
	if err != nil {
		r.t.Fatalf("look up stream %s: %v", stream, err)
	}
	return s.CachedInfo().State.Msgs
}

// append puts events e0, e1 … into the log.
func (r *rig) append(n int) []schema.Event {
	r.t.Helper()
	evs := make([]schema.Event, n)
	for i := range evs {
		evs[i] = testEvent(fmt.Sprintf("e%d", i), []byte("{}"))
		r.put(evs[i])
	}
	return evs
}

func (r *rig) put(ev schema.Event) {
	r.t.Helper()
	m := logMsg(ev)
	if _, err := r.js.PublishMsg(r.t.Context(), m); err != nil {
		r.t.Fatalf("append to log: %v", err)
	}
}

// route runs a router with one handler on the rig's durable until the test ends.
func (r *rig) route(cfg HandlerConfig, rc RouterConfig, fn Handler) *Router {
	r.t.Helper()
	rc.JS, rc.Metrics = r.js, r.metrics
	rc.Logger = slog.New(slog.NewTextHandler(r.logs, nil))
	router, err := NewRouter(rc)
	if err != nil {
		r.t.Fatal(err)
	}
	if cfg.Name == "" {
		cfg.Name = StageClean
	}
	if cfg.Stream == "" {
		cfg.Stream, cfg.Durable = StreamLog, rigDurable
	}
	if cfg.Backoff.Min == 0 {
		cfg.Backoff = Backoff{Min: 10 * time.Millisecond, Max: 50 * time.Millisecond, Rand: Seeded(1)}
	}
	if err := router.Handle(cfg, fn); err != nil {
		r.t.Fatal(err)
	}
	runRouter(r.t, router)
	return router
}

func runRouter(t testing.TB, router *Router) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- router.Run(context.Background()) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := router.Close(ctx); err != nil {
			t.Errorf("close router: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("run router: %v", err)
		}
	})
	<-router.Running()
}

func (r *rig) handled(stage string, o Outcome) int {
	return int(metricValue(r.metrics.handled.WithLabelValues(stage, string(o))))
}

// letters are the dead letters so far.
func (r *rig) letters() []DeadLetter {
	r.t.Helper()
	s, err := r.js.Stream(r.t.Context(), StreamDLQ)
	if err != nil {
		r.t.Fatal(err)
	}
	var out []DeadLetter
	for seq := uint64(1); seq <= s.CachedInfo().State.LastSeq; seq++ {
		m, err := s.GetMsg(r.t.Context(), seq)
		if err != nil {
			r.t.Fatal(err)
		}
		d, err := ParseDeadLetter(m.Header, m.Data, m.Time)
		if err != nil {
			r.t.Fatal(err)
		}
		if want := DLQSubject(d.Stage, d.Event.Tenant, ""); d.Event.UUID != "" && !strings.HasPrefix(m.Subject, want[:len(want)-1]) {
			r.t.Errorf("dead letter is under %s, want it under %s", m.Subject, want)
		}
		out = append(out, d)
	}
	return out
}

// settled waits until nothing of the durable is open.
func (r *rig) settled(stream, durable string, floor uint64) {
	r.t.Helper()
	eventstest.Eventually(r.t, 15*time.Second, fmt.Sprintf("ack floor of %s reaches %d", durable, floor), func() bool {
		i := r.info(stream, durable)
		return i.AckFloor.Stream >= floor && i.NumAckPending == 0
	})
}

// counter counts by key.
type counter struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counter) add(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = make(map[string]int)
	}
	c.n[k]++
	return c.n[k]
}

func (c *counter) total() (keys, sum int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.n {
		sum += n
	}
	return len(c.n), sum
}

// logLines keeps what was logged.
type logLines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// testEvent is an entry of the log.
func testEvent(id string, body []byte) schema.Event {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	return schema.Event{
		Envelope: schema.Envelope{
			Version: schema.Version, UUID: schema.EventUUID("acme", id), ID: id, Op: schema.OpTurn, Tenant: "acme", User: "ann",
			At: at, Accepted: at, Class: schema.ClassUser, BodyHash: schema.Hash(body),
		},
		Body: body,
	}
}

func logMsg(ev schema.Event) *nats.Msg {
	h := Headers(ev.Envelope)
	h[jetstream.MsgIDHeader] = []string{LogMsgID(ev.UUID)}
	return &nats.Msg{Subject: LogSubject(ev.Tenant, ev.User, ev.Op), Header: h, Data: ev.Body}
}

// metricValue is what a counter or gauge stands at.
func metricValue(m prometheus.Metric) float64 {
	var d dto.Metric
	if err := m.Write(&d); err != nil {
		return -1
	}
	return d.GetCounter().GetValue() + d.GetGauge().GetValue()
}

// abandon takes the first n messages once from every durable of the log, answers for none, and waits until the
// server gives them out again.
func (r *rig) abandon(n int) {
	r.t.Helper()
	s, err := r.js.Stream(r.t.Context(), StreamLog)
	if err != nil {
		r.t.Fatal(err)
	}
	names := s.ConsumerNames(r.t.Context())
	for name := range names.Name() {
		cons, err := r.js.Consumer(r.t.Context(), StreamLog, name)
		if err != nil {
			r.t.Fatal(err)
		}
		b, err := cons.Fetch(n, jetstream.FetchMaxWait(5*time.Second))
		if err != nil {
			r.t.Fatal(err)
		}
		got := 0
		for range b.Messages() {
			got++
		}
		if got != n {
			r.t.Fatalf("took %d messages of %s, want %d", got, name, n)
		}
	}
}

// noAccounts checks that nothing is remembered of messages that are settled.
func (r *rig) noAccounts() {
	r.t.Helper()
	kv, err := r.js.KeyValue(r.t.Context(), BucketRetries)
	if err != nil {
		r.t.Fatal(err)
	}
	if keys, err := kv.ListKeys(r.t.Context()); err != nil {
		r.t.Error(err)
	} else if k, left := <-keys.Keys(); left {
		r.t.Errorf("account %s is left", k)
	}
}
