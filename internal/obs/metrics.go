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
