package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/siltstone-ai/siltstone/internal/embed"
	"github.com/siltstone-ai/siltstone/internal/embed/embeddertest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// request is what the fake server got.
type request struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

// server answers like an embeddings server, with the hashing embedder's vectors times three; spoil may answer
// instead and returns true then.
func server(t *testing.T, spoil func(w http.ResponseWriter, r *http.Request, req request, nth int) bool) (base string, calls *atomic.Int64) {
	t.Helper()
	h := embeddertest.NewHash(64)
	calls = new(atomic.Int64)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nth := int(calls.Add(1))
		var req request
		b, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(b, &req); err != nil || r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost {
			http.Error(w, "bad", http.StatusNotFound)
			return
		}
		if spoil != nil && spoil(w, r, req, nth) {
			return
		}
		answer(w, h, req.Input, nil)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1/", calls
}

// answer writes vectors; change may spoil them.
func answer(w http.ResponseWriter, h *embeddertest.Hash, texts []string, change func(data []map[string]any) []map[string]any) {
	vs, _ := h.Embed(context.Background(), texts, schema.EmbedPassage)
	var data []map[string]any
	for i, v := range vs {
		e := make([]any, len(v))
		for j, x := range v {
			e[j] = 3 * x
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": e})
	}
	if change != nil {
		data = change(data)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
}

func config(base string) embed.Config {
	return embed.Config{Provider: "openai", BaseURL: base, Model: "fake", Dim: 64, Batch: 4, Backoff: time.Millisecond, Key: "sekret"}
}

// TestProviders runs the common checks over every row of the table, so that a new row cannot be without.
func TestProviders(t *testing.T) {
	base, _ := server(t, nil)
	for _, p := range embed.Providers {
		for _, cache := range []int{0, 1 << 20} {
			t.Run(fmt.Sprintf("%s cache %d", p.Name, cache), func(t *testing.T) {
				cfg := config(base)
				cfg.Provider, cfg.CacheBytes = p.Name, cache
				e, err := embed.Open(t.Context(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				embeddertest.Run(t, e)
			})
		}
	}
	if _, err := embed.Open(t.Context(), embed.Config{Provider: "nope"}); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("an unknown provider gave %v", err)
	}
}

func TestOpenAIRequest(t *testing.T) {
	var mu sync.Mutex
	var got []request
	base, _ := server(t, func(w http.ResponseWriter, r *http.Request, req request, _ int) bool {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer sekret" {
			t.Errorf("authorization %q", r.Header.Get("Authorization"))
		}
		got = append(got, req)
		return false
	})
	cfg := config(base)
	cfg.Dim, cfg.QueryPrefix, cfg.PassagePrefix = 0, "query: ", "passage: "
	e, err := embed.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if e.Dim() != 64 || e.Model() != "fake" {
		t.Errorf("asked the server and learnt dimension %d of %s", e.Dim(), e.Model())
	}
	for _, k := range []schema.EmbedKind{schema.EmbedPassage, schema.EmbedQuery} {
		if _, err := e.Embed(t.Context(), []string{"a", "b", "c", "d", "e"}, k); err != nil {
			t.Fatal(err)
		}
	}
	var inputs []string
	for _, r := range got[1:] {
		inputs = append(inputs, strings.Join(r.Input, "|"))
	}
	want := []string{"passage: a|passage: b|passage: c|passage: d", "passage: e", "query: a|query: b|query: c|query: d", "query: e"}
	if !slices.Equal(inputs, want) {
		t.Errorf("batches %q, want %q", inputs, want)
	}
}

// TestOpenAIMisbehaving shows for every kind of bad server what the caller is told and how often it was asked.
func TestOpenAIMisbehaving(t *testing.T) {
	h := embeddertest.NewHash(64)
	status := func(code int, header ...string) func(http.ResponseWriter, *http.Request, request, int) bool {
		return func(w http.ResponseWriter, _ *http.Request, req request, _ int) bool {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"type": "some_type", "message": req.Input[0]}})
			return true
		}
	}
	spoiled := func(change func([]map[string]any) []map[string]any) func(http.ResponseWriter, *http.Request, request, int) bool {
		return func(w http.ResponseWriter, _ *http.Request, req request, _ int) bool {
			answer(w, h, req.Input, change)
			return true
		}
	}
	raw := func(s string) func(http.ResponseWriter, *http.Request, request, int) bool {
		return func(w http.ResponseWriter, _ *http.Request, _ request, _ int) bool {
			_, _ = io.WriteString(w, s)
			return true
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(http.ResponseWriter, *http.Request, request, int) bool
		code  schema.Code
		perm  bool
		calls int64
	}{
		{"wrong dimension", spoiled(func(d []map[string]any) []map[string]any { d[1]["embedding"] = []float64{1}; return d }), schema.CodeUnavailable, false, 1},
		{"null in a vector", spoiled(func(d []map[string]any) []map[string]any { d[0]["embedding"].([]any)[3] = nil; return d }), schema.CodeUnavailable, false, 1},
		{"too large for float32", spoiled(func(d []map[string]any) []map[string]any { d[0]["embedding"].([]any)[3] = 1e300; return d }), schema.CodeUnavailable, false, 1},
		{"zero vector", spoiled(func(d []map[string]any) []map[string]any { d[0]["embedding"] = make([]float64, 64); return d }), schema.CodeUnavailable, false, 1},
		{"short list", spoiled(func(d []map[string]any) []map[string]any { return d[:1] }), schema.CodeUnavailable, false, 1},
		{"index twice", spoiled(func(d []map[string]any) []map[string]any { d[1]["index"] = 0; return d }), schema.CodeUnavailable, false, 1},
		{"index beyond", spoiled(func(d []map[string]any) []map[string]any { d[1]["index"] = 7; return d }), schema.CodeUnavailable, false, 1},
		{"NaN is no JSON", raw(`{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}`), schema.CodeUnavailable, false, 1},
		{"no JSON", raw("<html>"), schema.CodeUnavailable, false, 1},
		{"endless", func(w http.ResponseWriter, _ *http.Request, _ request, _ int) bool {
			for range 64 {
				_, _ = io.WriteString(w, strings.Repeat(" ", 1<<16))
			}
			return true
		}, schema.CodeUnavailable, false, 1},
		{"400", status(400), schema.CodeInvalid, true, 1},
		{"413", status(413), schema.CodeInvalid, true, 1},
		{"401", status(401), schema.CodeUnavailable, false, 1},
		{"404", status(404), schema.CodeUnavailable, false, 1},
		{"redirect", status(307, "Location", "http://127.0.0.1:1/"), schema.CodeUnavailable, false, 1},
		{"429", status(429), schema.CodeOverloaded, false, 3},
		{"500", status(500), schema.CodeUnavailable, false, 3},
		{"503 for a minute", status(503, "Retry-After", "60"), schema.CodeUnavailable, false, 1},
		{"connection cut", func(w http.ResponseWriter, _ *http.Request, _ request, _ int) bool {
			panic(http.ErrAbortHandler)
		}, schema.CodeUnavailable, false, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, calls := server(t, c.spoil)
			cfg := config(base)
			cfg.Retries = 2
			e, err := embed.Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Embed(t.Context(), []string{"private words", "b"}, schema.EmbedPassage)
			if schema.CodeOf(err) != c.code || schema.IsPermanent(err) != c.perm {
				t.Errorf("error %v, want code %s, permanent %v", err, c.code, c.perm)
			}
			if err != nil && strings.Contains(err.Error(), "private") {
				t.Errorf("the error holds text: %v", err)
			}
			if n := calls.Load(); n != c.calls {
				t.Errorf("%d requests, want %d", n, c.calls)
			}
			if c.name == "503 for a minute" && schema.RetryAfter(err) != time.Minute {
				t.Errorf("wait %v, want the minute that was asked for", schema.RetryAfter(err))
			}
		})
	}
}

func TestOpenAIRecovers(t *testing.T) {
	h := embeddertest.NewHash(64)
	base, calls := server(t, func(w http.ResponseWriter, _ *http.Request, req request, nth int) bool {
		switch nth {
		case 1:
			w.WriteHeader(429)
		case 2:
			w.WriteHeader(502)
		default: // reordered, and still right
			answer(w, h, req.Input, func(d []map[string]any) []map[string]any { slices.Reverse(d); return d })
		}
		return true
	})
	e, err := embed.Open(t.Context(), config(base))
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"one", "two", "three"}
	got, err := e.Embed(t.Context(), texts, schema.EmbedPassage)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := h.Embed(t.Context(), texts, schema.EmbedPassage)
	for i := range want {
		for j := range want[i] {
			if math.Abs(float64(got[i][j]-want[i][j])) > 1e-6 {
				t.Fatalf("text %d is not at its place", i)
			}
		}
	}
	if calls.Load() != 3 {
		t.Errorf("%d requests, want 3", calls.Load())
	}
}

func TestOpenAIHangingServer(t *testing.T) {
	base, _ := server(t, func(_ http.ResponseWriter, r *http.Request, _ request, _ int) bool {
		<-r.Context().Done()
		return true
	})
	e, err := embed.Open(t.Context(), config(base))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = e.Embed(ctx, []string{"x"}, schema.EmbedQuery)
	if !errors.Is(err, context.DeadlineExceeded) || schema.CodeOf(err) != schema.CodeTimeout || schema.IsPermanent(err) {
		t.Errorf("error %v, want a retryable timeout", err)
	}
}

// TestOpenAIWaitsAsAsked: Retry-After outweighs the backoff.
func TestOpenAIWaitsAsAsked(t *testing.T) {
	var first time.Time
	var gap time.Duration
	base, _ := server(t, func(w http.ResponseWriter, _ *http.Request, _ request, nth int) bool {
		if nth == 1 {
			first = time.Now()
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(429)
			return true
		}
		gap = time.Since(first)
		return false
	})
	e, _ := embed.Open(t.Context(), config(base))
	if _, err := e.Embed(t.Context(), []string{"x"}, schema.EmbedQuery); err != nil || gap < time.Second {
		t.Errorf("tried again after %v (%v), want at least the second that was asked for", gap, err)
	}
}

func TestOpenAIConfig(t *testing.T) {
	for field, cfg := range map[string]embed.Config{
		"base_url": {Provider: "openai", BaseURL: "127.0.0.1:80", Model: "m"},
		"model":    {Provider: "openai", BaseURL: "http://127.0.0.1:1/v1"},
		"dim":      {Provider: "openai", BaseURL: "http://127.0.0.1:1/v1", Model: "m", Dim: -1},
	} {
		_, err := embed.Open(t.Context(), cfg)
		var e *schema.Error
		if !errors.As(err, &e) || e.Field != field {
			t.Errorf("%+v gave %v, want a fault of %s", cfg, err, field)
		}
	}
	if _, err := embed.Open(t.Context(), embed.Config{Provider: "openai", BaseURL: "http://u:p@h/v1", Model: "m"}); err == nil || strings.Contains(err.Error(), "u:p") {
		t.Errorf("credentials in the URL: %v", err)
	}
}

// TestNothingIsLogged: neither texts nor keys reach the default logger.
func TestNothingIsLogged(t *testing.T) {
	var b strings.Builder
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	defer slog.SetDefault(old)
	base, _ := server(t, func(w http.ResponseWriter, _ *http.Request, _ request, _ int) bool { w.WriteHeader(500); return true })
	e, _ := embed.Open(t.Context(), config(base))
	_, _ = e.Embed(t.Context(), []string{"private"}, schema.EmbedQuery)
	if b.Len() > 0 {
		t.Errorf("logged %q", b.String())
	}
}

// counting counts texts and can hold calls back.
type counting struct {
	*embeddertest.Hash
	texts atomic.Int64
	gate  chan struct{} // nil: open
	fail  atomic.Pointer[error]
}

func (c *counting) Embed(ctx context.Context, texts []string, k schema.EmbedKind) ([][]float32, error) {
	c.texts.Add(int64(len(texts)))
	if c.gate != nil {
		select {
		case <-c.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if e := c.fail.Load(); e != nil {
		return nil, *e
	}
	return c.Hash.Embed(ctx, texts, k)
}

func newCounting() *counting {
	h := embeddertest.NewHash(64)
	return &counting{Hash: h}
}

func TestCache(t *testing.T) {
	in := newCounting()
	c := embed.NewCache(in, 3*(64*4+256))
	ask := func(texts ...string) {
		t.Helper()
		got, err := c.Embed(t.Context(), texts, schema.EmbedPassage)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := in.Hash.Embed(t.Context(), texts, schema.EmbedPassage)
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("%q has another's vector", texts[i])
			}
		}
	}
	for _, step := range []struct {
		texts []string
		total int64 // texts embedded so far
	}{
		{[]string{"a", "b", "a"}, 2}, // once within a call
		{[]string{"b", "a"}, 2},
		{[]string{"c"}, 3},
		{[]string{"a"}, 3},      // a is the latest now
		{[]string{"d"}, 4},      // b has to go
		{[]string{"a", "c"}, 4}, // still there
		{[]string{"b"}, 5},
	} {
		ask(step.texts...)
		if n := in.texts.Load(); n != step.total {
			t.Fatalf("after %q %d texts were embedded, want %d", step.texts, n, step.total)
		}
	}
	if s := c.Stats(); s.Bytes > 3*(64*4+256) || s.Bytes == 0 {
		t.Errorf("holds %d bytes", s.Bytes)
	}
	if _, err := c.Embed(t.Context(), []string{"b"}, schema.EmbedQuery); err != nil || in.texts.Load() != 6 {
		t.Error("a query was answered with a passage's vector")
	}
}

// TestCacheSharesFlights: many callers that want one text at once cause one call, and one whose context ends
// neither disturbs the others nor leaves them with its error.
func TestCacheSharesFlights(t *testing.T) {
	synctest.Test(t, sharesFlights)
}

func sharesFlights(t *testing.T) {
	in := newCounting()
	in.gate = make(chan struct{})
	c := embed.NewCache(in, 1<<20)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { // the one that flies first and is cancelled
		if _, err := c.Embed(ctx, []string{"x"}, schema.EmbedQuery); !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled caller got %v", err)
		}
	})
	synctest.Wait()
	if n := in.texts.Load(); n != 1 {
		t.Fatalf("%d texts fly, want 1", n)
	}
	for range 16 {
		wg.Go(func() {
			if _, err := c.Embed(t.Context(), []string{"x"}, schema.EmbedQuery); err != nil {
				t.Errorf("a caller that was not cancelled got %v", err)
			}
		})
	}
	synctest.Wait()
	if n := c.Stats().Shared; n != 16 {
		t.Errorf("%d calls wait for another's flight, want 16", n)
	}
	cancel()
	synctest.Wait()
	close(in.gate)
	wg.Wait()
	if n := in.texts.Load(); n != 2 {
		t.Errorf("%d texts were embedded, want the cancelled one and one more", n)
	}
}

func TestCacheKeepsNoErrors(t *testing.T) {
	in := newCounting()
	c := embed.NewCache(in, 1<<20)
	var e error = schema.Retryable(schema.CodeUnavailable, 0, nil, "down")
	in.fail.Store(&e)
	if _, err := c.Embed(t.Context(), []string{"x"}, schema.EmbedQuery); schema.CodeOf(err) != schema.CodeUnavailable {
		t.Errorf("got %v", err)
	}
	in.fail.Store(nil)
	if _, err := c.Embed(t.Context(), []string{"x"}, schema.EmbedQuery); err != nil {
		t.Errorf("the failure was remembered: %v", err)
	}
}
