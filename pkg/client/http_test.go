package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// stub is a client of a server that answers with h.
func stub(t *testing.T, h http.HandlerFunc, opts ...client.HTTPOption) *client.HTTP {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := client.NewHTTP(s.URL+"/", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestHTTPMapsAnswersToErrors(t *testing.T) {
	later := time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		name, body, after string
		status            int
		want              schema.Error
	}{
		{"invalid", `{"error":{"code":"invalid","message":"must not be empty","field":"user"},"request_id":"r"}`, "", 400, schema.Error{Code: schema.CodeInvalid, Field: "user", Message: "must not be empty"}},
		{"conflict", `{"error":{"code":"conflict","message":"taken"}}`, "", 409, schema.Error{Code: schema.CodeConflict, Message: "taken"}},
		{"overloaded", `{"error":{"code":"overloaded","message":"later"}}`, "7", 503, schema.Error{Code: schema.CodeOverloaded, Message: "later", Retry: true, After: 7 * time.Second}},
		{"unavailable, no wait named", `{"error":{"code":"unavailable","message":"down"}}`, "", 503, schema.Error{Code: schema.CodeUnavailable, Message: "down", Retry: true}},
		{"a wait that is none", `{"error":{"code":"unavailable","message":"down"}}`, "-3", 503, schema.Error{Code: schema.CodeUnavailable, Message: "down", Retry: true}},
		{"timeout", `{"error":{"code":"timeout","message":"late"}}`, "", 504, schema.Error{Code: schema.CodeTimeout, Message: "late", Retry: true}},
		{"internal", `{"error":{"code":"internal","message":"ours"}}`, "9", 500, schema.Error{Code: schema.CodeInternal, Message: "ours"}},
		{"a code of tomorrow", `{"error":{"code":"paid","message":"pay"}}`, "", 402, schema.Error{Code: "paid", Message: "pay"}},
		{"a proxy's page", `<html>Bad Gateway</html>`, "", 502, schema.Error{Code: schema.CodeUnavailable, Message: "POST /v1/query answered 502 Bad Gateway", Retry: true}},
		{"a proxy's limit", `slow down`, "2", 429, schema.Error{Code: schema.CodeOverloaded, Message: "POST /v1/query answered 429 Too Many Requests", Retry: true, After: 2 * time.Second}},
		{"a proxy's wall", ``, "", 401, schema.Error{Code: schema.CodeUnauthenticated, Message: "POST /v1/query answered 401 Unauthorized"}},
		{"another server", `{"error":"nope"}`, "", 404, schema.Error{Code: schema.CodeNotFound, Message: "POST /v1/query answered 404 Not Found"}},
		{"a date to wait for", `{"error":{"code":"unavailable","message":"down"}}`, later, 503, schema.Error{Code: schema.CodeUnavailable, Message: "down", Retry: true, After: 30 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := stub(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.after != "" {
					w.Header().Set("Retry-After", c.after)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := cl.Query(t.Context(), schema.Query{User: "u", Query: "q"})
			var e *schema.Error
			if !errors.As(err, &e) {
				t.Fatalf("want a schema error, got %v", err)
			}
			got := *e
			if c.after == later && got.After > 25*time.Second && got.After <= 30*time.Second {
				got.After = 30 * time.Second
			}
			if got != c.want {
				t.Errorf("%+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestHTTPSaysWhenNothingAnswers(t *testing.T) {
	cut := func(w http.ResponseWriter, _ *http.Request) { // the connection breaks in the middle of the answer
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"block":`)
	}
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client has gone
		<-r.Context().Done()
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	down, err := client.NewHTTP(closed.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		cl   *client.HTTP
		code schema.Code
	}{
		{"nobody listens", down, schema.CodeUnavailable},
		{"cut off", stub(t, cut), schema.CodeUnavailable},
		{"the client's time limit", stub(t, hang, client.WithHTTPClient(&http.Client{Timeout: 20 * time.Millisecond})), schema.CodeTimeout},
	} {
		_, err := c.cl.Query(t.Context(), schema.Query{User: "u"})
		if schema.CodeOf(err) != c.code || schema.IsPermanent(err) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := stub(t, hang).Status(ctx); schema.CodeOf(err) != schema.CodeTimeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's time limit: %v", err)
	}
	if _, err := stub(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }).Status(t.Context()); schema.CodeOf(err) != schema.CodeInternal || !schema.IsPermanent(err) {
		t.Errorf("no JSON: %v", err)
	}
}

func TestHTTPEndsWithTheCallersContext(t *testing.T) {
	began := make(chan struct{})
	cl := stub(t, func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	_, err := cl.Query(ctx, schema.Query{User: "u", Query: "what is my PIN?"})
	if !errors.Is(err, context.Canceled) || schema.CodeOf(err) == schema.CodeUnavailable {
		t.Errorf("%v", err)
	}
	if strings.Contains(err.Error(), "PIN") {
		t.Errorf("the error repeats what was asked: %v", err)
	}
}

// The server sees the first line while the rest is still being written.
func TestHTTPStreamsBatches(t *testing.T) {
	first := make(chan string, 1)
	cl := stub(t, func(w http.ResponseWriter, r *http.Request) {
		buf := make([]byte, 8)
		_, _ = io.ReadFull(r.Body, buf)
		first <- string(buf) + " " + r.Header.Get("Content-Type") + " " + r.Header.Get("X-Silt-Tenant")
		rest, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		_ = json.NewEncoder(w).Encode(schema.BatchReply{Accepted: make([]schema.Accepted, 1+strings.Count(string(rest), "\n"))})
	}, client.WithTenant("acme"))
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, "line 1 \n")
		if got := <-first; got != "line 1 \n application/x-ndjson acme" {
			t.Errorf("the server has seen %q", got)
		}
		_, _ = io.WriteString(w, "line 2\nline 3\n")
		_ = w.Close()
	}()
	out, err := cl.PublishBatch(t.Context(), r)
	if err != nil || len(out.Accepted) != 3 {
		t.Errorf("%+v %v", out, err)
	}
}

// A source that fails in the middle is an error, not a shorter batch.
func TestHTTPBatchOfABrokenSource(t *testing.T) {
	cl := stub(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, `{"accepted":[],"rejected":[]}`)
	})
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, "line 1\n")
		_ = w.CloseWithError(errors.New("disk"))
	}()
	if _, err := cl.PublishBatch(t.Context(), r); err == nil || !strings.Contains(err.Error(), "disk") {
		t.Errorf("%v", err)
	}
}

// What is sent is what the server's routes take, whatever the ids hold.
func TestHTTPBuildsRequests(t *testing.T) {
	var got string
	var body []byte
	cl := stub(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Method + " " + r.URL.EscapedPath()
		if r.URL.RawQuery != "" {
			got += "?" + r.URL.RawQuery
		}
		body, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, `{"tools":[{"name":"a"}],"job":"replay-2"}`)
	})
	ctx := t.Context()
	for _, c := range []struct {
		want, body string
		call       func() error
	}{
		{"POST /v1/events", `{"user":"u","input":"<b>&"}`, func() error { _, err := cl.Publish(ctx, schema.Turn{User: "u", Input: "<b>&"}); return err }},
		{"POST /v1/events", "{ \"user\" : 1 }\n", func() error { _, err := cl.PublishRaw(ctx, []byte("{ \"user\" : 1 }\n")); return err }},
		{"GET /v1/events/a%2Fb%20c%3Fd", "", func() error { _, err := cl.Event(ctx, "a/b c?d"); return err }},
		{"GET /v1/events/%E5%B0%8F/status?computed=true", "", func() error { _, err := cl.EventStatus(ctx, "小", true); return err }},
		{"GET /v1/memories?cursor=x&kind=user&limit=5&q=a%26b&status=all&type=fact&user=u+1", "", func() error {
			_, err := cl.Memories(ctx, schema.MemoryQuery{User: "u 1", Status: "all", Type: "fact", Kind: "user", Text: "a&b", Cursor: "x", Limit: 5})
			return err
		}},
		{"POST /v1/forget", `{"user":"u","all":true,"dry_run":true}`, func() error { _, err := cl.Forget(ctx, schema.Forget{User: "u", All: true, DryRun: true}); return err }},
		{"GET /v1/status", "", func() error { _, err := cl.Status(ctx); return err }},
		{"POST /v1/replay", `{"from":"start","switch":true}`, func() error {
			job, err := cl.Replay(ctx, schema.ReplayRequest{From: "start", Switch: true})
			if job != "replay-2" {
				t.Errorf("job %q", job)
			}
			return err
		}},
		{"GET /v1/generations", "", func() error { _, err := cl.Replays(ctx); return err }},
		{"POST /v1/replay/switch", `{"generation":2,"force":true}`, func() error {
			_, err := cl.Switch(ctx, schema.SwitchRequest{Generation: 2, Force: true})
			return err
		}},
		{"POST /v1/replay/rollback", `{}`, func() error { _, err := cl.Rollback(ctx, schema.SwitchRequest{}); return err }},
		{"DELETE /v1/generations/7", "", func() error { _, err := cl.Prune(ctx, 7); return err }},
		{"POST /v1/snapshot", `{"generation":2}`, func() error { _, err := cl.Snapshot(ctx, 2); return err }},
		{"GET /v1/jobs/a%2Fb", "", func() error { _, err := cl.Job(ctx, "a/b"); return err }},
		{"GET /v1/tools", "", func() error {
			defs, err := cl.Tools(ctx)
			if len(defs) != 1 || defs[0].Name != "a" {
				t.Errorf("tools %+v", defs)
			}
			return err
		}},
		{"PUT /v1/tools/a%2Fb", `{"name":"a/b","ingest":false}`, func() error {
			off := false
			_, err := cl.SetTool(ctx, schema.ToolPolicy{Name: "a/b", Ingest: &off})
			return err
		}},
		{"GET /v1/settings?user=%E5%B0%8F", "", func() error { _, err := cl.Settings(ctx, "小"); return err }},
		{"PUT /v1/settings?user=u%26v", `{"types":{"fact":false}}`, func() error {
			return cl.SetSettings(ctx, "u&v", schema.Settings{Types: map[schema.Type]bool{schema.TypeFact: false}})
		}},
	} {
		if err := c.call(); err != nil || got != c.want || string(body) != c.body {
			t.Errorf("%s %s (%v), want %s %s", got, body, err, c.want, c.body)
		}
	}
}

func TestNewHTTPChecksItsArguments(t *testing.T) {
	for _, base := range []string{"", "127.0.0.1:8317", "ftp://x", "http://", "://"} {
		if _, err := client.NewHTTP(base); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("%q: %v", base, err)
		}
	}
	if _, err := client.NewHTTP("http://x", client.WithTenant("a b")); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("tenant: %v", err)
	}
	if _, err := client.NewHTTP("http://x", client.WithHTTPClient(nil)); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("client: %v", err)
	}
}

// A token does not leave the machine in the clear, unless somebody says so.
func TestATokenIsNotSentInTheClear(t *testing.T) {
	for base, ok := range map[string]bool{
		"http://127.0.0.1:8317": true, "http://127.8.9.1": true, "http://[::1]:8317": true, "http://[::ffff:127.0.0.1]": true, "http://localhost": true, "http://LocalHost.:80": true,
		"http://memory.localhost": true, "https://memory.example.com": true, "https://10.0.0.7": true,
		"http://memory.example.com": false, "http://10.0.0.7:8317": false, "http://localhost.example.com": false, "http://127.0.0.1.nip.io": false, "http://siltstone:8317": false,
		"http://2130706433": false, "HTTP://0.0.0.0": false,
	} {
		_, err := client.NewHTTP(base, client.WithToken("silt_a_b"))
		if ok != (err == nil) || err != nil && (schema.CodeOf(err) != schema.CodeInvalid || strings.Contains(err.Error(), "silt_a_b")) {
			t.Errorf("%s with a token: %v", base, err)
		}
		for name, opts := range map[string][]client.HTTPOption{
			"without a token": nil, "allowed after": {client.WithToken("silt_a_b"), client.AllowPlainHTTP()}, "allowed before": {client.AllowPlainHTTP(), client.WithToken("silt_a_b")},
		} {
			if _, err := client.NewHTTP(base, opts...); err != nil {
				t.Errorf("%s %s: %v", base, name, err)
			}
		}
	}
}
