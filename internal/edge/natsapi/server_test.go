package natsapi

import (
	"context"
	"encoding/json"
	"fmt"
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

type querier func(context.Context, string, schema.Query) (schema.Reply, error)

func (f querier) Query(ctx context.Context, tenant string, q schema.Query) (schema.Reply, error) {
	return f(ctx, tenant, q)
}

func serve(t *testing.T, concurrent int, q querier) (*Server, *nats.Conn) {
	t.Helper()
	s := eventstest.Server(t, eventstest.MaxPayload(64<<10))
	m, err := Serve(eventstest.Conn(t, s), Config{Querier: q, Queries: concurrent, Requests: 1, Version: "0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m, eventstest.Conn(t, s)
}

func ask(t *testing.T, nc *nats.Conn, tenant, body string) *nats.Msg {
	t.Helper()
	msg := &nats.Msg{Subject: events.SubjectQuery, Data: []byte(body)}
	if tenant != "" {
		msg.Header = nats.Header{events.HeaderTenant: {tenant}}
	}
	r, err := nc.RequestMsg(msg, 10*time.Second)
	if err != nil {
		t.Fatalf("request: %v", err)
	}
	return r
}

func TestB5_QueriesOverNATSRunConcurrently(t *testing.T) {
	var working, most atomic.Int32
	m, nc := serve(t, 64, func(ctx context.Context, _ string, q schema.Query) (schema.Reply, error) {
		if n := working.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer working.Add(-1)
		select { // a query that takes 20 ms
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
		return schema.Reply{Items: []schema.Item{{Content: q.Query}}}, nil
	})
	ask(t, nc, "", `{"user":"u1","query":"warm up"}`)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			r := ask(t, nc, "", fmt.Sprintf(`{"user":"u1","query":"q%d"}`, i))
			var reply schema.Reply
			if err := json.Unmarshal(r.Data, &reply); err != nil || len(reply.Items) != 1 || reply.Items[0].Content != fmt.Sprint("q", i) {
				t.Errorf("reply %s: %v", r.Data, err)
			}
		})
	}
	wg.Wait()
	if most.Load() < 10 { // one at a time is what the services API does by itself
		t.Errorf("50 queries of 20 ms: most %d at once", most.Load())
	}
	eventstest.Eventually(t, 5*time.Second, "stats", func() bool {
		s := m.Stats("silt-query")
		return s.Answered == 51 && s.Working == 0 && s.UnderMS["10"] == 0
	})
}

func TestB5_OverloadIsAnsweredAtOnce(t *testing.T) {
	free := make(chan struct{})
	m, nc := serve(t, 2, func(context.Context, string, schema.Query) (schema.Reply, error) {
		<-free
		return schema.Reply{}, nil
	})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { ask(t, nc, "", `{"user":"u1","query":"slow"}`) })
	}
	eventstest.Eventually(t, 5*time.Second, "both are at work", func() bool { return m.Stats("silt-query").Working == 2 })
	r := ask(t, nc, "", `{"user":"u1","query":"one too many"}`)
	if r.Header.Get(micro.ErrorCodeHeader) != "429" || !strings.Contains(r.Header.Get(micro.ErrorHeader), "overloaded") || m.Stats("silt-query").Overloaded != 1 {
		t.Errorf("headers %v", r.Header)
	}
	close(free)
	wg.Wait()
}

func TestB5_TenantAndErrors(t *testing.T) {
	_, nc := serve(t, 4, func(_ context.Context, tenant string, q schema.Query) (schema.Reply, error) {
		switch q.Query {
		case "panic":
			panic("memory text")
		case "huge":
			return schema.Reply{Block: strings.Repeat("x", 100<<10)}, nil
		case "plain":
			return schema.Reply{}, fmt.Errorf("secret of the store")
		}
		return schema.Reply{Block: tenant}, schema.CheckTenant(tenant)
	})
	for _, c := range []struct{ name, tenant, body, code, body2 string }{
		{"default tenant", "", `{"user":"u1","query":"x"}`, "", `"block":"default"`},
		{"tenant by header", "acme", `{"user":"u1","query":"x"}`, "", `"block":"acme"`},
		{"bad tenant", "a b", `{"user":"u1","query":"x"}`, "400", `"field":"tenant"`},
		{"unknown field", "", `{"user":"u1","query":"x","tenant":"acme"}`, "400", `"field":"tenant"`},
		{"no user", "", `{"query":"x"}`, "400", `"field":"user"`},
		{"not JSON", "", "\x00", "400", `"code":"invalid"`},
		{"a panic", "", `{"user":"u1","query":"panic"}`, "500", `"code":"internal"`},
		{"too large a reply", "", `{"user":"u1","query":"huge"}`, "413", `"field":"limit"`},
		{"an unknown fault does not tell its inside", "", `{"user":"u1","query":"plain"}`, "500", `"message":"a fault on our side; the log names it under this request id"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ask(t, nc, c.tenant, c.body)
			if got := r.Header.Get(micro.ErrorCodeHeader); got != c.code {
				t.Errorf("code %q, want %q (%s)", got, c.code, r.Header.Get(micro.ErrorHeader))
			}
			if !strings.Contains(string(r.Data), c.body2) || strings.Contains(string(r.Data)+fmt.Sprint(r.Header), "secret") {
				t.Errorf("body %s headers %v", r.Data, r.Header)
			}
		})
	}
}

// Another account's tenant is what the server put into the subject, whatever the request's header says.
func TestB5_TenantOfAnotherAccountIsTheSubjects(t *testing.T) {
	_, nc := serve(t, 4, func(_ context.Context, tenant string, _ schema.Query) (schema.Reply, error) {
		return schema.Reply{Block: tenant}, nil
	})
	for _, c := range []struct{ subject, want string }{
		{"silt.query." + schema.Token("Acme.b"), `"block":"Acme.b"`},
		{"silt.query.Acme", `"field":"subject"`},
		{"silt.query." + schema.Token("a b"), `"field":"tenant"`},
	} {
		msg := nats.NewMsg(c.subject)
		msg.Header.Set(events.HeaderTenant, "victim")
		msg.Data = []byte(`{"user":"u1","query":"x"}`)
		r, err := nc.RequestMsg(msg, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(r.Data), c.want) {
			t.Errorf("%s answers %s, want %s in it", c.subject, r.Data, c.want)
		}
	}
}

func TestB5_CloseWaitsForWork(t *testing.T) {
	began, free := make(chan struct{}), make(chan struct{})
	m, nc := serve(t, 2, func(context.Context, string, schema.Query) (schema.Reply, error) {
		close(began)
		<-free
		return schema.Reply{Block: "done"}, nil
	})
	got := make(chan string, 1)
	go func() {
		r, err := nc.Request(events.SubjectQuery, []byte(`{"user":"u1","query":"x"}`), 10*time.Second)
		if err != nil {
			got <- err.Error()
			return
		}
		got <- string(r.Data)
	}()
	<-began
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- m.Close(t.Context()) }()
	<-short.Done()
	select {
	case err := <-closed:
		t.Errorf("closed with a query at work: %v", err)
	default:
	}
	close(free)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if s := <-got; !strings.Contains(s, "done") {
		t.Errorf("the query at work got %q", s)
	}
}
