package obs

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// TraceConfig says where spans go.
type TraceConfig struct {
	URL     string       // of an OTLP/HTTP endpoint; without a path, /v1/traces is meant
	Ratio   float64      // share of the traces that begin here, 0–1; one that was begun elsewhere is followed as it says
	Service string       // service.name
	Client  *http.Client // which reaches the endpoint and no other place; nil: the library's own
	Logger  *slog.Logger
}

// sendLimit bounds one request to the collector.
const sendLimit = 10 * time.Second

// NewTracerProvider returns a provider that sends spans to c.URL in the background, and what sends the rest and ends
// it. A collector that does not answer costs spans and a line in the log, never a request. It does not touch the
// network itself. Headers are taken from the standard variables OTEL_EXPORTER_OTLP_*, and where Client is nil TLS and
// the proxy, too.
func NewTracerProvider(ctx context.Context, c TraceConfig) (trace.TracerProvider, func(context.Context) error, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, nil, fmt.Errorf("read address for traces: %w", err)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	opts := []otlptracehttp.Option{otlptracehttp.WithEndpointURL(u.String()), otlptracehttp.WithTimeout(sendLimit)}
	if c.Client != nil {
		limited := *c.Client
		limited.Timeout = sendLimit // the option before does not reach it
		opts = append(opts, otlptracehttp.WithHTTPClient(&limited))
	}
	out, err := otlptracehttp.New(ctx, opts...)
	if err != nil {
		return nil, nil, fmt.Errorf("build exporter of traces: %w", err)
	}
	tp := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(loggedExporter{out, c.Logger}),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(c.Ratio))),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", c.Service))),
	)
	return tp, tp.Shutdown, nil
}

// loggedExporter tells our log of spans that are lost; the library would write to a log of its own.
type loggedExporter struct {
	sdktrace.SpanExporter
	log *slog.Logger
}

// ExportSpans implements sdktrace.SpanExporter.
func (e loggedExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := e.SpanExporter.ExportSpans(ctx, spans); err != nil {
		e.log.LogAttrs(ctx, slog.LevelWarn, "spans are lost", slog.Int("spans", len(spans)), slog.String(KeyError, err.Error()))
	}
	return nil
}

// TraceHTTP puts a span around every request that next serves, under the one that the request names. The span tells
// the route, not the path or the query: those hold ids and words of users. It belongs right around a ServeMux, which
// tells the route on the request itself. Probes and scrapes are left out. A nil tp leaves next as it is.
func TraceHTTP(tp trace.TracerProvider, next http.Handler) http.Handler {
	if tp == nil {
		return next
	}
	tracer := tp.Tracer("github.com/siltstone-ai/siltstone/internal/obs")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz", "/readyz", "/metrics":
			next.ServeHTTP(w, r)
			return
		}
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := tracer.Start(ctx, "HTTP", trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		r, sw := r.WithContext(ctx), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			if r.Pattern != "" {
				span.SetName(r.Pattern)
			}
			span.SetAttributes(attribute.String("http.route", r.Pattern), attribute.Int("http.response.status_code", sw.status))
			if sw.status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, http.StatusText(sw.status))
			}
		}()
		next.ServeHTTP(sw, r)
	})
}

// statusWriter keeps the status of a reply.
type statusWriter struct {
	http.ResponseWriter
	status  int
	written bool
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	if !w.written && status >= http.StatusOK { // 1xx come before the reply
		w.status, w.written = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
