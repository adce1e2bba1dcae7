package tenants

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/internal/auth"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

const (
	tenants = 20
	turns   = 8 // of each tenant
	clients = 4 // calls at once
)

// callsEnv sets how many calls are made; the whole hundred thousand take minutes.
const callsEnv = "SILTSTONE_TEST_TENANT_CALLS"

func calls(t *testing.T) int {
	v := os.Getenv(callsEnv)
	if v == "" {
		return 3000
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q", callsEnv, v)
	}
	return n
}

// canary is in every text of tenant i and in no other's: the letters after the number keep one from holding another.
func canary(i, n int) string { return fmt.Sprintf("kanarie%02dq%dx%s", i, n, marks[i]) }

var marks = func() (out [tenants]string) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range out {
		out[i] = fmt.Sprintf("%08x", r.Uint32())
	}
	return out
}()

var canaryOf = regexp.MustCompile(`(?i)kanarie(\d\d)q\d+x([0-9a-f]{8})`)

// member is one tenant: its token, what it knows of its own things, and what others may try of them.
type member struct {
	i      int
	name   string
	token  string
	facts  []string // ids of its memories
	cursor string   // of a page of its list
}

type world struct {
	t    *testing.T
	s    *stacktest.Stack
	nc   *nats.Conn
	m    [tenants]member
	own  atomic.Int64 // answers that hold the asker's own texts: the test sees what it looks for
	http atomic.Int64
	nats atomic.Int64
	code [600]atomic.Int64
}

// TestNoTenantSeesAnother makes calls of all kinds at random, by HTTP with tokens and over NATS, and looks at every
// byte that is answered.
func TestNoTenantSeesAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	w := start(t)
	w.fill()
	n := calls(t)
	began := time.Now()
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(42, uint64(c)))
			for range n / clients {
				w.call(r)
			}
		})
	}
	wg.Wait()
	took := time.Since(began)

	// What a tenant was asked to forget by others is all there; and each still finds its own.
	for i := range w.m {
		m := &w.m[i]
		for k := range turns {
			status, body := w.send(m, "GET", "/v1/events/e-"+itoa(k), "", nil)
			if status != 200 || !strings.Contains(body, canary(i, k)) {
				t.Errorf("%s: its own event %d: %d %s", m.name, k, status, body)
			}
		}
		status, body := w.send(m, "POST", "/v1/query", `{"user":"ann","query":"`+canary(i, turns-1)+`"}`, nil)
		if status != 200 || !strings.Contains(body, canary(i, turns-1)) {
			t.Errorf("%s does not find its own text: %d %s", m.name, status, body)
		}
	}
	// Neither the log nor the metrics hold a text of anyone.
	if at := canaryOf.FindString(w.s.Logs.String()); at != "" {
		t.Errorf("the log holds %s", at)
	}
	var metrics string
	for i := range w.m {
		_, metrics = w.send(&w.m[i], "GET", "/metrics", "", nil)
	}
	if at := canaryOf.FindString(metrics); at != "" || !strings.Contains(metrics, "silt_query_seconds") {
		t.Errorf("metrics hold %q or are none", at)
	}
	codes := map[int]int64{}
	for c := range w.code {
		if n := w.code[c].Load(); n > 0 {
			codes[c] = n
		}
	}
	t.Logf("%d calls over HTTP and %d over NATS in %s; %d answers held texts of whoever asked; statuses %v", w.http.Load(), w.nats.Load(), took.Round(time.Second), w.own.Load(), codes)
	if w.own.Load() < int64(n/10) || w.nats.Load() < int64(n/10) {
		t.Error("too few answers hold anything: the test does not see what it looks for")
	}
	if codes[200] == 0 || codes[400] == 0 || codes[403] == 0 || codes[404] == 0 || codes[500]+codes[429] > 0 {
		t.Errorf("statuses %v", codes)
	}
}

// start runs a server with a token for each tenant.
func start(t *testing.T) *world {
	t.Helper()
	w := &world{t: t}
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	file := auth.File{Path: filepath.Join(cfg.Data, "tokens.json")}
	for i := range w.m {
		name := fmt.Sprintf("t%02d", i)
		_, secret, err := file.Create(auth.New{Tenant: name, Scopes: schema.Scopes}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		w.m[i] = member{i: i, name: name, token: secret}
	}
	w.s = stacktest.Up(t, cfg)
	w.nc = stacktest.Dial(t, w.s.Connect(t))
	return w
}

// fill lets every tenant say the same under the same ids: only the canaries differ.
func (w *world) fill() {
	w.t.Helper()
	for i := range w.m {
		m := &w.m[i]
		var b bytes.Buffer
		for k := range turns {
			raw, err := json.Marshal(schema.Turn{
				ID: "e-" + itoa(k), User: "ann", Conversation: "c-" + itoa(k%3), At: time.Date(2026, 9, 1, 9, k, 0, 0, time.UTC),
				Input: "I live in " + canary(i, k) + ". 我住在 " + canary(i, k) + "。", Response: "Noted: " + canary(i, k) + ".",
				ToolResults: []schema.ToolResult{{Name: "web_fetch", Output: "the page says " + canary(i, k)}},
			})
			if err != nil {
				w.t.Fatal(err)
			}
			b.Write(raw)
			b.WriteByte('\n')
		}
		if status, body := w.send(m, "POST", "/v1/events?wait=indexed", b.String(), http.Header{"Content-Type": {"application/x-ndjson"}}); status != 202 || strings.Contains(body, `"line"`) {
			w.t.Fatalf("%s: publish: %d %s", m.name, status, body)
		}
		if status, body := w.send(m, "POST", "/v1/pins", `{"id":"pin","user":"ann","content":"never forget `+canary(i, 99)+`"}`, nil); status/100 != 2 {
			w.t.Fatalf("%s: pin: %d %s", m.name, status, body)
		}
	}
	for i := range w.m {
		m := &w.m[i]
		stacktest.Eventually(w.t, m.name+" to be idle", func() error {
			if status, body := w.send(m, "GET", "/v1/status", "", nil); status != 200 || !strings.Contains(body, `"idle":true`) {
				return fmt.Errorf("%d %s", status, body)
			}
			return nil
		})
		status, body := w.send(m, "GET", "/v1/memories?user=ann&limit=2", "", nil)
		var p schema.MemoryPage
		if err := json.Unmarshal([]byte(body), &p); err != nil || status != 200 || len(p.Items) == 0 || p.Cursor == "" {
			w.t.Fatalf("%s: a page: %d %s", m.name, status, body)
		}
		for _, it := range p.Items {
			m.facts = append(m.facts, it.ID)
		}
		m.cursor = p.Cursor
	}
}

// call makes one call of a tenant, of a kind drawn at random; for most it tries what is another's.
func (w *world) call(r *rand.Rand) {
	m, o := &w.m[r.IntN(tenants)], &w.m[r.IntN(tenants)]
	k := itoa(r.IntN(turns))
	text := canary(o.i, r.IntN(turns))
	if r.IntN(3) == 0 {
		text = canary(m.i, r.IntN(turns))
	}
	fact := o.facts[r.IntN(len(o.facts))]
	user := url.QueryEscape([]string{"ann", "ann", "*", o.name + ".ann", schema.Owner(o.name, "ann"), "ann\x00", "a n n"}[r.IntN(7)])
	status := 0
	switch r.IntN(17) {
	case 0, 1, 2:
		mode, history := []string{"hybrid", "legacy"}[r.IntN(2)], r.IntN(2) == 0
		status, _ = w.send(m, "POST", "/v1/query", fmt.Sprintf(`{"user":"ann","query":%q,"mode":%q,"include_history":%v,"explain":true,"limit":50}`, "where is "+text, mode, history), nil)
	case 3:
		status, _ = w.send(m, "GET", "/v1/memories?user="+user+"&status=all&q="+text, "", nil)
	case 4: // the cursor of another, and one that is made up
		c := o.cursor
		if r.IntN(2) == 0 && len(c) > 3 {
			b := []byte(c)
			b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
			c = string(b)
		}
		status, _ = w.send(m, "GET", "/v1/memories?user="+user+"&cursor="+url.QueryEscape(c), "", nil)
	case 5:
		status, _ = w.send(m, "GET", "/v1/events/"+url.PathEscape([]string{"e-" + k, schema.EventUUID(o.name, "e-"+k), fact, o.name + "/e-" + k}[r.IntN(4)]), "", nil)
	case 6:
		status, _ = w.send(m, "GET", "/v1/events/e-"+k+"/status?computed=true", "", nil)
	case 7:
		status, _ = w.send(m, "GET", "/v1/memories/"+fact+"?user="+user, "", nil)
	case 8:
		if m == o { // what it deletes of its own would be gone at the end
			return
		}
		status, _ = w.send(m, "DELETE", "/v1/memories/"+fact+"?user="+user, "", nil)
	case 9:
		if m == o {
			return
		}
		status, _ = w.send(m, "PATCH", "/v1/memories/"+fact, `{"user":"ann","content":"overwritten"}`, nil)
	case 10: // by the ids and the texts of others; a user that nobody is, so that its own stays
		status, _ = w.send(m, "POST", "/v1/forget", fmt.Sprintf(`{"user":"ann","ids":[%q,%q]}`, schema.EventUUID(o.name, "x-"+k), w.foreign(m, o, fact)), nil)
	case 11:
		status, _ = w.send(m, "POST", "/v1/forget", fmt.Sprintf(`{"user":"ann","match":%q,"dry_run":true}`, text), nil)
	case 12: // another's name beside one's own token
		status, _ = w.send(m, "GET", "/v1/memories?user=ann", "", http.Header{"X-Silt-Tenant": {o.name}})
		if m != o && status != 403 {
			w.t.Errorf("%s with the header of %s: %d", m.name, o.name, status)
		}
	case 13:
		status, _ = w.send(m, "GET", []string{"/v1/pins?user=ann", "/v1/tools", "/v1/settings?user=ann", "/v1/status", "/readyz", "/v1/events/" + text}[r.IntN(6)], "", nil)
	case 14: // fields that say who one is, or how much one is to be trusted, do not exist
		field := []string{"tenant", "Tenant", "owner", "class", "source", "source_class"}[r.IntN(6)]
		path := []string{"query", "events", "memories", "pins", "forget"}[r.IntN(5)]
		own := map[string]string{"query": `"query":"x"`, "events": `"input":"x"`, "memories": `"type":"fact","content":"x"`, "pins": `"content":"x"`, "forget": `"all":true`}[path]
		var body string
		status, body = w.send(m, "POST", "/v1/"+path, fmt.Sprintf(`{"user":"nobody",%s,%q:%q}`, own, field, []string{o.name, "operator"}[r.IntN(2)]), nil)
		if status != 400 || !strings.Contains(body, field) {
			w.t.Errorf("a body of %s with %s: %d %s", path, field, status, body)
		}
	default:
		w.ask(m, r, text)
	}
	if status > 0 {
		w.code[status].Add(1)
	}
}

// foreign is an id of another's, never one's own.
func (w *world) foreign(m, o *member, fact string) string {
	if m == o {
		return "nothing"
	}
	return fact
}

// send makes a request with the tenant's token and looks at the answer, headers and all.
func (w *world) send(m *member, method, path, body string, h http.Header) (int, string) {
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.s.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Errorf("%s %s: %v", method, path, err)
		return 0, ""
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range h {
		req.Header[k] = v
	}
	req.Header.Set("Authorization", "Bearer "+m.token)
	res, err := client.Do(req)
	if err != nil {
		w.t.Errorf("%s %s: %v", method, path, err)
		return 0, ""
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Errorf("%s %s: %v", method, path, err)
		return 0, ""
	}
	w.http.Add(1)
	var head strings.Builder
	_ = res.Header.Write(&head)
	w.look(m, method+" "+path, string(b)+head.String())
	if res.StatusCode >= 500 {
		w.t.Errorf("%s %s: %d %s", method, path, res.StatusCode, b)
	}
	return res.StatusCode, string(b)
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: stacktest.Patience()}

// ask queries over NATS, as the operator's account speaks for a tenant or as a tenant's own account does.
func (w *world) ask(m *member, r *rand.Rand, text string) {
	msg := &nats.Msg{Subject: events.SubjectQuery, Header: nats.Header{}, Data: fmt.Appendf(nil, `{"user":"ann","query":%q,"limit":50}`, text)}
	switch r.IntN(4) {
	case 0:
		msg.Subject, msg.Data = events.SubjectForget, fmt.Appendf(nil, `{"user":"ann","match":%q,"dry_run":true}`, text)
	case 1:
		msg.Subject, msg.Data = events.SubjectStatus, nil
	}
	if r.IntN(2) == 0 {
		msg.Header.Set(events.HeaderTenant, m.name)
	} else { // what the subject says is the server's word, the header is not
		msg.Subject += "." + schema.Token(m.name)
		msg.Header.Set(events.HeaderTenant, w.m[r.IntN(tenants)].name)
	}
	got, err := w.nc.RequestMsg(msg, stacktest.Patience())
	if err != nil {
		w.t.Errorf("ask over NATS: %v", err)
		return
	}
	w.nats.Add(1)
	if e := got.Header.Get("Nats-Service-Error"); e != "" {
		w.t.Errorf("ask over NATS: %s", e)
	}
	w.look(m, msg.Subject, string(got.Data)+fmt.Sprint(got.Header))
}

// look fails the test where an answer holds another's text.
func (w *world) look(m *member, what, answer string) {
	found := canaryOf.FindAllStringSubmatch(answer, -1)
	for _, f := range found {
		if i, _ := strconv.Atoi(f[1]); i != m.i {
			w.t.Errorf("%s of %s holds %s of another: %.300s", what, m.name, f[0], answer)
		} else if f[2] != marks[i] {
			w.t.Errorf("%s is not whole", f[0])
		}
	}
	if len(found) > 0 {
		w.own.Add(1)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
