package rows

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// process is the configuration of one process over the servers of another.
func process(at config.Config, role string, stages ...string) config.Config {
	c := config.Default()
	c.NATS.URL, c.Qdrant.Addr, c.Qdrant.Key, c.Redis.URL = at.NATS.URL, at.Qdrant.Addr, at.Qdrant.Key, at.Redis.URL
	c.HTTP.Addr, c.Log.Level = stacktest.Loopback, "debug"
	c.Roles = []string{role}
	if len(stages) > 0 {
		c.Stages = stages
	}
	c.Pipeline.AckWait = 2 * time.Second
	c.Pipeline.Window = 16 // so that nobody takes everything at once
	return c
}

// servers runs the three servers and nothing else, for the processes of one test.
func servers(t *testing.T) (*stacktest.Stack, config.Config) {
	t.Helper()
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Roles = []string{"none"}
	s := stacktest.Up(t, cfg)
	if s.URL != "" {
		t.Errorf("servers alone serve HTTP at %s", s.URL)
	}
	return s, s.Connect(t)
}

func TestB1_StagesAreStartedStoppedAndScaledOneByOne(t *testing.T) {
	_, at := servers(t)
	cfg := process(at, "ingester")
	cfg.Read.Timeout = 500 * time.Millisecond // the status of what no stage has seen yet waits so long
	in := stacktest.Up(t, cfg).As(t, "b1")
	out := stacktest.Up(t, process(at, "retriever")).As(t, "b1")

	put := func(prefix string, n int) {
		var turns []schema.Turn
		for i := range n {
			x := turn(prefix+itoa(i), fmt.Sprintf("My locker number is %s%d.", prefix, i), "Noted.")
			x.User = "u" + itoa(i) // each with a fact, so that every stage has work
			turns = append(turns, x)
		}
		if r := in.PutMany(turns); len(r.Accepted) != n {
			t.Fatalf("accepted %d of %d: %+v", len(r.Accepted), n, r.Rejected)
		}
	}
	q := ask("Which locker?")
	q.User = "u7"
	// flags waits until exactly these stages have settled the event.
	flags := func(id string, want ...string) {
		t.Helper()
		stacktest.Eventually(t, fmt.Sprintf("%s to have passed %v", id, want), func() error {
			st, err := in.EventStatus(t.Context(), id, false)
			if err != nil {
				return err
			}
			for s, done := range st.Stages {
				if done != slices.Contains(want, s) {
					return fmt.Errorf("stages are %v", st.Stages)
				}
			}
			return nil
		})
	}
	const n = 40
	put("a", n)
	if st, err := in.Status(t.Context()); err != nil || st.Idle || st.Ledger.Pending != n {
		t.Fatalf("with no distiller: %+v, %v", st, err)
	}
	if r := out.Ask(q); len(r.Items) > 0 {
		t.Errorf("found before any stage ran: %v", contents(r.Items))
	}
	run := map[string]*stacktest.Stack{}
	var done []string
	for _, stage := range []string{"clean", "vectorize", "extract", "distill", "decide"} {
		run[stage] = stacktest.Up(t, process(at, "distiller", stage))
		if run[stage].URL != "" {
			t.Errorf("the distiller of %s serves HTTP", stage)
		}
		done = append(done, stage)
		flags("a"+itoa(n-1), done...)
		for other, s := range run {
			if other != stage && s.Handled(t, stage) > 0 {
				t.Errorf("the process of %s did the work of %s", other, stage)
			}
		}
	}
	if l := in.Settle().Ledger; l.Indexed != n {
		t.Errorf("the ledger is %+v", l)
	}
	if _, ok := stacktest.Find(out.Ask(q).Items, "a7"); !ok {
		t.Error("not found by the retriever")
	}

	// One stage stops: what waits for it waits, the others go on.
	if err := run["extract"].Stop(); err != nil {
		t.Fatal(err)
	}
	put("b", 10)
	flags("b9", "clean", "vectorize", "distill", "decide")
	if st, err := in.Status(t.Context()); err != nil || st.Idle || st.Ledger.Pending != 10 || st.Ledger.Indexed != n {
		t.Errorf("without extract: %+v, %v", st, err)
	}
	stacktest.Up(t, process(at, "distiller", "extract"))
	in.Settle()

	// One stage is scaled: two share its work, and nothing is done twice.
	second := stacktest.Up(t, process(at, "distiller", "vectorize"))
	before := run["vectorize"].Handled(t, "vectorize")
	const m = 300
	put("c", m)
	stacktest.Balanced(t, in.Settle().Ledger)
	one, two := run["vectorize"].Handled(t, "vectorize")-before, second.Handled(t, "vectorize")
	if one == 0 || two == 0 || one+two != m {
		t.Errorf("of %d events the two did %d and %d", m, one, two)
	}
	// Forgetting is a stage like the others.
	if _, err := in.Forget(t.Context(), schema.Forget{User: "u7", IDs: []string{"a7"}}); err != nil {
		t.Fatal(err)
	}
	stacktest.Up(t, process(at, "distiller", "forget"))
	if l := in.Settle().Ledger; l.Forgotten != 1 || l.Accepted != n+10+m {
		t.Errorf("the ledger is %+v", l)
	}
}

func TestB1_TwoWholeDistillersShareTheWork(t *testing.T) {
	_, at := servers(t)
	in := stacktest.Up(t, process(at, "ingester")).As(t, "b1")
	out := stacktest.Up(t, process(at, "retriever")).As(t, "b1")
	d := []*stacktest.Stack{stacktest.Up(t, process(at, "distiller")), stacktest.Up(t, process(at, "distiller"))}
	var turns []schema.Turn
	const n = 300
	for i := range n {
		x := turn("e"+itoa(i), fmt.Sprintf("My shelf %d holds the %dth atlas.", i, i), "Noted.")
		x.User = "user-" + itoa(i%7)
		turns = append(turns, x)
	}
	in.PutMany(turns)
	l := in.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Indexed != n {
		t.Errorf("the ledger is %+v", l)
	}
	for _, stage := range []string{"clean", "vectorize", "extract", "distill"} {
		a, b := d[0].Handled(t, stage), d[1].Handled(t, stage)
		if a == 0 || b == 0 || a+b != n {
			t.Errorf("%s: the two did %d and %d of %d", stage, a, b, n)
		}
	}
	q := ask("shelf 8 atlas")
	q.User = "user-1"
	if _, ok := stacktest.Find(out.Ask(q).Items, "shelf 8 "); !ok {
		t.Error("not found")
	}
}

func TestB2_EveryAcceptedEventIsAccountedFor(t *testing.T) {
	e := stacktest.NewEmbedder(t)
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Embed.URL, cfg.Embed.Model, cfg.Embed.Dim = e.URL, "test", stacktest.Dim
	s := stacktest.Up(t, cfg)
	c := s.As(t, "ledger")
	var turns []schema.Turn
	for i := range 20 {
		turns = append(turns, turn("ok"+itoa(i), fmt.Sprintf("Bicycle %d stands in rack %d.", i, i), "Noted."))
	}
	turns = append(turns,
		turn("poison", "This one the embedder cannot take: "+stacktest.Refused, "Noted."),
		schema.Turn{ID: "meta", User: "ann", At: day, ToolResults: []schema.ToolResult{tool("todo_write", "1. plan")}},
		schema.Turn{ID: "shell", User: "ann", At: day, ToolResults: []schema.ToolResult{tool("cmd_run", "ok")}},
		turn("gone", "The garden gate squeaks.", "Noted."),
		turn("ok0", "Bicycle 0 stands in rack 0.", "Noted."), // a retry: the same event
		turn("ok1", "Another bicycle under a taken id.", "Noted."),
	)
	r := c.PutMany(turns)
	if len(r.Accepted) != 25 || len(r.Rejected) != 1 || r.Rejected[0].Error.Code != schema.CodeConflict || r.Rejected[0].Error.Field != "id" || r.Rejected[0].Line != 26 {
		t.Fatalf("accepted %d, rejected %+v", len(r.Accepted), r.Rejected)
	}
	if last := r.Accepted[24]; !last.Duplicate || last.ID != "ok0" || last.Seq != r.Accepted[0].Seq {
		t.Errorf("the retry is answered with %+v", last)
	}
	c.Settle()
	if _, err := c.Forget(t.Context(), schema.Forget{User: "ann", IDs: []string{"gone"}}); err != nil {
		t.Fatal(err)
	}
	want := schema.Ledger{Accepted: 24, Indexed: 20, Dropped: 2, Dead: 1, Forgotten: 1}
	if l := c.Settle().Ledger; l != want {
		t.Errorf("the ledger is %+v, want %+v", l, want)
	}
	if st := c.What("poison"); st.State != "dead" {
		t.Errorf("the poisoned event is %s", st.State)
	}

	// What slips through the log's window of duplicates: entries of one id, with the same and with another body.
	js, err := jetstream.New(stacktest.Dial(t, s.Connect(t)))
	if err != nil {
		t.Fatal(err)
	}
	log, err := js.Stream(t.Context(), "SILT_LOG")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := log.GetMsg(t.Context(), r.Accepted[2].Seq)
	if err != nil {
		t.Fatal(err)
	}
	entry.Header.Del(jetstream.MsgIDHeader)
	other := strings.Replace(string(entry.Data), "Bicycle", "Tricycle", 1)
	for _, body := range []string{string(entry.Data), other} {
		m := &nats.Msg{Subject: entry.Subject, Header: nats.Header{}, Data: []byte(body)}
		for k := range entry.Header {
			m.Header.Set(k, entry.Header.Get(k))
		}
		m.Header.Set(events.HeaderHash, schema.Hash([]byte(body)))
		for _, k := range []string{"Nats-Batch-Id", "Nats-Batch-Sequence", "Nats-Batch-Commit", "Nats-Expected-Last-Subject-Sequence"} {
			m.Header.Del(k)
		}
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	want.Accepted, want.Duplicate = 26, 2
	if l := c.Settle().Ledger; l != want {
		t.Errorf("the ledger is %+v, want %+v", l, want)
	}
	if items := c.Ask(ask("Bicycle 2 rack 2 Tricycle")).Items; len(items) == 0 || count(items, "rack 2.") != 1 {
		t.Errorf("found: %v", contents(items))
	}
	if raw, err := c.Event(t.Context(), "ok2"); err != nil || string(raw) != string(entry.Data) {
		t.Errorf("the first body does not win: %s, %v", raw, err)
	}

	// What is refused for good on the plain way is dead-lettered, and never was accepted.
	for _, body := range []string{`{"user":"ann","input":`, `{"user":"ann","id":"plain","input":"The plain way works, says the heron."}`} {
		if _, err := js.Publish(t.Context(), events.InSubject("ledger"), []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	stacktest.Eventually(t, "the plain way to end", func() error {
		dlq, err := js.Stream(t.Context(), "SILT_DLQ")
		if err != nil {
			return err
		}
		in, err := js.Stream(t.Context(), "SILT_IN")
		if err != nil {
			return err
		}
		if d, i := dlq.CachedInfo().State.Msgs, in.CachedInfo().State.Msgs; d != 2 || i != 0 {
			return fmt.Errorf("%d dead letters, %d waiting", d, i)
		}
		return nil
	})
	want.Accepted, want.Indexed = 27, 21
	if l := c.Settle().Ledger; l != want {
		t.Errorf("the ledger is %+v, want %+v", l, want)
	}
	if _, ok := stacktest.Find(c.Ask(ask("heron")).Items, "heron"); !ok {
		t.Error("what came the plain way is not found")
	}
}

// count is how many of the items are turns that hold text.
func count(items []schema.Item, text string) int {
	n := 0
	for _, it := range items {
		if it.Type == schema.TypeEpisode && strings.Contains(it.Content, text) {
			n++
		}
	}
	return n
}

func TestB5_RetrievalAnswersOverNATSAndHTTP(t *testing.T) {
	c := tenant(t)
	c.Put(turn("t", "My telescope is in the attic.", "Noted."), turn("rule", "Never open the attic window.", "OK."))
	at := c.Stack.Connect(t)
	nc := stacktest.Dial(t, at)
	request := func(tenant, body string) *nats.Msg {
		t.Helper()
		m := &nats.Msg{Subject: events.SubjectQuery, Header: nats.Header{}, Data: []byte(body)}
		if tenant != "" {
			m.Header.Set(events.HeaderTenant, tenant)
		}
		r, err := nc.RequestMsg(m, stacktest.Patience())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	body := `{"user":"ann","query":"Where is my telescope?","now":"2026-09-01T09:00:00Z","limit":50}`
	var over schema.Reply
	if err := json.Unmarshal(request(c.Name, body).Data, &over); err != nil {
		t.Fatal(err)
	}
	http := c.Ask(ask("Where is my telescope?"))
	over.TookMS, http.TookMS = 0, 0
	a, _ := json.Marshal(over)
	b, _ := json.Marshal(http)
	if string(a) != string(b) || len(http.Items) == 0 || !strings.Contains(http.Block, "attic window") {
		t.Errorf("over NATS:\n%s\nover HTTP:\n%s", a, b)
	}
	if err := json.Unmarshal(request("", body).Data, &over); err != nil || len(over.Items) != 0 {
		t.Errorf("another tenant finds %v (%v)", contents(over.Items), err)
	}
	for bad, field := range map[string]string{`{"query":"x"}`: "user", `{"user":"a","query":"x","limitt":3}`: "limitt", `{"user":"a","query":"x"`: ""} {
		r := request(c.Name, bad)
		if r.Header.Get("Nats-Service-Error-Code") != "400" || !strings.Contains(r.Header.Get("Nats-Service-Error"), field) {
			t.Errorf("%s is answered with %v", bad, r.Header)
		}
	}
	// A second retriever in another process shares the requests, and each is answered once.
	second := stacktest.Up(t, process(at, "retriever"))
	inbox, err := nc.SubscribeSync(nats.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	const n = 60
	for range n {
		m := &nats.Msg{Subject: events.SubjectQuery, Reply: inbox.Subject, Header: nats.Header{events.HeaderTenant: []string{c.Name}}, Data: []byte(body)}
		if err := nc.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
		r, err := inbox.NextMsg(stacktest.Patience())
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(r.Data, &over); err != nil || len(over.Items) != len(http.Items) {
			t.Fatalf("answer %s (%v)", r.Data, err)
		}
	}
	if more, _, err := inbox.Pending(); err != nil || more > 0 {
		t.Errorf("%d answers too many (%v)", more, err)
	}
	all, err := nc.SubscribeSync(nats.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.PublishRequest("$SRV.STATS.silt-query", all.Subject, nil); err != nil {
		t.Fatal(err)
	}
	var answered []int
	for range 2 {
		m, err := all.NextMsg(stacktest.Patience())
		if err != nil {
			t.Fatalf("statistics of the service: %v (have %v)", err, answered)
		}
		var st struct {
			Endpoints []struct {
				NumRequests int `json:"num_requests"`
			}
		}
		if err := json.Unmarshal(m.Data, &st); err != nil || len(st.Endpoints) != 2 { // the operator's account, and those of tenants
			t.Fatalf("statistics: %s (%v)", m.Data, err)
		}
		answered = append(answered, st.Endpoints[0].NumRequests+st.Endpoints[1].NumRequests)
	}
	if slices.Min(answered) == 0 {
		t.Errorf("the requests are not shared: %v", answered)
	}
	if second.URL == "" {
		t.Error("a retriever serves no HTTP")
	}
}
