package obs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// NewRegistry returns a registry with the figures of the Go runtime and the process.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})) // a fresh registry takes both
	return r
}

// QueryMetrics counts queries. Safe for concurrent use.
type QueryMetrics struct {
	seconds  *prometheus.HistogramVec
	degraded *prometheus.CounterVec
	items    prometheus.Histogram
}

// NewQueryMetrics registers the metrics of the read side on reg.
func NewQueryMetrics(reg prometheus.Registerer) (*QueryMetrics, error) {
	m := &QueryMetrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "silt_query_seconds", Help: "Time to answer a query, by mode and outcome (ok, stale, error).",
			Buckets: prometheus.ExponentialBuckets(.001, 2, 13),
		}, []string{"mode", "outcome"}),
		degraded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "silt_query_degraded_total", Help: "Queries answered without one of their parts, by part.",
		}, []string{"part"}),
		items: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "silt_query_items", Help: "Items of a reply.", Buckets: []float64{0, 1, 2, 5, 10, 20, 50, 100},
		}),
	}
	for _, c := range []prometheus.Collector{m.seconds, m.degraded, m.items} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Observe counts one query. degraded names the parts that failed on the way.
func (m *QueryMetrics) Observe(mode, outcome string, took time.Duration, items int, degraded []string) {
	m.seconds.WithLabelValues(mode, outcome).Observe(took.Seconds())
	m.items.Observe(float64(items))
	for _, d := range degraded {
		m.degraded.WithLabelValues(d).Inc()
	}
}

// ModelMetrics count what a language model was asked. Safe for concurrent use.
type ModelMetrics struct {
	calls  *prometheus.CounterVec
	tokens prometheus.Counter
	took   prometheus.Histogram
}

// NewModelMetrics registers them on reg.
func NewModelMetrics(reg prometheus.Registerer) (*ModelMetrics, error) {
	m := &ModelMetrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "silt_llm_calls_total", Help: "Calls of the language model by outcome (answered, malformed, failed), and texts that nobody was asked about (kept, over_budget).",
		}, []string{"outcome"}),
		tokens: prometheus.NewCounter(prometheus.CounterOpts{Name: "silt_llm_tokens_total", Help: "Tokens of questions to the language model and of its answers."}),
		took:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "silt_llm_seconds", Help: "Time of a call of the language model.", Buckets: prometheus.ExponentialBuckets(.05, 2, 13)}),
	}
	for _, c := range []prometheus.Collector{m.calls, m.tokens, m.took} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Observe counts one call, or one text that none was made about, of which took is 0.
func (m *ModelMetrics) Observe(outcome string, tokens int, took time.Duration) {
	m.calls.WithLabelValues(outcome).Inc()
	m.tokens.Add(float64(max(tokens, 0)))
	if took > 0 {
		m.took.Observe(took.Seconds())
	}
}
