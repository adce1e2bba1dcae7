package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// in is the plain door: a message on silt.in.<tenant> that nobody answers.
type in struct {
	t       *testing.T
	nc      *nats.Conn
	js      jetstream.JetStream
	refused int
}

// put publishes a message as it is and reports whether the stream took it.
func (d *in) put(m *nats.Msg) bool {
	d.t.Helper()
	res, err := d.nc.RequestMsg(m, stacktest.Patience())
	if err != nil {
		d.t.Fatalf("publish to %q: %v", m.Subject, err)
	}
	var ack struct {
		Stream string          `json:"stream"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(res.Data, &ack); err != nil {
		d.t.Fatalf("publish to %q is answered with %.200q", m.Subject, res.Data)
	}
	if ack.Error != nil {
		d.refused++
		return false
	}
	if ack.Stream != events.StreamIn {
		d.t.Fatalf("%q went into %q", m.Subject, ack.Stream)
	}
	return true
}

func (d *in) count(stream string) uint64 {
	d.t.Helper()
	s, err := d.js.Stream(d.t.Context(), stream)
	if err != nil {
		d.t.Fatal(err)
	}
	i, err := s.Info(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return i.State.Msgs
}

// drained waits until intake has nothing left to do.
func (d *in) drained() {
	d.t.Helper()
	stacktest.Eventually(d.t, "the plain messages to be worked off", func() error {
		if n := d.count(events.StreamIn); n > 0 {
			return fmt.Errorf("%d are left", n)
		}
		return nil
	})
}

// TestHostileMessagesAreSettled: whatever is published on silt.in ends in the log or in the dead letters, costs no
// neighbour anything, and changes no stream.
func TestHostileMessagesAreSettled(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
	c := s.As(t, "acme")
	nc := stacktest.Dial(t, s.Connect(t))
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	d := &in{t: t, nc: nc, js: js}
	before := streams(t, js)
	good := 0
	neighbour := func() { // a good turn after every bad one
		good++
		if !d.put(&nats.Msg{Subject: events.InSubject("acme"), Data: fmt.Appendf(nil, `{"user":"ann%d","id":"n%d","input":"My locker is number zq%dw."}`, good, good, good)}) {
			t.Fatal("a good turn is refused")
		}
	}
	body := func(id string) []byte {
		return []byte(`{"user":"` + id + `","id":"` + id + `","input":"The hatch is open."}`)
	}

	// Headers. A turn with any of them is a turn like any, or the stream refuses it.
	headers := map[string]nats.Header{
		"repeated":    {"X-Odd": {"one", "two", "three"}, "Silt-Tenant": {"other", "third"}, "Silt-Claim": nil},
		"status":      {"Status": {"409"}, "Description": {"Consumer Deleted"}},
		"status 100":  {"Status": {"100"}, "Nats-Consumer-Stalled": {"$JS.FC.x"}},
		"forged":      {"Silt-Tenant": {"victim"}, "Silt-User": {"ann"}, "Silt-Class": {"operator"}, "Silt-Op": {"forget"}, "Silt-Seq": {"1"}, "Silt-Policy": {"99999"}, "Silt-Id": {"n1"}},
		"bad trace":   {"traceparent": {"00-zz"}, "Silt-Trace": {"x"}},
		"dead forged": {events.HeaderDeadSeq: {"7"}, events.HeaderDeadStage: {"clean"}, events.HeaderDeadCut: {"1"}},
		"many":        {},
		"long":        {"X-Long": {strings.Repeat("h", 200<<10)}},
	}
	for i := range 2000 {
		headers["many"]["X-"+itoa(i)] = []string{"v"}
	}
	for _, k := range []string{
		"Msg-Id", "Rollup", "TTL", "Expected-Stream", "Expected-Last-Msg-Id", "Expected-Last-Sequence", "Expected-Last-Subject-Sequence", "Expected-Last-Subject-Sequence-Subject",
		"Batch-Id", "Batch-Sequence", "Batch-Commit", "Incr", "Counter-Sources", "Schedule", "Schedule-Target", "Schedule-TTL", "Schedule-Source", "Schedule-Next", "Marker-Reason",
		"Stream", "Subject", "Sequence", "Time-Stamp", "Last-Sequence", "Num-Pending", "UpTo-Sequence", "Service-Error", "Service-Error-Code", "Response-Type", "Pin-Id", "Required-Api-Level", "Trace-Dest", "Trace-Only",
	} {
		for _, v := range []string{"all", "sub", "1", "0", "9999999999999999999999", "1s", "@every 1s", "SILT_LOG", "silt.log.>", ""} {
			if strings.HasPrefix(k, "Trace-") { // asks the server itself to answer with a trace, elsewhere
				continue
			}
			headers["Nats-"+k+"="+v] = nats.Header{"Nats-" + k: {v}}
		}
	}
	taken := 0
	for name, h := range headers {
		if d.put(&nats.Msg{Subject: events.InSubject("acme"), Header: h, Data: body(schema.Hash([]byte(name)))}) {
			taken++
		}
		neighbour()
	}
	if taken < 20 {
		t.Errorf("only %d of %d headers were let in: the test shows little", taken, len(headers))
	}
	d.drained()
	accepted, dead := d.count(events.StreamLog), d.count(events.StreamDLQ)
	if want := uint64(good + taken); accepted+dead != want {
		t.Errorf("%d messages are %d in the log and %d dead", want, accepted, dead)
	}

	// Headers that no library writes.
	bad := rawHeaders(t, s, func() { neighbour() })
	taken += bad
	d.drained()
	if accepted, want := d.count(events.StreamLog), uint64(good+taken); accepted+d.count(events.StreamDLQ) != want {
		t.Errorf("with broken headers %d messages are %d in the log and %d dead", want, accepted, d.count(events.StreamDLQ))
	}

	// Bodies that are no turns, and messages that are none.
	bad, dead = 0, d.count(events.StreamDLQ)
	for _, m := range []*nats.Msg{
		{Data: nil}, {Header: nats.Header{"Status": {"503"}}}, {Header: nats.Header{"Status": {"404"}, "Description": {"No Messages"}}}, {Header: nats.Header{"Status": {"408"}}},
		{Header: nats.Header{"Status": {"100"}, "Description": {"Idle Heartbeat"}}}, {Header: nats.Header{"Status": {"100"}, "Description": {"FlowControl Request"}}},
		{Header: nats.Header{"Nats-Rollup": {"sub"}}}, {Data: []byte("null")}, {Data: []byte("\x00")}, {Data: []byte("\xff\xfe")}, {Data: []byte(`{"user":"*","input":"x"}`)}, {Data: []byte(`{"uſer":"ann","input":"x"}`)},
		{Data: []byte(`{"user":"ann","user":"bea","input":"x"}`)}, {Data: []byte(`{"user":"ann","\u0075ser":"bea","input":"x"}`)}, {Data: []byte(strings.Repeat("[", 100_000))},
		{Data: []byte("@"), Header: nats.Header{events.HeaderClaim: {"in.0.x.y " + strings.Repeat("0", 63)}}}, {Data: []byte("@"), Header: nats.Header{events.HeaderClaim: {"a", "b"}}}, {Data: []byte("@"), Header: nats.Header{events.HeaderClaim: {}}},
		// So full of headers that a dead letter's own do not fit beside them.
		{Data: []byte("x"), Header: nats.Header{"X-Long": {strings.Repeat("h", 1<<20-100)}}},
		{Data: []byte(strings.Repeat("x", 1<<20-60)), Header: nats.Header{"X": {"y"}}},
	} {
		m.Subject = events.InSubject("acme")
		if d.put(m) {
			bad++
		}
		neighbour()
	}
	for _, subject := range []string{"silt.in.*", "silt.in.>", "silt.in.z", "silt.in.zz", "silt.in.UPPER", "silt.in.a-b", "silt.in.z2a", "silt.in.z2", "silt.in.小明", "silt.in." + strings.Repeat("a", 500), "silt.in.$JS"} {
		if d.put(&nats.Msg{Subject: subject, Data: body("s")}) {
			bad++
		}
		neighbour()
	}
	if bad < 25 {
		t.Errorf("only %d bad messages were let in", bad)
	}
	d.drained()
	accepted2, dead2 := d.count(events.StreamLog), d.count(events.StreamDLQ)
	if want := uint64(good + taken); accepted2+dead != want || dead2-dead != uint64(bad) {
		t.Errorf("of %d good and %d bad messages %d are in the log and %d more dead", want, bad, accepted2, dead2-dead)
	}
	letters(t, js)

	// The ledger adds up, every neighbour is found, and nothing is anybody else's.
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Accepted != accepted2 || l.Indexed+l.Dropped != l.Accepted {
		t.Errorf("the ledger is %+v, the log holds %d", l, accepted2)
	}
	if v := s.As(t, "victim").Settle().Ledger; v.Accepted != 0 {
		t.Errorf("a header made somebody else a tenant: %+v", v)
	}
	for _, n := range []int{1, good / 2, good} {
		word := "zq" + itoa(n) + "w"
		if _, ok := stacktest.Find(c.Ask(schema.Query{User: "ann" + itoa(n), Query: word, Now: time.Now()}).Items, word); !ok {
			t.Errorf("neighbour %d is not found", n)
		}
	}
	for name, was := range before {
		if is := streams(t, js)[name]; is != was {
			t.Errorf("stream %s was\n%s\nand is\n%s", name, was, is)
		}
	}
}

// rawHeaders speaks the protocol itself, publishes turns behind headers that do not parse, and returns how many the
// stream took.
func rawHeaders(t *testing.T, s *stacktest.Stack, between func()) (taken int) {
	t.Helper()
	u, err := url.Parse(s.Connect(t).NATS.URL)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(stacktest.Patience()))
	fmt.Fprintf(c, "CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true,\"protocol\":1,\"auth_token\":%q}\r\nSUB _INBOX.raw 1\r\n", u.User.Username())
	lines := bufio.NewReader(c)
	for i, h := range []string{
		"NATS/1.0\r\n: no name\r\n\r\n", "NATS/1.0\r\nno colon\r\n\r\n", "NATS/1.0\r\n folded: x\r\n\r\n", "NATS/1.0\r\nA: \x00\xff\r\n\r\n", "NATS/1.0\r\nNats-Msg-Id x\r\n\r\n", "NATS/1.0 503 No Responders\r\n\r\n",
		"NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 9\r\n\r\n", "NATS/1.0\r\n\r\n\r\n", "NATS/1.0\r\nA: b\nC: d\r\n\r\n", "XXXX/9.9\r\nA: b\r\n\r\n", "\r\n\r\n", "NATS/1.0\r\nA: b", strings.Repeat("\x00", 40),
	} {
		for _, body := range []string{fmt.Sprintf(`{"user":"raw%d","id":"raw%d","input":"The hatch is open."}`, i, i), ""} {
			fmt.Fprintf(c, "HPUB silt.in.acme _INBOX.raw %d %d\r\n%s%s\r\n", len(h), len(h)+len(body), h, body)
			for { // the acknowledgement of the stream
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatalf("after the header %q: %v", h, err)
				}
				if strings.HasPrefix(line, "PING") {
					fmt.Fprint(c, "PONG\r\n")
				}
				if strings.HasPrefix(line, "-ERR") {
					t.Fatalf("after the header %q: %s", h, line)
				}
				if strings.HasPrefix(line, "{") {
					if strings.Contains(line, `"stream":"SILT_IN"`) && !strings.Contains(line, `"error"`) {
						taken++
					}
					break
				}
			}
			between()
		}
	}
	return taken
}

// streams are the configurations of all streams.
func streams(t *testing.T, js jetstream.JetStream) map[string]string {
	t.Helper()
	out := map[string]string{}
	list := js.ListStreams(t.Context())
	for i := range list.Info() {
		out[i.Config.Name] = jsonOf(i.Config)
	}
	if list.Err() != nil || len(out) < 8 {
		t.Fatalf("%d streams, %v", len(out), list.Err())
	}
	return out
}

// letters checks that every dead letter says what it is, of whom, and believes no header of the message that it was.
func letters(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	s, err := js.Stream(t.Context(), events.StreamDLQ)
	if err != nil {
		t.Fatal(err)
	}
	st := s.CachedInfo().State
	for seq := st.FirstSeq; seq <= st.LastSeq; seq++ {
		m, err := s.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		d, err := events.ParseDeadLetter(m.Header, m.Data, m.Time)
		if err != nil {
			t.Errorf("dead letter %d: %v", seq, err)
			continue
		}
		if d.Stage != events.StageIntake || d.Stream != events.StreamIn || d.Code == "" || d.Reason == "" || d.Event.Tenant == "victim" {
			t.Errorf("dead letter %d is %+v", seq, d)
		}
	}
}

// TestHostileQueriesOverNATS asks the service what it must refuse, and it goes on answering.
func TestHostileQueriesOverNATS(t *testing.T) {
	s := stacktest.Shared(t)
	c := s.As(t, "")
	c.Put(turn("here", "The lantern glows."))
	nc := stacktest.Dial(t, s.Connect(t))
	ask := func(subject string, h nats.Header, body string) (code string, e schema.WireError, data []byte) {
		t.Helper()
		res, err := nc.RequestMsg(&nats.Msg{Subject: subject, Header: h, Data: []byte(body)}, stacktest.Patience())
		if err != nil {
			t.Fatalf("%s %.80q: %v", subject, body, err)
		}
		_ = json.Unmarshal(res.Data, &e)
		return res.Header.Get("Nats-Service-Error-Code"), e, res.Data
	}
	mine := nats.Header{events.HeaderTenant: {c.Name}}
	for body, field := range map[string]string{
		"": "", "null": "user", "[]": "", "\x00": "", "\xff": "", `{"query":"x"}`: "user", `{"user":"*","query":"x"}`: "user", `{"user":"a\r\nNats-Service-Error: x","query":"x"}`: "user",
		`{"user":"a","uſer":"b","query":"x"}`: "uſer", `{"user":"a","query":"x","limit":1e9}`: "limit", `{"user":"a","query":"x","limit":-1}`: "limit", `{"user":"a","query":"x","now":"0000-01-01T00:00:00Z"}`: "now",
		`{"user":"a","query":` + strings.Repeat("[", 100_000): "query", `{"user":"a","query":"` + strings.Repeat("汉", 11_000) + `"}`: "query", `{"user":"a","query":"x","filter":{"metadata":{"n":1e400}}}`: "filter.metadata.n",
		`{"user":"a","query":"x","` + strings.Repeat("k", 5000) + `":1}`: strings.Repeat("k", 40) + "…",
	} {
		if code, e, data := ask(events.SubjectQuery, mine, body); code != "400" || e.Code != schema.CodeInvalid || e.Field != field {
			t.Errorf("%.80q is answered with %q %+v %.200s, want an invalid %q", body, code, e, data, field)
		}
	}
	for _, h := range []nats.Header{{events.HeaderTenant: {"*"}}, {events.HeaderTenant: {"a b"}}, {events.HeaderTenant: {strings.Repeat("t", 100)}}} {
		if code, e, _ := ask(events.SubjectQuery, h, `{"user":"ann","query":"lantern"}`); code != "400" || e.Field != "tenant" {
			t.Errorf("the tenant %v is answered with %s %+v", h, code, e)
		}
	}
	for _, tok := range []string{"zz", "UPPER", "a-b", "z2"} {
		if code, e, _ := ask(events.SubjectQuery+"."+tok, mine, `{"user":"ann","query":"lantern"}`); code != "400" || e.Field != "subject" {
			t.Errorf("the token %q is answered with %s %+v", tok, code, e)
		}
	}
	// A subject of another's says more than a header of mine.
	if _, _, data := ask(events.SubjectQuery+"."+schema.Token("somebody"), mine, `{"user":"ann","query":"lantern"}`); strings.Contains(string(data), "glows") {
		t.Errorf("a header opened another tenant: %.200s", data)
	}
	for _, h := range []nats.Header{mine, {events.HeaderTenant: {c.Name}, "Status": {"503"}, "X": {"a", "b"}}} {
		if code, _, data := ask(events.SubjectQuery, h, `{"user":"ann","query":"lantern","now":"2026-09-01T09:00:00Z"}`); code != "" || !strings.Contains(string(data), "glows") {
			t.Errorf("a good query is answered with %s %.200s", code, data)
		}
	}
}
