package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// fake is every port at once. It decodes turns as intake does and refuses the id "down".
type fake struct {
	mu      sync.Mutex // calls that the edge has given up go on
	seq     uint64
	tenants []string
	panics  bool
	queried schema.Query
}

func (f *fake) Publish(_ context.Context, tenant string, raws [][]byte) ([]schema.Accepted, []error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	acc, errs := make([]schema.Accepted, len(raws)), make([]error, len(raws))
	for i, r := range raws {
		f.tenants = append(f.tenants, tenant)
		t, err := schema.Decode[schema.Turn](r)
		if err == nil && t.ID == "down" {
			err = schema.Retryable(schema.CodeUnavailable, 3e9, errors.New("secret inside"), "the log does not answer")
		}
		if err != nil {
			errs[i] = err
			continue
		}
		f.seq++
		acc[i] = schema.Accepted{ID: t.ID, Seq: f.seq}
	}
	return acc, errs
}

func (f *fake) Query(_ context.Context, _ string, q schema.Query) (schema.Reply, error) {
	if f.panics {
		panic("memory text")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queried = q
	return schema.Reply{Items: []schema.Item{}, Degraded: []string{}}, nil
}

func (f *fake) Memories(_ context.Context, _ string, q schema.MemoryQuery) (schema.MemoryPage, error) {
	return schema.MemoryPage{Items: []schema.Item{{ID: q.User + q.Text}}}, nil
}

func (f *fake) Raw(_ context.Context, _, id string) ([]byte, error) {
	if id != "a/b" {
		return nil, &schema.Error{Code: schema.CodeNotFound, Message: "no such event"}
	}
	return []byte("{\"x\":1}\n"), nil
}

func (f *fake) EventStatus(context.Context, string, string, bool) (schema.EventStatus, error) {
	return schema.EventStatus{}, errors.New("inside detail")
}

func newTest(t *testing.T, f *fake) http.Handler {
	t.Helper()
	h, err := New(Config{
		Addr: "127.0.0.1:8317", MaxTurn: 1000, MaxBatch: 5000, MaxOpen: 4, MaxBuffer: 64 << 10,
		ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Health: &obs.Health{}, Publisher: f, Querier: f, Events: f,
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func call(h http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:8317"+path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestErrorsAreOneShape(t *testing.T) {
	for _, c := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		code, field              string
	}{
		{"bad field", "POST", "/v1/events", `{"user":"u","inptu":"x"}`, nil, 400, "invalid", "inptu"},
		{"too large", "POST", "/v1/events", `{"user":"u","input":"` + strings.Repeat("x", 1000) + `"}`, nil, 413, "too_large", ""},
		{"unavailable", "POST", "/v1/events", `{"id":"down","user":"u","input":"x"}`, nil, 503, "unavailable", ""},
		{"bad tenant", "POST", "/v1/events", `{"user":"u","input":"x"}`, []string{"X-Silt-Tenant", "a b"}, 400, "invalid", "tenant"},
		{"empty tenant", "POST", "/v1/events", `{"user":"u","input":"x"}`, []string{"X-Silt-Tenant", ""}, 400, "invalid", "X-Silt-Tenant"},
		{"bad wait", "POST", "/v1/events?wait=now", `{"user":"u","input":"x"}`, nil, 400, "invalid", "wait"},
		{"query without user", "POST", "/v1/query", `{"query":"x"}`, nil, 400, "invalid", "user"},
		{"unknown parameter", "GET", "/v1/memories?user=u&limits=3", "", nil, 400, "invalid", "limits"},
		{"no such event", "GET", "/v1/events/none", "", nil, 404, "not_found", ""},
		{"no such path", "GET", "/v2/x", "", nil, 404, "not_found", ""},
		{"wrong method", "DELETE", "/v1/query", "", nil, 405, "method_not_allowed", ""},
		{"foreign host", "GET", "/v1/memories?user=u", "", []string{"Host", "evil.example"}, 403, "denied", "Host"},
		{"foreign origin", "POST", "/v1/query", `{"user":"u","query":""}`, []string{"Origin", "http://evil.example"}, 403, "denied", "Origin"},
		{"inside stays inside", "GET", "/v1/events/x/status", "", nil, 500, "internal", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := call(newTest(t, &fake{}), c.method, c.path, c.body, c.header...)
			var e struct {
				Error   schema.WireError
				Request string `json:"request_id"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
				t.Fatalf("not JSON: %s", w.Body)
			}
			if w.Code != c.status || string(e.Error.Code) != c.code || e.Error.Field != c.field {
				t.Errorf("got %d %s %q, want %d %s %q", w.Code, e.Error.Code, e.Error.Field, c.status, c.code, c.field)
			}
			if e.Request == "" || e.Request != w.Header().Get("X-Request-Id") {
				t.Errorf("request id %q, header %q", e.Request, w.Header().Get("X-Request-Id"))
			}
			if strings.Contains(w.Body.String(), "inside") {
				t.Errorf("the inside of an error shows: %s", w.Body)
			}
			if c.status == 503 && w.Header().Get("Retry-After") != "3" {
				t.Errorf("Retry-After %q, want 3", w.Header().Get("Retry-After"))
			}
		})
	}
}

func TestBatchRejectsLinesByNumber(t *testing.T) {
	f := &fake{}
	body := "{\"id\":\"1\",\"user\":\"u\",\"input\":\"x\"}\r\n\n{\"user\":\"u\"}\n" + strings.Repeat("y", 2000) + "\n{\"id\":\"4\",\"user\":\"u\",\"input\":\"z\"}"
	w := call(newTest(t, f), "POST", "/v1/events", body, "Content-Type", "application/x-ndjson", "X-Silt-Tenant", "acme")
	var r schema.BatchReply
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != 202 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if len(r.Accepted) != 2 || r.Accepted[0].ID != "1" || r.Accepted[1].ID != "4" {
		t.Errorf("accepted %+v", r.Accepted)
	}
	if len(r.Rejected) != 2 || r.Rejected[0].Line != 3 || r.Rejected[0].Error.Field != "input" || r.Rejected[1].Line != 4 || r.Rejected[1].Error.Code != schema.CodeTooLarge {
		t.Errorf("rejected %+v", r.Rejected)
	}
	if f.tenants[0] != "acme" {
		t.Errorf("tenant %q", f.tenants[0])
	}
}

func TestBatchThatBreaksOffKeepsWhatWasAccepted(t *testing.T) {
	r := httptest.NewRequest("POST", "http://127.0.0.1:8317/v1/events", strings.NewReader(strings.Repeat("{\"user\":\"u\",\"input\":\"xxxxxxxxxxxxxxxxxxxx\"}\n", 200)))
	r.Header.Set("Content-Type", "application/x-ndjson")
	r.ContentLength = -1 // chunked: that it is over MaxBatch shows on the way
	w := httptest.NewRecorder()
	newTest(t, &fake{}).ServeHTTP(w, r)
	var b schema.BatchReply
	if err := json.Unmarshal(w.Body.Bytes(), &b); err != nil || w.Code != 202 {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	if len(b.Accepted) != 5000/44 || len(b.Rejected) != 1 || b.Rejected[0].Error.Code != schema.CodeTooLarge || b.Rejected[0].Line != len(b.Accepted)+1 {
		t.Errorf("accepted %d, rejected %+v", len(b.Accepted), b.Rejected)
	}
}

func TestRawEventKeepsItsBytes(t *testing.T) {
	w := call(newTest(t, &fake{}), "GET", "/v1/events/a%2Fb", "")
	if w.Code != 200 || w.Body.String() != "{\"x\":1}\n" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

func TestPanicIsAnswered(t *testing.T) {
	w := call(newTest(t, &fake{panics: true}), "POST", "/v1/query", `{"user":"u","query":"x"}`)
	if w.Code != 500 || strings.Contains(w.Body.String(), "memory text") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestReadyNamesWhatFails(t *testing.T) {
	health := &obs.Health{}
	health.Add("qdrant", func(context.Context) error { return errors.New("no answer") })
	h, err := New(Config{MaxTurn: 1, MaxBatch: 1, MaxOpen: 1, MaxBuffer: 2, ReadTimeout: time.Second, WriteTimeout: time.Second, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Health: health})
	if err != nil {
		t.Fatal(err)
	}
	if w := call(h, "GET", "/readyz", ""); w.Code != 503 || !strings.Contains(w.Body.String(), "qdrant") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := call(h, "GET", "/healthz", ""); w.Code != 200 {
		t.Errorf("healthz %d", w.Code)
	}
}
