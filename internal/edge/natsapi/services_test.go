package natsapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestServicesMirrorHTTP(t *testing.T) {
	w := &world{}
	_, nc := all(t, w, nil)
	for _, c := range []struct {
		name, subject, body string
		header              []string
		want, call          string
	}{
		{"one turn", "silt.ingest", `{"id":"a","user":"u","input":"x"}`, []string{"Silt-Tenant", "acme"}, `{"id":"a","seq":1}`, "publish acme 1 33"},
		{"one turn, waited for", "silt.ingest", `{"id":"b","user":"u","input":"x"}`, []string{"Silt-Wait", "indexed"}, `{"id":"b","seq":2,"indexed":true}`, "publish default 1 33"},
		{
			"many", "silt.ingest", "{\"id\":\"c\",\"user\":\"u\",\"input\":\"x\"}\n\n{\"user\":\"u\"}\r\nnonsense\n{\"id\":\"d\",\"user\":\"u\",\"input\":\"<&>\"}",
			[]string{"Content-Type", "application/x-ndjson; charset=utf-8"},
			`{"accepted":[{"id":"c","seq":3},{"id":"d","seq":4}],"rejected":[{"line":3,"error":{"code":"invalid"`, "publish default 4 33",
		},
		{"query", "silt.query", `{"user":"u","query":"x"}`, nil, `"block":"default"`, "query default u"},
		{"forget", "silt.forget", `{"user":"u","all":true}`, []string{"silt-tenant", "b"}, `{"job":"j","matched":3}`, "forget b u"},
		{"archive", "silt.archive", `{"user":"u","ids":["t-1","t-2"]}`, []string{"Silt-Tenant", "b"}, `{"job":"j","matched":2}`, "archive b u [t-1 t-2]"},
		{"status", "silt.status", ``, nil, `"idle":true,"floor":7`, "status default"},
		{"status of another account", "silt.status.acme", `{}`, []string{"Silt-Tenant", "victim"}, `"idle":true`, "status acme"},
		{"ingest of another account", "silt.ingest.acme", `{"id":"e","user":"u","input":"x"}`, []string{"Silt-Tenant", "victim"}, `{"id":"e","seq":5}`, "publish acme 1 33"},
		{"forget of another account", "silt.forget.acme", `{"user":"u","all":true}`, []string{"Silt-Tenant", "victim"}, `"job":"j"`, "forget acme u"},
		{"a large turn in the store", "silt.ingest", "@", []string{"Silt-Claim", "there"}, `{"id":"big","seq":6}`, "publish default 1 102434"},
	} {
		r := send(t, nc, c.subject, c.body, c.header...)
		if code := r.Header.Get(micro.ErrorCodeHeader); code != "" || !strings.Contains(string(r.Data), c.want) {
			t.Errorf("%s: code %q, %s; want %s", c.name, code, r.Data, c.want)
		}
		if got := w.last(); got != c.call {
			t.Errorf("%s: called %q, want %q", c.name, got, c.call)
		}
	}
}

func TestServicesRefuseWithACode(t *testing.T) {
	w := &world{}
	_, nc := all(t, w, nil)
	long := strings.Repeat("i", 5000)
	turn := `{"user":"u","input":"x"}`
	for _, c := range []struct {
		name, subject, body string
		header              []string
		code, want          string
	}{
		{"an empty body", "silt.ingest", "", nil, "400", "the body is empty"},
		{"an empty body that looks like a control message", "silt.ingest", "", []string{"Status", "503", "Description", "No Responders"}, "400", "the body is empty"},
		{"the same to query", "silt.query", "", []string{"Status", "100"}, "400", "the body is empty"},
		{"invalid UTF-8", "silt.ingest", "{\"user\":\"\xff\",\"input\":\"x\"}", nil, "400", "UTF-8"},
		{"a NUL in an id", "silt.query", `{"user":"a\u0000","query":"x"}`, nil, "400", `"field":"user"`},
		{"5,000 characters of an id", "silt.forget", `{"user":"` + long + `","all":true}`, nil, "400", `"field":"user"`},
		{"5,000 characters of a tenant", "silt.status", "", []string{"Silt-Tenant", long}, "400", `"field":"tenant"`},
		{"a tenant that is a wildcard", "silt.status", "", []string{"Silt-Tenant", "*"}, "400", `"field":"tenant"`},
		{"an empty tenant", "silt.status", "", []string{"Silt-Tenant", ""}, "400", `"field":"Silt-Tenant"`},
		{"an empty tenant in another case", "silt.ingest", turn, []string{"silt-tenant", ""}, "400", "is empty"},
		{"two tenants", "silt.query", `{"user":"u"}`, []string{"Silt-Tenant", "a", "Silt-Tenant", "b"}, "400", "stands twice"},
		{"two tenants in two cases", "silt.query", `{"user":"u"}`, []string{"Silt-Tenant", "a", "silt-tenant", "b"}, "400", "stands twice"},
		{"the same tenant twice", "silt.ingest", turn, []string{"Silt-Tenant", "a", "Silt-Tenant", "a"}, "400", "stands twice"},
		{"two ways to wait", "silt.ingest", turn, []string{"Silt-Wait", "indexed", "Silt-Wait", "indexed"}, "400", "stands twice"},
		{"an unknown wait", "silt.ingest", turn, []string{"Silt-Wait", "yes"}, "400", "is not indexed"},
		{"no tenant's token", "silt.query.ACME", `{"user":"u"}`, nil, "400", `"field":"subject"`},
		{"no ids", "silt.archive", `{"user":"u","ids":[]}`, nil, "400", `"field":"ids"`},
		{"an unknown field", "silt.forget", `{"user":"u","all":true,"tenant":"b"}`, nil, "400", `"field":"tenant"`},
		{"status with a parameter", "silt.status", `{"tenant":"b"}`, nil, "400", `"field":"tenant"`},
		{"a key twice in two cases", "silt.query", `{"user":"u","USER":"v","query":"x"}`, nil, "400", "USER"},
		{"a batch of nothing", "silt.ingest", "\n \n", []string{"Content-Type", "application/x-ndjson"}, "400", "no turn"},
		{"a claim of another account", "silt.ingest.acme", "@", []string{"Silt-Claim", "there"}, "403", "operator"},
		{"a claim of nothing", "silt.ingest", "@", []string{"Silt-Claim", "gone"}, "503", "unavailable"},
	} {
		before := w.last()
		r := send(t, nc, c.subject, c.body, c.header...)
		if code := r.Header.Get(micro.ErrorCodeHeader); code != c.code || !strings.Contains(string(r.Data), c.want) {
			t.Errorf("%s: code %q, %s; want %s %s", c.name, code, r.Data, c.code, c.want)
		}
		var we schema.WireError
		if err := json.Unmarshal(r.Data, &we); err != nil || we.Code == "" || len(r.Header.Get(HeaderRequest)) != 16 || r.Header.Get(micro.ErrorHeader) == "" {
			t.Errorf("%s: headers %v", c.name, r.Header)
		}
		if retry := r.Header.Get(HeaderRetry); (retry != "") != (c.code == "503") {
			t.Errorf("%s: retry %q", c.name, retry)
		}
		if w.last() != before && c.subject != "silt.ingest" { // there the port reads the body
			t.Errorf("%s: called %q", c.name, w.last())
		}
	}
}

// Headers that mean something to NATS itself mean nothing here.
func TestServicesIgnoreHeadersOfNATS(t *testing.T) {
	_, nc := all(t, &world{}, nil)
	for _, h := range []string{
		"Nats-Msg-Id", "Nats-Expected-Stream", "Nats-Expected-Last-Sequence", "Nats-Expected-Last-Msg-Id", "Nats-Expected-Last-Subject-Sequence",
		"Nats-Rollup", "Nats-TTL", "Nats-Stream-Source", "Nats-Service-Error", "Nats-Service-Error-Code", "Nats-Schedule", "Nats-Batch-Id",
		"Nats-Batch-Sequence", "Nats-Batch-Commit", "Nats-Incr", "Nats-Subject", "Nats-Sequence", "Nats-Required-Api-Level", "Status", "Description",
	} {
		r := send(t, nc, events.SubjectStatus, "", h, "x", h, "y")
		if r.Header.Get(micro.ErrorCodeHeader) != "" || !strings.Contains(string(r.Data), `"idle":true`) {
			t.Errorf("%s: %v %s", h, r.Header, r.Data)
		}
	}
}

func TestAPanicIsAnsweredAndMayBeRetried(t *testing.T) {
	var log buffer
	w := &world{boom: true}
	_, nc := all(t, w, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	for _, subject := range []string{"silt.query", "silt.ingest", "silt.status", "silt.forget"} {
		r := send(t, nc, subject, map[string]string{"silt.query": `{"user":"u"}`, "silt.ingest": `{"user":"u","input":"x"}`, "silt.forget": `{"user":"u","all":true}`}[subject])
		if r.Header.Get(micro.ErrorCodeHeader) != "500" || r.Header.Get(HeaderRetry) != "1" || !strings.Contains(string(r.Data), `"code":"internal"`) {
			t.Errorf("%s: %v %s", subject, r.Header, r.Data)
		}
	}
	w.mu.Lock()
	w.boom = false
	w.mu.Unlock()
	if r := send(t, nc, "silt.status", ""); !strings.Contains(string(r.Data), `"idle":true`) {
		t.Errorf("afterwards: %s", r.Data)
	}
	if strings.Contains(log.String(), "memory text") || !strings.Contains(log.String(), "request panicked") {
		t.Errorf("the log says %s", log.String())
	}
}

// What is too large to be answered is answered as that, and a batch is refused before anything of it is accepted.
func TestWhatDoesNotFitIsSaid(t *testing.T) {
	w := &world{}
	_, nc := all(t, w, nil, eventstest.MaxPayload(16<<10))
	r := send(t, nc, "silt.ingest", strings.Repeat("x\n", 17), "Content-Type", "application/x-ndjson")
	if r.Header.Get(micro.ErrorCodeHeader) != "413" || w.last() != "" {
		t.Errorf("17 lines: %v %s", r.Header, r.Data)
	}
	// 16 lines that are all wrong in as many words as there can be.
	bad := `{"` + strings.Repeat("k", 900) + `":1}` + "\n"
	r = send(t, nc, "silt.ingest", strings.Repeat(bad, 16), "Content-Type", "application/x-ndjson")
	var out schema.BatchReply
	if err := json.Unmarshal(r.Data, &out); err != nil || len(out.Rejected) != 16 || len(r.Data) > 16<<10 {
		t.Errorf("16 bad lines: %v, %d bytes", err, len(r.Data))
	}
}

// A wait that ends before the request does is an answer, not an error.
func TestAWaitThatTakesTooLongIsAnswered(t *testing.T) {
	w := &world{seq: 500}
	_, nc := all(t, w, func(c *Config) { c.Timeout = 300 * time.Millisecond })
	r := send(t, nc, "silt.ingest", `{"id":"a","user":"u","input":"x"}`, "Silt-Wait", "indexed")
	if string(r.Data) != `{"id":"a","seq":501,"indexed":false}` {
		t.Errorf("%v %s", r.Header, r.Data)
	}
}

// Bodies at work are bounded by their bytes, too; one alone always has room.
func TestTheBudgetOfBytes(t *testing.T) {
	w := &world{slow: make(chan struct{})}
	s, nc := all(t, w, func(c *Config) { c.Bytes = 1000 })
	body := `{"user":"u","input":"` + strings.Repeat("x", 1500) + `"}`
	done := make(chan *nats.Msg, 1)
	go func() { r, _ := nc.Request("silt.ingest", []byte(body), 10*time.Second); done <- r }()
	eventstest.Eventually(t, 5*time.Second, "the first is at work", func() bool { return w.last() != "" })
	if r := send(t, nc, "silt.query", `{"user":"u"}`); r.Header.Get(micro.ErrorCodeHeader) != "429" || r.Header.Get(HeaderRetry) == "" {
		t.Errorf("a second beyond the budget: %v", r.Header)
	}
	close(w.slow)
	if r := <-done; r == nil || !strings.Contains(string(r.Data), `"seq":1`) {
		t.Errorf("the first: %v", r)
	}
	eventstest.Eventually(t, 5*time.Second, "the budget is whole again", func() bool { return s.used.Load() == 0 })
	if r := send(t, nc, "silt.query", `{"user":"u"}`); r.Header.Get(micro.ErrorCodeHeader) != "" {
		t.Errorf("afterwards: %v", r.Header)
	}
}

// Two processes share the work of one queue group, and ping, info and stats tell of both.
func TestServicesAreDiscoveredAndShared(t *testing.T) {
	broker := eventstest.Server(t)
	ws := []*world{{}, {}}
	for _, w := range ws {
		s, err := Serve(eventstest.Conn(t, broker), Config{Publisher: w, Querier: w, Forgetter: w, Archiver: w, Status: w, Queries: 64, Requests: 64, Version: "0.1.0"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close(context.Background()) })
	}
	nc := eventstest.Conn(t, broker)
	const n = 200
	for range n {
		send(t, nc, "silt.status", "")
	}
	total := 0
	for i, w := range ws {
		w.mu.Lock()
		if len(w.calls) == 0 {
			t.Errorf("process %d did nothing", i)
		}
		total += len(w.calls)
		w.mu.Unlock()
	}
	if total != n {
		t.Errorf("%d requests were worked on %d times", n, total)
	}
	for range 3 { // as another account's requests arrive
		send(t, nc, "silt.status.acme", "")
	}
	gather := func(verb string) []string {
		sub, err := nc.SubscribeSync(nats.NewInbox())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = sub.Unsubscribe() }()
		if err := nc.PublishRequest("$SRV."+verb, sub.Subject, nil); err != nil {
			t.Fatal(err)
		}
		var out []string
		for range 2 * len(services) {
			m, err := sub.NextMsg(5 * time.Second)
			if err != nil {
				t.Fatalf("%s: %v after %d", verb, err, len(out))
			}
			out = append(out, string(m.Data))
		}
		return out
	}
	var names []string
	for _, b := range gather("PING") {
		var p micro.Ping
		if err := json.Unmarshal([]byte(b), &p); err != nil || p.Version != "0.1.0" {
			t.Errorf("ping %s: %v", b, err)
		}
		names = append(names, p.Name)
	}
	slices.Sort(names)
	if got := strings.Join(slices.Compact(names), " "); got != "silt-archive silt-forget silt-ingest silt-query silt-status" {
		t.Errorf("services are %s", got)
	}
	if all := strings.Join(gather("INFO"), "\n"); !strings.Contains(all, `"subject":"silt.ingest.*"`) || !strings.Contains(all, `"queue_group":"silt-ingest"`) || !strings.Contains(all, `"reply":"StatusReply"`) {
		t.Errorf("info: %s", all)
	}
	eventstest.Eventually(t, 5*time.Second, "stats", func() bool {
		answered := map[string]int{}
		for _, b := range gather("STATS") {
			var st micro.Stats
			if err := json.Unmarshal([]byte(b), &st); err != nil {
				t.Fatal(err)
			}
			if st.Name == "silt-status" {
				for _, e := range st.Endpoints {
					var ours Stats
					if err := json.Unmarshal(e.Data, &ours); err != nil {
						t.Fatal(err)
					}
					answered[e.Name] += int(ours.Answered)
					if int(ours.Answered) > e.NumRequests {
						t.Errorf("endpoint %s answered %d of %d requests", e.Name, ours.Answered, e.NumRequests)
					}
				}
			}
		}
		return answered["default"] == n && answered[tenantEndpoint] == 3
	})
}

// Requests that come while the service stops are answered, every one: by it, or by the other of the group.
func TestStoppingLosesNoRequest(t *testing.T) {
	broker := eventstest.Server(t)
	var servers []*Server
	for range 2 {
		s, err := Serve(eventstest.Conn(t, broker), Config{Status: &world{}, Queries: 1, Requests: 10000, Version: "0.1.0"})
		if err != nil {
			t.Fatal(err)
		}
		servers = append(servers, s)
	}
	t.Cleanup(func() { _ = servers[1].Close(context.Background()) })
	var answered, sent atomic.Int64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		nc := eventstest.Conn(t, broker)
		wg.Go(func() {
			for {
				var burst sync.WaitGroup
				for range 50 {
					burst.Go(func() {
						sent.Add(1)
						r, err := nc.Request(events.SubjectStatus, nil, 5*time.Second)
						if err != nil {
							t.Errorf("a request is lost: %v", err)
						} else if r.Header.Get(micro.ErrorCodeHeader) == "" {
							answered.Add(1)
						}
					})
				}
				burst.Wait()
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	eventstest.Eventually(t, 10*time.Second, "requests flow", func() bool { return answered.Load() > 500 })
	if err := servers[0].Close(t.Context()); err != nil {
		t.Error(err)
	}
	at := answered.Load()
	eventstest.Eventually(t, 10*time.Second, "the other goes on", func() bool { return answered.Load() > at+500 })
	close(stop)
	wg.Wait()
	if sent.Load() != answered.Load() {
		t.Errorf("%d of %d requests were answered well", answered.Load(), sent.Load())
	}
	t.Logf("%d requests, %d by the one that stopped", sent.Load(), servers[0].Stats("silt-status").Answered)
}

// A publish to a service without a reply subject is worked on; there is nobody to answer.
func TestARequestWithoutReply(t *testing.T) {
	w := &world{}
	s, nc := all(t, w, nil)
	if err := nc.Publish("silt.ingest", []byte(`{"id":"a","user":"u","input":"x"}`)); err != nil {
		t.Fatal(err)
	}
	eventstest.Eventually(t, 5*time.Second, "it is worked on", func() bool { return s.Stats("silt-ingest").Answered == 1 })
	if w.last() != "publish default 1 33" {
		t.Errorf("called %q", w.last())
	}
}
