package obs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

func TestTraceHTTP(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	mux := http.NewServeMux()
	var inside trace.SpanContext
	mux.HandleFunc("GET /v1/events/{id}", func(w http.ResponseWriter, r *http.Request) {
		inside = trace.SpanContextFromContext(r.Context())
		w.WriteHeader(http.StatusServiceUnavailable)
		w.WriteHeader(http.StatusOK) // a second one does not count
	})
	mux.HandleFunc("GET /v1/fine", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") })
	h := TraceHTTP(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)), mux)
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, path := range []string{"/v1/events/secret-id?q=secret-words", "/v1/fine", "/secret-place", "/healthz", "/readyz", "/metrics"} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("traceparent", parent)
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	got := spans.GetSpans()
	if len(got) != 3 {
		t.Fatalf("%d spans, want 3", len(got))
	}
	for i, want := range []struct {
		name   string
		status int64
	}{{"GET /v1/events/{id}", 503}, {"GET /v1/fine", 200}, {"HTTP", 404}} {
		s := got[i]
		attrs := map[string]any{}
		for _, a := range s.Attributes {
			attrs[string(a.Key)] = a.Value.AsInterface()
			if strings.Contains(a.Value.String(), "secret") {
				t.Errorf("attribute %s holds %s", a.Key, a.Value.String())
			}
		}
		if s.Name != want.name || attrs["http.response.status_code"] != want.status || s.SpanKind != trace.SpanKindServer || s.Parent.SpanID().String() != parent[36:52] {
			t.Errorf("span %q, %v, under %s", s.Name, attrs, s.Parent.SpanID())
		}
	}
	if inside.SpanID() != got[0].SpanContext.SpanID() || inside.TraceID().String() != parent[3:35] {
		t.Errorf("the handler runs under %v", inside)
	}
	if bad, fine := got[0].Status.Code, got[1].Status.Code; bad == fine {
		t.Errorf("a failed request has status %v like a good one", bad)
	}
	if TraceHTTP(nil, mux) != http.Handler(mux) {
		t.Error("without a provider the handler is wrapped")
	}
}

// Spans reach the collector's /v1/traces at the latest when the provider ends; what is not sampled does not.
func TestTracerProviderSends(t *testing.T) {
	var paths []string
	var bodies bytes.Buffer
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.Method+" "+r.URL.Path)
		_, _ = io.Copy(&bodies, r.Body)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer srv.Close()
	for ratio, want := range map[float64]bool{0: false, 1: true} {
		paths = nil
		bodies.Reset()
		tp, shut, err := NewTracerProvider(t.Context(), TraceConfig{URL: srv.URL, Ratio: ratio, Service: "under-test", Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		_, span := tp.Tracer("x").Start(t.Context(), "some-span")
		span.End()
		if err := shut(t.Context()); err != nil {
			t.Fatal(err)
		}
		if sent := len(paths) == 1 && paths[0] == "POST /v1/traces" && strings.Contains(bodies.String(), "some-span") && strings.Contains(bodies.String(), "under-test"); sent != want {
			t.Errorf("ratio %v: sent %v (%v)", ratio, sent, paths)
		}
	}
}

// A collector that is away holds up the end no longer than its context, and is told of in our log.
func TestTracerProviderWithoutCollector(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	var log bytes.Buffer
	tp, shut, err := NewTracerProvider(t.Context(), TraceConfig{URL: srv.URL + "/elsewhere", Ratio: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	_, span := tp.Tracer("x").Start(t.Context(), "some-span")
	span.End()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := shut(ctx); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "spans are lost") || !strings.Contains(log.String(), "spans=1") {
		t.Errorf("log: %s", log.String())
	}
}

type refusing struct{ asked int }

func (r *refusing) RoundTrip(*http.Request) (*http.Response, error) {
	r.asked++
	return nil, errors.New("address refused")
}

// Spans go where the client that was given goes, and nowhere else.
func TestTracesGoThroughTheClientGiven(t *testing.T) {
	hits := 0
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ }))
	defer srv.Close()
	var log bytes.Buffer
	via := &refusing{}
	tp, shut, err := NewTracerProvider(t.Context(), TraceConfig{URL: srv.URL, Ratio: 1, Client: &http.Client{Transport: via}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	_, span := tp.Tracer("x").Start(t.Context(), "some-span")
	span.End()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_ = shut(ctx) // what it could not send is in the log
	if via.asked == 0 || hits != 0 {
		t.Errorf("the client was asked %d times, the server %d", via.asked, hits)
	}
}
