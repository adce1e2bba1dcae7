// Package roles runs Siltstone as separate processes, one a role, and shows that they are the same system.
package roles

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/examples"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestMain(m *testing.M) {
	stacktest.RunChild()
	os.Exit(stacktest.Main(m))
}

// day is the moment from which the tests count.
var day = time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC)

// site is a data directory with the servers on it, at addresses that outlive them.
type site struct {
	t       testing.TB
	dir     string
	listen  []string
	servers *stacktest.Child
	more    []string // flags of every role
}

// newSite starts servers alone.
func newSite(t testing.TB, more ...string) *site {
	t.Helper()
	if testing.Short() {
		t.Skip("processes of their own")
	}
	s := &site{t: t, dir: filepath.Join(t.TempDir(), "data"), more: more}
	for _, name := range []string{"nats", "qdrant", "redis"} {
		l, err := net.Listen("tcp", stacktest.Loopback)
		if err != nil {
			t.Fatal(err)
		}
		s.listen = append(s.listen, "--"+name+"-listen", l.Addr().String())
		_ = l.Close()
	}
	s.start()
	return s
}

func (s *site) start() {
	s.t.Helper()
	s.servers = stacktest.SpawnRole(s.t, "none", append([]string{"--data", s.dir}, s.listen...)...)
}

func (s *site) connect() string { return filepath.Join(s.dir, "connect.yaml") }

// role starts one role against the servers.
func (s *site) role(role string, flags ...string) *stacktest.Child {
	s.t.Helper()
	args := append([]string{"--config", s.connect(), "--data", filepath.Join(s.dir, "..", role), "--http-addr", stacktest.Loopback, "--pipeline-ack-wait", "5s"}, s.more...)
	return stacktest.SpawnRole(s.t, role, append(args, flags...)...)
}

// over is a client over NATS.
func (s *site) over(tenant string) *client.NATS {
	s.t.Helper()
	c, err := config.Load(s.connect(), nil, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	n, err := client.NewNATS(stacktest.Dial(s.t, c), client.WithTenant(tenant), client.WithTimeout(30*time.Second))
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func same(t *testing.T, what string, a, b schema.Reply) {
	t.Helper()
	a.TookMS, b.TookMS = 0, 0
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if string(x) != string(y) {
		t.Errorf("%s: one process answers\n%s\nand the roles\n%s", what, x, y)
	}
}

func TestB1_RolesApartAnswerAsOneProcess(t *testing.T) {
	s := newSite(t)
	ingester, retriever := s.role("ingester"), s.role("retriever")
	s.role("distiller")
	whole := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data"))).As(t, "demo")
	write, read, over := ingester.As(t, "demo"), retriever.As(t, "demo"), s.over("demo")
	for _, c := range []*stacktest.Tenant{whole, write} {
		out, err := c.PublishBatch(t.Context(), strings.NewReader(string(examples.Turns)))
		if err != nil || len(out.Accepted) < 80 || len(out.Rejected) > 0 {
			t.Fatalf("%d accepted, %+v, %v", len(out.Accepted), out.Rejected, err)
		}
		c.Settle()
	}
	found := 0
	for user, questions := range map[string][]string{
		"maya": {"Who is my manager?", "What may I not eat?", "deploy", "Which port does the gateway use?", "what happened last week", "nothing of that kind zzqx"},
		"lin":  {"我的经理是谁？", "网关端口", "我不能吃什么", "部署规则", "上周发生了什么"},
	} {
		for _, q := range questions {
			ask := schema.Query{User: user, Query: q, Now: day.AddDate(1, 0, 0), Limit: 30, Explain: true, IncludeHistory: true}
			one := whole.Ask(ask)
			same(t, q, one, read.Ask(ask))
			there, err := over.Query(t.Context(), ask)
			if err != nil {
				t.Fatal(err)
			}
			same(t, q+" over NATS", one, there)
			found += len(one.Items)
		}
	}
	if found < 20 {
		t.Errorf("only %d items were compared", found)
	}
	a, b := whole.Settle().Ledger, read.Settle().Ledger
	if a != b {
		t.Errorf("ledgers %+v and %+v", a, b)
	}
	for _, c := range []*stacktest.Child{ingester, retriever} {
		if took, err := c.Terminate(t); err != nil {
			t.Errorf("after %s: %v", took, err)
		}
	}
}

// flood is n turns with a word of its own each.
func flood(from, to int) []schema.Turn {
	var out []schema.Turn
	for i := from; i < to; i++ {
		n := strconv.Itoa(i)
		out = append(out, schema.Turn{
			ID: "f" + n, User: "u" + strconv.Itoa(i%20), At: day.Add(-time.Hour),
			Input: "The pump zq" + n + "w listens on port " + strconv.Itoa(10000+i) + ". 水泵很安静。", Response: "Noted.",
		})
	}
	return out
}

// once fails the test for every number that is not found exactly once, as a turn and as a fact.
func once(t *testing.T, c *stacktest.Tenant, from, to int) {
	t.Helper()
	for i := from; i < to && !t.Failed(); i++ {
		word := "zq" + strconv.Itoa(i) + "w"
		turns, facts := 0, 0
		for _, it := range c.Ask(schema.Query{User: "u" + strconv.Itoa(i%20), Query: word, Now: day, Render: "none", Limit: 100}).Items {
			switch {
			case !strings.Contains(it.Content, word):
			case it.Type == schema.TypeEpisode:
				turns++
			default:
				facts++
			}
		}
		if turns != 1 || facts != 1 {
			t.Errorf("turn %d is found %d times as a turn and %d times as a fact", i, turns, facts)
		}
	}
}

func TestB4_TwoDistillersShareAndOneMayGo(t *testing.T) {
	// Each has an embedder of its own, which tells what it worked on.
	one, two := stacktest.NewEmbedder(t), stacktest.NewEmbedder(t)
	embed := func(e *stacktest.Embedder) []string {
		return []string{"--embed-url", e.URL, "--embed-model", "words", "--embed-dim", strconv.Itoa(stacktest.Dim), "--embed-batch", "8"}
	}
	s := newSite(t)
	ingester := s.role("ingester", embed(one)...)
	retriever := s.role("retriever", embed(one)...)
	stays := s.role("distiller", embed(one)...)
	from := 0
	for _, how := range []string{"SIGTERM", "SIGKILL"} {
		goes := s.role("distiller", embed(two)...)
		write, read := ingester.As(t, "two"), retriever.As(t, "two")
		at, before := one.Calls.Load(), two.Calls.Load()
		to := from + 1500
		done := make(chan schema.BatchReply, 1)
		go func() { done <- write.PutMany(flood(from, to)) }()
		stacktest.Eventually(t, "both to have worked", func() error {
			if a, b := one.Calls.Load()-at, two.Calls.Load()-before; a < 3 || b < 3 {
				return fmt.Errorf("%d and %d calls", a, b)
			}
			return nil
		})
		if how == "SIGKILL" {
			goes.Kill(t)
		} else if took, err := goes.Terminate(t); err != nil {
			t.Errorf("%s: after %s: %v", how, took, err)
		}
		if st, err := read.Status(t.Context()); err != nil || st.Idle {
			t.Errorf("%s: everything was done before it went, so nothing is shown (%v)", how, err)
		}
		if out := <-done; len(out.Accepted) != to-from {
			t.Fatalf("%s: %d of %d accepted", how, len(out.Accepted), to-from)
		}
		if l := read.Settle().Ledger; l != (schema.Ledger{Accepted: uint64(to), Indexed: uint64(to)}) {
			t.Errorf("%s: the ledger is %+v, want all %d indexed", how, l, to)
		}
		once(t, read, from, from+100)
		once(t, read, to-100, to)
		from = to
	}
	if took, err := stays.Terminate(t); err != nil {
		t.Errorf("after %s: %v", took, err)
	}
}

// Every stage in a process of its own; one that comes late catches up.
func TestB1_StagesApartAndOneThatComesLate(t *testing.T) {
	s := newSite(t)
	ingester, retriever := s.role("ingester"), s.role("retriever")
	for _, stage := range []string{"clean", "extract", "distill", "decide,forget"} {
		s.role("distiller", "--stages", stage)
	}
	write, read := ingester.As(t, "late"), retriever.As(t, "late")
	const n = 200
	if out := write.PutMany(flood(0, n)); len(out.Accepted) != n {
		t.Fatalf("%d accepted", len(out.Accepted))
	}
	pending := func() map[string]uint64 {
		st, err := read.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]uint64{}
		for _, g := range st.Stages {
			out[g.Name] = g.Pending + uint64(g.AckPending)
		}
		return out
	}
	stacktest.Eventually(t, "all but one stage to be done", func() error {
		if p := pending(); p["vectorize"] != n || p["clean"]+p["extract"]+p["distill"]+p["decide"] != 0 {
			return fmt.Errorf("pending are %v", p)
		}
		return nil
	})
	if st, err := read.Status(t.Context()); err != nil || st.Idle || st.Ledger.Pending != n {
		t.Errorf("with a stage missing: %+v %v", st, err)
	}
	late := s.role("distiller", "--stages", "vectorize")
	if l := read.Settle().Ledger; l != (schema.Ledger{Accepted: n, Indexed: n}) {
		t.Errorf("the ledger is %+v", l)
	}
	once(t, read, 0, 50)

	// And once more, after it was there.
	if _, err := late.Terminate(t); err != nil {
		t.Error(err)
	}
	write.PutMany(flood(n, n+50))
	stacktest.Eventually(t, "one stage to lag", func() error {
		if p := pending(); p["vectorize"] != 50 || p["decide"]+p["distill"]+p["clean"] != 0 {
			return fmt.Errorf("pending are %v", p)
		}
		return nil
	})
	s.role("distiller", "--stages", "vectorize")
	if l := read.Settle().Ledger; l != (schema.Ledger{Accepted: n + 50, Indexed: n + 50}) {
		t.Errorf("the ledger is %+v", l)
	}
	once(t, read, n, n+50)
	if f, err := write.Forget(t.Context(), schema.Forget{User: "u1", All: true}); err != nil || f.Matched == 0 {
		t.Errorf("%+v %v", f, err)
	}
	if l := read.Settle().Ledger; l.Forgotten == 0 || l.Forgotten+l.Indexed != l.Accepted {
		t.Errorf("after a forget: %+v", l)
	}
}

// The servers are killed under the roles and started again: every role goes on, and what was accepted is there.
func TestRolesOutliveTheServers(t *testing.T) {
	s := newSite(t)
	ingester, retriever := s.role("ingester"), s.role("retriever")
	distiller := s.role("distiller")
	write, read := ingester.As(t, "outlive"), retriever.As(t, "outlive")
	over := s.over("outlive")
	from := 0
	for round := range 2 {
		to := from + 300
		if out := write.PutMany(flood(from, to)); len(out.Accepted) != to-from {
			t.Fatalf("round %d: %d accepted", round, len(out.Accepted))
		}
		if round == 0 {
			s.servers.Kill(t)
		} else if took, err := s.servers.Terminate(t); err != nil {
			t.Errorf("the servers end after %s: %v", took, err)
		}
		if _, err := read.Query(t.Context(), schema.Query{User: "u0", Query: "pump", Now: day}); err == nil {
			t.Log("a query is answered without the servers")
		}
		s.start()
		stacktest.Eventually(t, "the retriever to be ready", func() error {
			if code, body := read.Send("GET", "/readyz", "", ""); code != 200 {
				return fmt.Errorf("%d %s", code, body)
			}
			return nil
		})
		if l := read.Settle().Ledger; l != (schema.Ledger{Accepted: uint64(to + round), Indexed: uint64(to + round)}) { // and the one over NATS
			t.Errorf("round %d: the ledger is %+v", round, l)
		}
		once(t, read, from, from+40)
		stacktest.Eventually(t, "the services to answer", func() error {
			_, err := over.Publish(t.Context(), schema.Turn{ID: "again", User: "v", Input: "My kettle is blue."})
			return err
		})
		stacktest.Eventually(t, "a query over NATS", func() error {
			r, err := over.Query(t.Context(), schema.Query{User: "v", Query: "kettle", Now: day})
			if err == nil && len(r.Items) == 0 {
				err = fmt.Errorf("nothing found")
			}
			return err
		})
		read.Settle()
		from = to
	}
	for name, c := range map[string]*stacktest.Child{"ingester": ingester, "retriever": retriever, "distiller": distiller} {
		if took, err := c.Terminate(t); err != nil {
			t.Errorf("the %s ends after %s: %v", name, took, err)
		}
	}
}
