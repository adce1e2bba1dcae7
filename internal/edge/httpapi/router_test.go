package httpapi

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// edgeOf is a configuration with f as its ports.
func edgeOf(f *fake) Config {
	return Config{
		Addr: "127.0.0.1:8317", MaxTurn: 64 << 10, MaxBatch: 256 << 10, MaxOpen: 4, MaxBuffer: 4 << 20,
		ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, Logger: slog.New(slog.DiscardHandler),
		Health: &obs.Health{}, Publisher: f, Querier: f, Events: f,
	}
}

func build(t *testing.T, cfg Config) http.Handler {
	t.Helper()
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// start serves h as the program does.
func start(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.Config = NewServer(h, slog.New(slog.DiscardHandler))
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func errorOf(t *testing.T, w *httptest.ResponseRecorder) schema.WireError {
	t.Helper()
	var e schema.ErrorReply
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Request == "" {
		t.Fatalf("%d is not an error reply: %s", w.Code, w.Body)
	}
	return e.Error
}

func packed(b []byte) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b) // to memory
	_ = z.Close()
	return out.String()
}

func TestWrongMethodsNameTheRightOnes(t *testing.T) {
	h := build(t, edgeOf(&fake{}))
	for path, allow := range map[string]string{"/v1/query": "POST", "/v1/memories": "GET, HEAD", "/v1/events/x": "GET, HEAD", "/healthz": "GET, HEAD"} {
		for _, m := range []string{"DELETE", "OPTIONS", "PATCH"} {
			w := call(h, m, path, "")
			if e := errorOf(t, w); w.Code != 405 || e.Code != schema.CodeMethod || w.Header().Get("Allow") != allow {
				t.Errorf("%s %s: %d %+v, Allow %q", m, path, w.Code, e, w.Header().Get("Allow"))
			}
		}
	}
	if w := call(h, "GET", "/v1/tools", ""); w.Code != 404 {
		t.Errorf("a path whose port is not here: %d", w.Code)
	}
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	s := start(t, build(t, edgeOf(&fake{})))
	for _, path := range []string{"/healthz", "/v1/memories?user=u", "/v1/events/a%2Fb", "/openapi.json"} {
		r, err := http.Head(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if r.StatusCode != 200 || len(b) != 0 || r.ContentLength <= 0 {
			t.Errorf("HEAD %s: %d, %d bytes, length %d", path, r.StatusCode, len(b), r.ContentLength)
		}
	}
}

func TestParametersAreKnownAndStandOnce(t *testing.T) {
	h := build(t, edgeOf(&fake{}))
	for name, c := range map[string]struct{ method, path, field string }{
		"unknown on publish":   {"POST", "/v1/events?wiat=indexed", "wiat"},
		"empty value":          {"POST", "/v1/events?wait=", "wait"},
		"unknown on query":     {"POST", "/v1/query?limit=3", "limit"},
		"unknown on event":     {"GET", "/v1/events/a%2Fb?x=1", "x"},
		"unknown on health":    {"GET", "/healthz?x=1", "x"},
		"other case":           {"GET", "/v1/memories?User=u", "User"},
		"twice":                {"GET", "/v1/memories?user=u&user=v", "user"},
		"twice, the same":      {"GET", "/v1/events/x/status?computed=true&computed=true", "computed"},
		"broken escape":        {"GET", "/v1/memories?user=%zz", ""},
		"semicolon":            {"GET", "/v1/memories?user=u;limit=3", ""},
		"long name":            {"GET", "/v1/memories?" + strings.Repeat("n", 500) + "=1", strings.Repeat("n", 64)},
		"bad limit":            {"GET", "/v1/memories?user=u&limit=many", "limit"},
		"limit over the most":  {"GET", "/v1/memories?user=u&limit=1001", "limit"},
		"no user":              {"GET", "/v1/memories", "user"},
		"two tenants named":    {"GET", "/v1/memories?user=u&tenant=t", "tenant"},
		"computed is a switch": {"GET", "/v1/events/x/status?computed=1", "computed"},
	} {
		body := ""
		if c.method == "POST" {
			body = `{"user":"u","input":"x","query":"x"}`
		}
		w := call(h, c.method, c.path, body)
		if e := errorOf(t, w); w.Code != 400 || e.Code != schema.CodeInvalid || e.Field != c.field {
			t.Errorf("%s: %d %+v, want field %q", name, w.Code, e, c.field)
		}
	}
}

func TestMediaTypesAndEncodings(t *testing.T) {
	const turn = `{"user":"u","input":"x"}`
	for name, c := range map[string]struct {
		body        string
		header      []string
		status      int
		field, code string
	}{
		"no type":              {turn, nil, 202, "", ""},
		"json":                 {turn, []string{"Content-Type", "application/json; charset=UTF-8"}, 202, "", ""},
		"some +json":           {turn, []string{"Content-Type", "application/vnd.x+json"}, 202, "", ""},
		"jsonl":                {turn, []string{"Content-Type", "application/jsonl"}, 202, "", ""},
		"a form":               {turn, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "Content-Type", "unsupported_media_type"},
		"text":                 {turn, []string{"Content-Type", "text/plain"}, 415, "Content-Type", "unsupported_media_type"},
		"a name that holds it": {turn, []string{"Content-Type", "text/x-ndjson-not"}, 415, "Content-Type", "unsupported_media_type"},
		"another charset":      {turn, []string{"Content-Type", "application/json; charset=gbk"}, 415, "Content-Type", "unsupported_media_type"},
		"nonsense":             {turn, []string{"Content-Type", ";;"}, 415, "Content-Type", "unsupported_media_type"},
		"gzip":                 {packed([]byte(turn)), []string{"Content-Encoding", "gzip"}, 202, "", ""},
		"gzip in capitals":     {packed([]byte(turn)), []string{"Content-Encoding", "GZIP"}, 202, "", ""},
		"gzip of many":         {packed([]byte(turn + "\n" + turn)), []string{"Content-Encoding", "gzip", "Content-Type", "application/x-ndjson"}, 202, "", ""},
		"gzip in two members":  {packed([]byte(turn[:9])) + packed([]byte(turn[9:])), []string{"Content-Encoding", "gzip"}, 202, "", ""},
		"identity":             {turn, []string{"Content-Encoding", "identity"}, 202, "", ""},
		"brotli":               {turn, []string{"Content-Encoding", "br"}, 415, "Content-Encoding", "unsupported_media_type"},
		"gzip twice":           {turn, []string{"Content-Encoding", "gzip, gzip"}, 415, "Content-Encoding", "unsupported_media_type"},
		"not gzip":             {turn, []string{"Content-Encoding", "gzip"}, 400, "Content-Encoding", "invalid"},
		"gzip, damaged":        {packed([]byte(turn))[:24] + "xxxx" + packed([]byte(turn))[28:], []string{"Content-Encoding", "gzip"}, 400, "Content-Encoding", "invalid"},
		"gzip, cut off":        {packed([]byte(turn))[:24], []string{"Content-Encoding", "gzip"}, 400, "", "invalid"},
		"gzip of nothing":      {"", []string{"Content-Encoding", "gzip"}, 400, "Content-Encoding", "invalid"},
	} {
		w := call(build(t, edgeOf(&fake{})), "POST", "/v1/events", c.body, c.header...)
		if w.Code != c.status {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, c.status)
			continue
		}
		if c.status != 202 {
			if e := errorOf(t, w); e.Field != c.field || string(e.Code) != c.code {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
	w := call(build(t, edgeOf(&fake{})), "POST", "/v1/query", turn, "Content-Type", "application/x-ndjson")
	if e := errorOf(t, w); w.Code != 415 || e.Field != "Content-Type" {
		t.Errorf("NDJSON where one value is taken: %d %+v", w.Code, e)
	}
}

// A few kilobytes that unpack to a gigabyte are refused once they are over the limit, with little of it unpacked.
func TestGzipBombIsRefusedEarly(t *testing.T) {
	var bomb bytes.Buffer
	z, _ := gzip.NewWriterLevel(&bomb, gzip.BestCompression)
	zeros := bytes.Repeat([]byte("0"), 1<<20)
	for range 256 {
		_, _ = z.Write(zeros)
	}
	_ = z.Close()
	if bomb.Len() > 300<<10 {
		t.Fatalf("the bomb has %d bytes", bomb.Len())
	}
	cfg := edgeOf(&fake{})
	cfg.MaxTurn, cfg.MaxBatch, cfg.MaxBuffer = 512<<10, 1<<20, 4<<20
	h := build(t, cfg)
	for _, ct := range []string{"application/json", "application/x-ndjson"} {
		var status int
		var reply string
		bytesRead := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				w := call(h, "POST", "/v1/events", bomb.String(), "Content-Type", ct, "Content-Encoding", "gzip")
				status, reply = w.Code, w.Body.String()
			}
		}).AllocedBytesPerOp()
		if bytesRead > 8<<20 {
			t.Errorf("%s: %d bytes allocated for a body whose limit is 1 MiB", ct, bytesRead)
		}
		// The one line of the batch is over a turn's limit, and so is the batch over its own.
		if status != 413 && !(status == 202 && strings.Contains(reply, `"accepted":[]`) && strings.Contains(reply, "too_large")) {
			t.Errorf("%s: %d %s", ct, status, reply)
		}
	}
}

func TestRequestIDsAreTakenOverWhereSane(t *testing.T) {
	h := build(t, edgeOf(&fake{}))
	for id, taken := range map[string]bool{
		"abc-123": true, strings.Repeat("x", 128): true, "{\"a\":1}": true,
		strings.Repeat("x", 129): false, "a b": false, "a\tb": false, "日志": false, "": false, "a\x7f": false,
	} {
		w := call(h, "GET", "/v2", "", "X-Request-Id", id)
		got := w.Header().Get("X-Request-Id")
		if (got == id) != taken || got == "" {
			t.Errorf("%q becomes %q", id, got)
		}
		var e schema.ErrorReply
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Request != got {
			t.Errorf("the body has %q, the header %q", e.Request, got)
		}
	}
	r := httptest.NewRequest("GET", "http://127.0.0.1:8317/healthz", nil)
	r.Header["X-Request-Id"] = []string{"a", "b"}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if id := w.Header().Get("X-Request-Id"); id == "a" || id == "b" || id == "" {
		t.Errorf("of two ids %q is taken", id)
	}
}

// stuck hangs, whatever its context says, until it is let go.
type stuck struct {
	fake
	go1 chan struct{}
}

func (s *stuck) Publish(ctx context.Context, tenant string, raws [][]byte) ([]schema.Accepted, []error) {
	<-s.go1
	return s.fake.Publish(ctx, tenant, raws)
}

func (s *stuck) Query(ctx context.Context, tenant string, q schema.Query) (schema.Reply, error) {
	<-s.go1
	return s.fake.Query(ctx, tenant, q)
}

func (s *stuck) Memories(ctx context.Context, _ string, _ schema.MemoryQuery) (schema.MemoryPage, error) {
	<-ctx.Done() // one that heeds its context
	return schema.MemoryPage{}, ctx.Err()
}

func TestRoutesEndWithinTheirLimits(t *testing.T) {
	f := &stuck{go1: make(chan struct{})}
	cfg := edgeOf(&f.fake)
	cfg.Publisher, cfg.Querier = f, f
	cfg.ReadTimeout, cfg.WriteTimeout, cfg.MaxOpen = 50*time.Millisecond, 50*time.Millisecond, 8
	s, err := newServer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := s.root(routes)
	const turn = `{"user":"u","input":"x","id":"1"}`
	var wg sync.WaitGroup
	for name, c := range map[string][]string{
		"publish": {"POST", "/v1/events", turn}, "batch": {"POST", "/v1/events", turn + "\n", "Content-Type", "application/x-ndjson"},
		"query": {"POST", "/v1/query", `{"user":"u","query":"x"}`}, "list": {"GET", "/v1/memories?user=u", ""},
	} {
		wg.Go(func() {
			w := call(h, c[0], c[1], c[2], c[3:]...)
			if e := errorOf(t, w); w.Code != 504 || e.Code != schema.CodeTimeout {
				t.Errorf("%s: %d %+v", name, w.Code, e)
			}
		})
	}
	wg.Wait()
	// What still hangs holds its slot, and no more than that; once it ends the slot is free again.
	close(f.go1)
	deadline := time.Now().Add(time.Minute)
	for len(s.bounds.work) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("%d slots are lost", len(s.bounds.work))
		}
		<-time.After(time.Millisecond)
	}
	if w := call(h, "POST", "/v1/query", `{"user":"u","query":"x"}`); w.Code != 200 {
		t.Errorf("a query afterwards is answered with %d", w.Code)
	}
}

// Many bodies that come slowly hold no slot: a query among them is answered.
func TestSlowBodiesHoldNoSlots(t *testing.T) {
	cfg := edgeOf(&fake{}) // 4 slots, 16 may be open
	s := start(t, build(t, cfg))
	addr := s.Listener.Addr().String()
	for i := range 12 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		ct := "application/json"
		if i%2 == 0 {
			ct = "application/x-ndjson"
		}
		fmt.Fprintf(c, "POST /v1/events HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: 60000\r\n\r\n{\"user\":", addr, ct)
	}
	for range 20 {
		r, err := http.Post(s.URL+"/v1/query", "application/json", strings.NewReader(`{"user":"u","query":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		if r.StatusCode != 200 {
			t.Fatalf("a query is answered with %d", r.StatusCode)
		}
	}
}

// The pace of a body is checked with a clock of the test's.
func TestBodiesHaveALeastRate(t *testing.T) {
	now := time.Unix(0, 0)
	step := time.Second
	src := readerFunc(func(b []byte) (int, error) { now = now.Add(step); return 1, nil })
	p := &paced{body: src, ctl: http.NewResponseController(httptest.NewRecorder()), now: func() time.Time { return now }}
	n := 0
	for {
		if _, err := p.Read(make([]byte, 10)); err != nil {
			if schema.CodeOf(readError(err)) != schema.CodeSlowBody {
				t.Fatal(err)
			}
			break
		}
		n++
	}
	if n < 10 || n > 11 {
		t.Errorf("a byte a second is read for %d s, want 10", n)
	}
	src = func(b []byte) (int, error) { now = now.Add(step); return leastRate, nil }
	p = &paced{body: src, ctl: p.ctl, now: p.now}
	for range 1000 {
		if _, err := p.Read(nil); err != nil {
			t.Fatalf("a body at the least rate is refused: %v", err)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// A body that stops coming is answered, over a connection.
func TestStalledBodyIsAnswered(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the slack of a body")
	}
	s := start(t, build(t, edgeOf(&fake{})))
	addr := s.Listener.Addr().String()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /v1/events HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-ndjson\r\nContent-Length: 60000\r\n\r\n{\"user\":\"u\",\"input\":\"x\"}\n{", addr)
	_ = c.SetReadDeadline(time.Now().Add(60 * time.Second))
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b schema.BatchReply
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil || r.StatusCode != 202 {
		t.Fatalf("%d %v", r.StatusCode, err)
	}
	if len(b.Accepted) != 1 || len(b.Rejected) != 1 || b.Rejected[0].Error.Code != schema.CodeSlowBody || b.Rejected[0].Line != 2 {
		t.Errorf("%+v", b)
	}
}

func TestExpectContinue(t *testing.T) {
	s := start(t, build(t, edgeOf(&fake{})))
	addr := s.Listener.Addr().String()
	talk := func(head string) (*bufio.Reader, net.Conn) {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetDeadline(time.Now().Add(30 * time.Second))
		fmt.Fprintf(c, "POST /v1/events HTTP/1.1\r\nHost: %s\r\nExpect: 100-continue\r\n%s\r\n", addr, head)
		return bufio.NewReader(c), c
	}
	const turn = `{"user":"u","input":"x"}`
	r, c := talk(fmt.Sprintf("Content-Length: %d\r\n", len(turn)))
	if line, _ := r.ReadString('\n'); !strings.Contains(line, "100 Continue") {
		t.Fatalf("asked whether to go on: %q", line)
	}
	_, _ = r.ReadString('\n')
	fmt.Fprint(c, turn)
	if line, _ := r.ReadString('\n'); !strings.Contains(line, "202") {
		t.Errorf("after the body: %q", line)
	}
	// What would be refused anyway is refused before the body is sent.
	for head, status := range map[string]string{
		"Content-Length: 9000000\r\n":                                     "413",
		"Content-Length: 90\r\nContent-Type: text/csv\r\n":                "415",
		"Content-Length: 90\r\nContent-Encoding: br\r\n":                  "415",
		"Content-Length: 90\r\nX-Silt-Tenant: a b\r\n":                    "400",
		"Content-Length: 90\r\nOrigin: http://evil.example\r\n":           "403",
		"Content-Length: 90000000\r\nContent-Type: application/jsonl\r\n": "413",
	} {
		r, _ := talk(head)
		if line, _ := r.ReadString('\n'); !strings.Contains(line, " "+status+" ") {
			t.Errorf("%q: %q, want %s", head, line, status)
		}
	}
}
