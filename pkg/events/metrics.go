package events

import (
	"fmt"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Outcome is what became of one delivery, as handled_total counts it.
type Outcome string

// Outcomes of a delivery.
const (
	OutcomeOK        Outcome = "ok"        // done and acknowledged
	OutcomeRetry     Outcome = "retry"     // given back, to come again
	OutcomeDead      Outcome = "dead"      // in the dead letters
	OutcomeGivenUp   Outcome = "given_up"  // nothing more is tried, and nothing is lost by it
	OutcomeDuplicate Outcome = "duplicate" // the handler had done it before ([ErrDuplicate])
)

// Metrics counts what the bus does, by stage. A nil *Metrics counts nothing. Safe for concurrent use.
type Metrics struct {
	handled   *prometheus.CounterVec
	redeliver *prometheus.CounterVec
	pubDup    *prometheus.CounterVec
	ackErrs   *prometheus.CounterVec
	beatErrs  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	inflight  *prometheus.GaugeVec
	oldest    *prometheus.Desc

	mu   sync.Mutex
	subs map[*subscription]struct{}
}

// NewMetrics registers the metrics of the bus on reg. A process does so once and shares them between its
// routers and publishers.
func NewMetrics(reg prometheus.Registerer) (*Metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "silt", Subsystem: "events", Name: name, Help: help}, labels)
	}
	m := &Metrics{
		handled:   counter("handled_total", "Deliveries by what became of them: ok, retry, dead, given_up, duplicate.", "stage", "outcome"),
		redeliver: counter("redelivered_total", "Deliveries of messages that had been delivered before.", "stage"),
		pubDup:    counter("publish_duplicate_total", "Publishes that the stream had already.", "stage"),
		ackErrs:   counter("ack_errors_total", "Acknowledgements that could not be sent or were not confirmed.", "stage"),
		beatErrs:  counter("heartbeat_errors_total", "Signs of life for held messages that could not be sent.", "stage"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "silt", Subsystem: "events", Name: "handler_seconds", Help: "Time in the handler.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"stage"}),
		inflight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: "silt", Subsystem: "events", Name: "inflight", Help: "Messages in handlers.",
		}, []string{"stage"}),
		oldest: prometheus.NewDesc("silt_events_oldest_held_seconds", "Age of the message that this process has held longest.", []string{"stage"}, nil),
		subs:   make(map[*subscription]struct{}),
	}
	for _, c := range []prometheus.Collector{m.handled, m.redeliver, m.pubDup, m.ackErrs, m.beatErrs, m.seconds, m.inflight, oldestHeld{m}} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics of the bus: %w", err)
		}
	}
	return m, nil
}

func (m *Metrics) redelivered(stage string) {
	if m != nil {
		m.redeliver.WithLabelValues(stage).Inc()
	}
}

func (m *Metrics) publishDuplicate(stage string) {
	if m != nil {
		m.pubDup.WithLabelValues(stage).Inc()
	}
}

func (m *Metrics) ackError(stage string) {
	if m != nil {
		m.ackErrs.WithLabelValues(stage).Inc()
	}
}

func (m *Metrics) heartbeatError(stage string) {
	if m != nil {
		m.beatErrs.WithLabelValues(stage).Inc()
	}
}

func (m *Metrics) watch(s *subscription) {
	if m != nil {
		m.mu.Lock()
		m.subs[s] = struct{}{}
		m.mu.Unlock()
	}
}

func (m *Metrics) unwatch(s *subscription) {
	if m != nil {
		m.mu.Lock()
		delete(m.subs, s)
		m.mu.Unlock()
	}
}

// oldestHeld reads the ages at scrape time.
type oldestHeld struct{ m *Metrics }

func (o oldestHeld) Describe(ch chan<- *prometheus.Desc) { ch <- o.m.oldest }

func (o oldestHeld) Collect(ch chan<- prometheus.Metric) {
	o.m.mu.Lock()
	defer o.m.mu.Unlock()
	ages := make(map[string]float64)
	for s := range o.m.subs {
		ages[s.name] = max(ages[s.name], s.oldest())
	}
	for stage, age := range ages {
		ch <- prometheus.MustNewConstMetric(o.m.oldest, prometheus.GaugeValue, age, stage)
	}
}

// stageMetrics are the metrics of one handler, looked up once. A nil one counts nothing.
type stageMetrics struct {
	outcome  map[Outcome]prometheus.Counter
	seconds  prometheus.Observer
	inflight prometheus.Gauge
}

func (m *Metrics) stage(name string) *stageMetrics {
	if m == nil {
		return nil
	}
	s := &stageMetrics{outcome: make(map[Outcome]prometheus.Counter), seconds: m.seconds.WithLabelValues(name), inflight: m.inflight.WithLabelValues(name)}
	for _, o := range []Outcome{OutcomeOK, OutcomeRetry, OutcomeDead, OutcomeGivenUp, OutcomeDuplicate} {
		s.outcome[o] = m.handled.WithLabelValues(name, string(o))
	}
	return s
}
