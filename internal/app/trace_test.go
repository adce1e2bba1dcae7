package app_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// One trace leads from the client's request over the HTTP edge and intake to every stage, and no span holds what
// the user said.
func TestOneTraceSpansThePipeline(t *testing.T) {
	const needle, traceID, clientSpan = "heliotrope", "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	spans := tracetest.NewInMemoryExporter()
	tp := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")), func(o *app.Options) { o.Tracer = tp })

	body := `{"id":"t-1","user":"ann","input":"My favourite flower is the ` + needle + `."}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/events", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("traceparent", "00-"+traceID+"-"+clientSpan+"-01")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("answered with %s", resp.Status)
	}

	// name of a span → name of the one above it; the fact of the input gives decide something to do
	want := map[string]string{
		"POST /v1/events": "", "process clean": "POST /v1/events", "process vectorize": "process clean",
		"process extract": "process clean", "process distill": "process clean", "process decide": "process distill",
	}
	var got map[string]tracetest.SpanStub
	stacktest.Eventually(t, "the trace to be whole", func() error {
		got = map[string]tracetest.SpanStub{}
		for _, sp := range spans.GetSpans() {
			if sp.SpanContext.TraceID().String() == traceID {
				got[sp.Name] = sp
			}
		}
		for name := range want {
			if _, ok := got[name]; !ok {
				return fmt.Errorf("no span %s among %d", name, len(got))
			}
		}
		return nil
	})
	for name, above := range want {
		parent := clientSpan
		if above != "" {
			parent = got[above].SpanContext.SpanID().String()
		}
		if id := got[name].Parent.SpanID().String(); id != parent {
			t.Errorf("%s lies under span %s, want under %q", name, id, above)
		}
	}

	// A plain publish begins a trace of its own, which goes on in the stages.
	nc := stacktest.Dial(t, s.Connect(t))
	if err := nc.Publish(events.InSubject("default"), []byte(`{"user":"ann","input":"The `+needle+` bloomed."}`)); err != nil {
		t.Fatal(err)
	}
	stacktest.Eventually(t, "the plain publish to be traced", func() error {
		all := spans.GetSpans()
		for _, in := range all {
			for _, sp := range all {
				if in.Name == "process intake" && sp.Name == "process clean" && sp.Parent.SpanID() == in.SpanContext.SpanID() {
					return nil
				}
			}
		}
		return fmt.Errorf("no trace leads from intake to clean in %d spans", len(all))
	})
	for _, sp := range spans.GetSpans() {
		holds := func(kvs []attribute.KeyValue) bool {
			for _, kv := range kvs {
				if strings.Contains(kv.Value.String(), needle) || strings.Contains(kv.Value.String(), "flower") {
					return true
				}
			}
			return false
		}
		text := holds(sp.Attributes) || strings.Contains(sp.Name+sp.Status.Description, needle)
		for _, e := range sp.Events {
			text = text || holds(e.Attributes)
		}
		if text {
			t.Errorf("span %s holds what the user said: %v", sp.Name, sp.Attributes)
		}
	}
}

// Where traces go is checked as every address is that this program calls.
func TestTracesAreNotSentToMetadataAddresses(t *testing.T) {
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Trace.URL = "http://169.254.169.254:4318"
	err := app.Run(t.Context(), app.Options{Config: cfg, Logger: slog.New(slog.DiscardHandler)})
	if !errors.Is(err, app.ErrConfig) || !strings.Contains(err.Error(), "trace.url") {
		t.Errorf("answered with %v", err)
	}
}
