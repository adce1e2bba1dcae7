package faults

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// canary is a word of a memory that no log line may hold. n tells where it was put.
func canary(n string) string { return "canary" + n + "sings" }

// TestMemoryTextIsNeverLogged puts words into everything that a client can say, down every path that fails, with the
// log at its most talkative, and looks for them in all of the output.
func TestMemoryTextIsNeverLogged(t *testing.T) {
	embedder := stacktest.NewEmbedder(t)
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Embed.URL, cfg.Embed.Model, cfg.Embed.Dim = embedder.URL, "test", stacktest.Dim
	s := stacktest.Up(t, cfg, func(o *app.Options) {
		o.Cleaners = map[string]stages.Cleaner{
			"panics": func(s, _ string) (string, error) { panic(s) },
			"fails":  func(s, _ string) (string, error) { return "", errors.New(s) },
			"broken": func(s, _ string) (string, error) { return s + "\xff", nil },
			"trips":  func(s, _ string) (string, error) { return s[len(s)+len(os.Args):], nil },
		}
	})
	c := s.As(t, "choir")
	for _, cleaner := range []string{"panics", "fails", "broken", "trips", "json:x", "drop:(canary.*"} {
		_, err := c.SetTool(t.Context(), schema.ToolPolicy{Name: "tool_" + strings.Split(cleaner, ":")[0], Cleaner: &[]string{cleaner}})
		if (err != nil) != strings.HasPrefix(cleaner, "drop") {
			t.Fatalf("the cleaner %s: %v", cleaner, err)
		}
	}
	// Turns whose parts are good, fail in a cleaner, and die at the embedder.
	for i, in := range []string{"My locker is " + canary("input") + ".", stacktest.Refused + " " + canary("refused")} {
		x := schema.Turn{
			ID: "turn" + itoa(i), User: "ann", Speaker: "ann", At: day, Input: in, Response: canary("response"), Metadata: map[string]any{canary("key"): canary("value")},
		}
		for _, name := range []string{"panics", "fails", "broken", "trips", "json"} {
			x.ToolResults = append(x.ToolResults, schema.ToolResult{Name: "tool_" + name, Output: canary("output" + name)})
		}
		if _, err := c.Publish(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	}
	// Bad ones at every door: what is wrong is the very word.
	w := jsonOf(canary("bad"))
	bodies := []string{
		canary("nojson"), w, `{"user":"a\n` + canary("id") + `","input":"x"}`, `{"user":"ann","input":"x",` + w + `:1}`, `{"user":"ann","input":"x",` + w + `:1,` + w + `:2}`, `{"user":"ann","input":"x","at":` + w + `}`,
		`{"user":"ann","tool_results":[{"name":"t","output":"x","status":` + w + `}]}`, `{"user":"ann","input":"x","metadata":{` + w + `:[1]}}`, `{"user":"ann","input":"x","metadata":{` + w + `:1,` + w + `:1}}`,
		`{"user":"ann","input":"x","context_window":` + w + `}`, `{"user":"ann","input":{` + w + `:1}}`, `{"user":"ann","tool_results":[{` + w + `:1}]}`, `{"user":"ann","input":"` + canary("open"),
		`{"user":"ann","input":"x","metadata":{"k":` + strings.Repeat(`[`+w+`,`, 100), `{"user":"ann","id":"turn0","input":"` + canary("conflict") + `"}`, "{\"user\":\"ann\",\"input\":\"" + canary("utf") + "\xff\"}",
		`{"user":"ann","id":"ok","input":"` + canary("fine") + `"}`,
	}
	nc := stacktest.Dial(t, s.Connect(t))
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	d := &in{t: t, nc: nc, js: js}
	for _, b := range bodies {
		c.Send("POST", "/v1/events", "application/json", b)
		c.Send("POST", "/v1/events?wait="+canary("wait"), "application/json", b)
		for _, path := range []string{"/v1/query", "/v1/forget", "/v1/pins", "/v1/memories"} {
			c.Send("POST", path, "application/json", b)
			c.Send("POST", path, "application/json", strings.Replace(b, `"input":"x"`, `"query":`+w+`,"content":`+w+`,"match":`+w, 1))
		}
		c.Send("PUT", "/v1/tools/"+canary("tool"), "application/json", b)
		c.Send("PUT", "/v1/settings?user=ann", "application/json", b)
		d.put(&nats.Msg{Subject: events.InSubject("choir"), Data: []byte(b), Header: nats.Header{"X-" + canary("header"): {canary("headervalue")}}})
		d.put(&nats.Msg{Subject: events.InSubject("choir"), Data: []byte(b), Header: nats.Header{events.HeaderTrace: {canary("trace")}, events.HeaderID: {canary("headerid")}}})
		for _, h := range []nats.Header{{events.HeaderTenant: {"choir"}}, {events.HeaderTenant: {canary("tenant") + "*"}}} {
			if _, err := nc.RequestMsg(&nats.Msg{Subject: events.SubjectQuery, Header: h, Data: []byte(b)}, stacktest.Patience()); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Send("POST", "/v1/events", "application/x-ndjson", strings.Join(bodies, "\n"))
	for _, path := range []string{"/v1/memories?user=ann&q=" + canary("q"), "/v1/memories?user=ann&" + canary("param") + "=1", "/v1/memories?user=ann&status=" + canary("status"), "/v1/memories?user=ann&cursor=" + canary("cursor"), "/v1/" + canary("path"), "/v1/events/" + canary("event")} {
		c.Send("GET", path, "", "")
	}
	d.drained()
	embedder.Down.Store(true) // queries and turns meet an embedder that is away
	_, _ = c.Publish(t.Context(), schema.Turn{ID: "away", User: "ann", Input: canary("away")})
	for _, q := range []schema.Query{{User: "ann", Query: canary("query"), Now: day}, {User: "ann", Query: canary("asked"), Conversation: canary("conversation"), Filter: &schema.QueryFilter{Metadata: map[string]any{canary("key"): canary("value")}}}} {
		c.Ask(q)
	}
	embedder.Down.Store(false)
	embedder.Release()
	if _, err := c.Forget(t.Context(), schema.Forget{User: "ann", Match: canary("fine")}); err != nil {
		t.Fatal(err)
	}
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Dead == 0 || l.Forgotten == 0 || l.Indexed == 0 {
		t.Errorf("the ledger is %+v: not every path was walked", l)
	}
	// A panic in a stage, and an end in the middle of things.
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	silent(t, s.Logs.String(), "event is dead", `"level":"DEBUG"`)
}

// TestMemoryTextIsNeverPrinted is the same for all that a process prints, what its libraries print past the logger too.
func TestMemoryTextIsNeverPrinted(t *testing.T) {
	child := stacktest.Spawn(t, filepath.Join(t.TempDir(), "data"), "--log-level", "debug")
	c := child.As(t, "choir")
	for i, text := range []string{
		canary("a"), canary("b") + "\x00中文" + canary("c"), "\u202e" + canary("d") + strings.Repeat("汉", 5000), "<think>" + canary("e"), "panic: " + canary("f") + "\n\ngoroutine 1 [running]:", "\x1b[31m" + canary("g"), strings.Repeat(canary("h")+"\n", 50_000),
	} {
		if _, err := c.Publish(t.Context(), schema.Turn{ID: "t" + itoa(i), User: "ann", At: day, Input: text, Response: text, ToolResults: []schema.ToolResult{{Name: "web_fetch", Output: text}, {Name: "files_read", Output: text}, {Name: "cmd_run", Output: text}}}); err != nil {
			t.Fatal(err)
		}
	}
	c.Settle()
	for _, q := range []string{canary("a"), canary("b") + " 中文", "\x00\u202e" + canary("q")} {
		c.Ask(schema.Query{User: "ann", Query: q, Now: day, Explain: true})
	}
	// A client that goes away in the middle of what it says.
	ctx, cancel := context.WithCancel(t.Context())
	cl, err := child.Bare("choir")
	if err != nil {
		t.Fatal(err)
	}
	_, err = cl.PublishBatch(ctx, breaksOff{r: strings.NewReader(strings.Repeat(jsonOf(schema.Turn{User: "ann", Input: canary("gone")})+"\n", 3)), cancel: cancel})
	if err == nil {
		t.Error("a batch that broke off is answered")
	}
	if _, err := child.Terminate(t); err != nil {
		t.Error(err)
	}
	silent(t, child.Logs.String(), `"level":"DEBUG"`)
}

// breaksOff is a body that ends its own request.
type breaksOff struct {
	r      *strings.Reader
	cancel context.CancelFunc
}

func (b breaksOff) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil {
		b.cancel()
		return n, errors.New("broke off")
	}
	return n, err
}

// silent fails the test where out holds a canary, or does not hold what shows that it is the output.
func silent(t *testing.T, out string, holds ...string) {
	t.Helper()
	for _, h := range holds {
		if !strings.Contains(out, h) {
			t.Errorf("%q is not in the output of %d bytes, so it shows little", h, len(out))
		}
	}
	shown := 0
	for line := range strings.Lines(out) {
		if strings.Contains(strings.ToLower(line), "canary") {
			if shown++; shown <= 20 {
				t.Errorf("a log line holds words of a client's: %.600s", line)
			}
		}
	}
	if shown > 20 {
		t.Errorf("and %d more", shown-20)
	}
}
