package faults

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// hostileBody is a turn, or what is none, whose id is %s; refused is the code that every door answers with, "" where it
// is a turn like any.
type hostileBody struct {
	name, body string
	refused    schema.Code
}

// hostileBodies are the bodies of the table bodies × doors.
func hostileBodies() []hostileBody {
	const deep = 100_000
	said := func(name, text string) hostileBody {
		return hostileBody{name, `{"id":"%s","user":"u","input":` + jsonOf(text) + `}`, ""}
	}
	bodies := []hostileBody{
		said("no space", strings.Repeat("x", 10<<20)), said("cjk", strings.Repeat("汉字没有标点符号", 8<<20/24)),
		said("json deep", strings.Repeat(`{"a":`, deep)+`1`+strings.Repeat(`}`, deep)), said("html deep", strings.Repeat("<div>", deep)+"x"),
		said("nul", "\x00a\x00"),
		{"lone surrogate", `{"id":"%s","user":"u","input":"\ud800"}`, ""},
		{"no object", `@`, schema.CodeInvalid}, {"null", `null`, schema.CodeInvalid},
		{"invalid UTF-8", "{\"id\":\"%s\",\"user\":\"u\",\"input\":\"\xc3\x28\"}", schema.CodeInvalid},
		{"raw surrogate", "{\"id\":\"%s\",\"user\":\"u\",\"input\":\"\xed\xa0\x80\"}", schema.CodeInvalid},
		{"raw NUL", "{\"id\":\"%s\",\"user\":\"u\",\"input\":\"\x00\"}", schema.CodeInvalid},
		{"a key twice", `{"id":"%s","user":"u","user":"v","input":"x"}`, schema.CodeInvalid},
		{"a folded key", `{"id":"%s","user":"u","uſer":"v","input":"x"}`, schema.CodeInvalid},
		{"an escaped key", `{"id":"%s","user":"u","\u0075ser":"v","input":"x"}`, schema.CodeInvalid},
		{"keys deep", `{"id":"%s","user":"u","input":"x","metadata":` + strings.Repeat(`{"a":`, deep) + `1` + strings.Repeat(`}`, deep) + `}`, schema.CodeInvalid},
		{"too long", `{"id":"%s","user":"u","input":"` + strings.Repeat("x", 16<<20) + `"}`, schema.CodeTooLarge},
		{"100 MB of a tool", `{"id":"%s","user":"u","tool_results":[{"name":"t","output":"` + strings.Repeat("x", 100<<20) + `"}]}`, schema.CodeTooLarge},
	}
	for _, id := range []string{"*", ">", "", "a\x00b", "a\r\nb", " a", strings.Repeat("u", 5000)} {
		bodies = append(bodies, hostileBody{fmt.Sprintf("user %.10q", id), `{"id":"%s","user":` + jsonOf(id) + `,"input":"x"}`, schema.CodeInvalid})
	}
	for _, id := range []string{"a.b", "a b", "../../x"} {
		bodies = append(bodies, hostileBody{fmt.Sprintf("user %q", id), `{"id":"%s","user":` + jsonOf(id) + `,"input":"x"}`, ""})
	}
	return bodies
}

// door offers one turn and answers with the code that it was refused with, "" where it was taken.
type door struct {
	name string
	put  func(t *testing.T, raw string) schema.Code
	// large says that a turn of any length reaches the door; the others have a limit of their own before it.
	large bool
}

// TestHostileBodiesAtEveryDoor offers each body at each door: each is refused with the right code or taken, nothing that
// was taken is lost, good neighbours are found, and all of it fits into the memory that the process may have.
func TestHostileBodiesAtEveryDoor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	child := stacktest.Spawn(t, dir, "--nats-listen", stacktest.Loopback)
	c := child.As(t, "doors")
	cfg, err := config.Load(filepath.Join(dir, "connect.yaml"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	nc := stacktest.Dial(t, cfg)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := client.NewNATS(nc, client.WithTenant(c.Name))
	if err != nil {
		t.Fatal(err)
	}
	plain := &in{t: t, nc: nc, js: js}
	doors := []door{
		{"HTTP", func(t *testing.T, raw string) schema.Code {
			return httpCode(t, c, "application/json", raw)
		}, true},
		{"HTTP NDJSON", func(t *testing.T, raw string) schema.Code {
			code, b := c.Send("POST", "/v1/events", "application/x-ndjson", raw+"\n")
			var r schema.BatchReply
			if code == http.StatusAccepted && json.Unmarshal([]byte(b), &r) == nil && len(r.Rejected) == 1 {
				return r.Rejected[0].Error.Code
			}
			if code == http.StatusAccepted {
				return ""
			}
			return errorCode(t, code, b)
		}, true},
		{"HTTP gzip", func(t *testing.T, raw string) schema.Code {
			return gzipped(t, c, raw)
		}, true},
		{"silt.ingest", func(t *testing.T, raw string) schema.Code {
			_, err := agent.PublishRaw(t.Context(), []byte(raw))
			return codeOf(err)
		}, false},
		{"silt.ingest by a claim", func(t *testing.T, raw string) schema.Code {
			m := claimOf(t, js, c.Name, raw)
			m.Subject = events.SubjectIngest
			m.Header[events.HeaderTenant] = []string{c.Name}
			res, err := nc.RequestMsg(m, stacktest.Patience())
			if err != nil {
				t.Fatal(err)
			}
			var e schema.WireError
			_ = json.Unmarshal(res.Data, &e)
			return e.Code
		}, true},
		{"silt.in", func(t *testing.T, raw string) schema.Code {
			m := &nats.Msg{Data: []byte(raw), Header: nats.Header{}}
			if len(raw) > events.MaxInWork {
				m = claimOf(t, js, c.Name, raw)
			}
			m.Subject = events.InSubject(c.Name)
			dead := plain.count(events.StreamDLQ)
			if !plain.put(m) {
				t.Fatal("the stream refuses it")
			}
			plain.drained()
			if plain.count(events.StreamDLQ) == dead {
				return ""
			}
			return lastLetter(t, js).Code
		}, true},
	}
	taken, neighbours := 0, 0
	want := map[string]string{} // by id, what was taken
	for bi, b := range hostileBodies() {
		if testing.Short() && len(b.body) > 2<<20 {
			continue
		}
		for di, d := range doors {
			id := fmt.Sprintf("b%d-d%d", bi, di)
			raw := strings.Replace(b.body, "%s", id, 1)
			if len(raw) > 32<<20 && d.name != "HTTP" && d.name != "HTTP gzip" {
				continue // longer than a batch may be, or a store should be made to hold: hundred sends it otherwise
			}
			got := d.put(t, raw)
			if !d.large && b.refused == schema.CodeTooLarge {
				got = b.refused
			}
			if got != b.refused {
				t.Errorf("%s at %s is answered with %q, want %q", b.name, d.name, got, b.refused)
			}
			if got == "" {
				taken++
				want[id] = raw
			}
		}
		neighbours++
		put := fmt.Sprintf(`{"user":"ann%d","id":"n%d","at":"2026-09-01T08:00:00Z","input":"My locker is number zq%dw."}`, bi, bi, bi)
		if code := httpCode(t, c, "application/json", put); code != "" {
			t.Errorf("a good turn after %s is refused with %q", b.name, code)
		}
	}
	if code := gzipped(t, c, strings.Repeat("\x00", 100<<20)); code != schema.CodeTooLarge {
		t.Errorf("a gzip bomb is answered with %q", code)
	}
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Accepted != uint64(taken+neighbours) || l.Indexed+l.Dropped != l.Accepted {
		t.Errorf("%d turns were taken, the ledger says %+v", taken+neighbours, l)
	}
	for id, raw := range want {
		got, err := c.Event(t.Context(), id)
		if err != nil || string(got) != raw {
			t.Errorf("%s: %d bytes came back of %d, %v", id, len(got), len(raw), err)
		}
	}
	for _, n := range []int{0, neighbours / 2, neighbours - 1} {
		if _, ok := stacktest.Find(c.Ask(schema.Query{User: "ann" + itoa(n), Query: "zq" + itoa(n) + "w", Now: day}).Items, "zq"+itoa(n)+"w"); !ok {
			t.Errorf("neighbour %d is not found", n)
		}
	}
	if m := peak(t, child.PID()); m > mostMemory && !raceEnabled {
		t.Errorf("the process used %d MB at most, over %d", m>>20, mostMemory>>20)
	} else {
		t.Logf("%d turns taken, the process used %d MB at most", taken, m>>20)
	}
}

// TestHostileRequestsAtEveryService sends the services what is no request of theirs, with headers of all kinds.
func TestHostileRequestsAtEveryService(t *testing.T) {
	s := stacktest.Shared(t)
	c := s.As(t, "")
	nc := stacktest.Dial(t, s.Connect(t))
	ask := func(subject string, h nats.Header, body string) (schema.Code, string) {
		t.Helper()
		res, err := nc.RequestMsg(&nats.Msg{Subject: subject, Header: h, Data: []byte(body)}, stacktest.Patience())
		if err != nil {
			t.Fatalf("%s with %v and %.80q: %v", subject, h, body, err)
		}
		var e schema.WireError
		if res.Header.Get("Nats-Service-Error-Code") != "" {
			_ = json.Unmarshal(res.Data, &e)
		}
		return e.Code, string(res.Data)
	}
	good := map[string]string{
		events.SubjectIngest: `{"user":"ann","input":"The hatch is open."}`, events.SubjectQuery: `{"user":"ann","query":"hatch"}`,
		events.SubjectForget: `{"user":"ann","ids":["none"]}`, events.SubjectStatus: ``,
	}
	for subject, body := range good {
		for _, bad := range hostileBodies() {
			raw := strings.Replace(bad.body, "%s", "x", 1)
			if len(raw) > 900<<10 || bad.refused == "" && subject == events.SubjectIngest || bad.name == "null" && subject == events.SubjectStatus { // nothing is what status takes
				continue
			}
			if code, data := ask(subject, nats.Header{events.HeaderTenant: {c.Name}}, raw); code != schema.CodeInvalid {
				t.Errorf("%s answers %s with %q %.200s", subject, bad.name, code, data)
			}
		}
		mine := func(more nats.Header) nats.Header {
			h := nats.Header{events.HeaderTenant: {c.Name}}
			for k, v := range more {
				h[k] = v
			}
			return h
		}
		for _, h := range []nats.Header{{events.HeaderTenant: {c.Name, c.Name}}, {events.HeaderTenant: {c.Name}, strings.ToLower(events.HeaderTenant): {"other"}}, {events.HeaderTenant: {"*"}}} {
			if code, data := ask(subject, h, body); code != schema.CodeInvalid {
				t.Errorf("%s answers the headers %v with %q %.200s", subject, h, code, data)
			}
		}
		many := nats.Header{}
		for i := range 2000 {
			many["X-"+itoa(i)] = []string{"v", "w"}
		}
		for name, h := range map[string]nats.Header{
			"status": {"Status": {"503"}, "Description": {"No Responders"}}, "idle": {"Status": {"100"}}, "rollup": {"Nats-Rollup": {"all"}}, "id": {"Nats-Msg-Id": {"x"}},
			"expected": {"Nats-Expected-Stream": {"SILT_LOG"}}, "error": {"Nats-Service-Error": {"x"}, "Nats-Service-Error-Code": {"500"}}, "many": many, "long": {"X-Long": {strings.Repeat("h", 200<<10)}},
			"trace": {events.HeaderTrace: {"00-zz"}},
		} {
			if code, data := ask(subject, mine(h), body); code != "" {
				t.Errorf("%s answers a good request with the header %s with %q %.200s", subject, name, code, data)
			}
		}
		// An empty body behind a status header looks like a message of the server's own.
		if code, _ := ask(subject, mine(nats.Header{"Status": {"404"}}), ""); code != schema.CodeInvalid && subject != events.SubjectStatus {
			t.Errorf("%s answers an empty body with %q", subject, code)
		}
	}
}

// errorCode is the code of an error reply.
func errorCode(t *testing.T, status int, body string) schema.Code {
	t.Helper()
	var e schema.ErrorReply
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error.Code == "" {
		t.Errorf("answered with %d %.200s", status, body)
	}
	return e.Error.Code
}

func httpCode(t *testing.T, c *stacktest.Tenant, contentType, raw string) schema.Code {
	t.Helper()
	code, b := c.Send("POST", "/v1/events", contentType, raw)
	if code == http.StatusAccepted {
		return ""
	}
	return errorCode(t, code, b)
}

// gzipped sends raw packed.
func gzipped(t *testing.T, c *stacktest.Tenant, raw string) schema.Code {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(raw)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", c.Stack.URL+"/v1/events", &b)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("X-Silt-Tenant", c.Name)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var e schema.ErrorReply
	if err := json.NewDecoder(res.Body).Decode(&e); err != nil {
		t.Fatal(err)
	}
	return e.Error.Code
}

func codeOf(err error) schema.Code {
	if err == nil {
		return ""
	}
	return schema.CodeOf(err)
}

// claimOf puts a body into the object store as the client of an agent does, whatever it is, and returns the message that
// claims it.
func claimOf(t *testing.T, js jetstream.JetStream, tenant, raw string) *nats.Msg {
	t.Helper()
	store, err := js.ObjectStore(t.Context(), events.StoreBlobs)
	if err != nil {
		t.Fatal(err)
	}
	hash := schema.Hash([]byte(raw))
	name := "in.0." + schema.EventUUID(tenant, hash) + ".claimed"
	if _, err := store.PutBytes(t.Context(), name, []byte(raw)); err != nil {
		t.Fatal(err)
	}
	return &nats.Msg{Data: []byte("@"), Header: nats.Header{events.HeaderClaim: {name + " " + hash}}}
}

// lastLetter is the last dead letter.
func lastLetter(t *testing.T, js jetstream.JetStream) events.DeadLetter {
	t.Helper()
	s, err := js.Stream(t.Context(), events.StreamDLQ)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.GetMsg(t.Context(), s.CachedInfo().State.LastSeq)
	if err != nil {
		t.Fatal(err)
	}
	d, err := events.ParseDeadLetter(m.Header, m.Data, m.Time)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
