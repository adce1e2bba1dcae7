package faults

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// mostMemory is what the whole process, dictionaries and embedded servers in it, may need at most for any of this.
const mostMemory = 800 << 20

// floodMemory is what it may need where the largest bodies come side by side: the embedded NATS server keeps what was
// written or read within ten seconds, which no setting bounds. 750 MB were seen; this is a bound against growth.
const floodMemory = 900 << 20

// peak is the most memory that a process has used, 0 where the system does not tell.
func peak(t *testing.T, pid int) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	b, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatal("the system does not tell the peak of memory")
	return 0
}

// hugeTexts are texts that a cleaner, an analyser, an embedder or a segmenter might choke on.
func hugeTexts() map[string]string {
	const deep = 100_000
	return map[string]string{
		"no space":        strings.Repeat("x", 10<<20),
		"cjk":             strings.Repeat("汉字没有标点符号", 8<<20/24),
		"json deep":       strings.Repeat(`{"content":`, deep) + `1` + strings.Repeat(`}`, deep),
		"list deep":       strings.Repeat("[", deep) + strings.Repeat("]", deep),
		"list open":       strings.Repeat("[", 1<<20),
		"html deep":       strings.Repeat("<div><b>", deep) + "the middle" + strings.Repeat("</b></div>", deep),
		"html open":       strings.Repeat("<table><tr><td>", deep) + "the middle",
		"html attributes": "<p " + strings.Repeat(`a="b" `, deep) + ">the middle",
		"think open":      strings.Repeat("<think>", deep),
		"brackets":        strings.Repeat("【必守约束】[INST](", deep),
		"quotes":          strings.Repeat("\"'“‘`", deep),
		"one line":        strings.Repeat("a=b; ", 1<<20),
		"lines":           strings.Repeat("\n- x", 1<<20),
		"ansi":            strings.Repeat("\x1b[31mx\x1b[2K\r", deep),
		"combining":       "a" + strings.Repeat("\u0301", 1<<20),
		"bidi":            strings.Repeat("\u202e\u200b\U000e0041", deep),
		"base64":          strings.Repeat("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9w", deep),
		"digits":          strings.Repeat("9", 1<<20),
		"dates":           strings.Repeat("9999-12-31T23:59:59Z 0000-00-00 每周五五五 ", deep/4),
		"facts":           strings.Repeat("I live in Porto. 我住在贵阳。", deep/4),
		"secrets":         strings.Repeat("password=Abc12345 sk-aB3dE5fG7hJ9kL2mN4pQ6rS8tU0vW1xY ", deep/4),
		"assigned":        strings.Repeat("token:", deep),
		"urls":            strings.Repeat("https://a.example/../%2e?x=1&", deep),
		"paths":           strings.Repeat("/a/..", deep*2),
		"emoji":           strings.Repeat("👩‍👩‍👧‍👦", deep),
		"traditional":     strings.Repeat("薴喝臺灣烏龍茶，", deep),
		"surrogates":      strings.Repeat(`\ud800`, 100), // as JSON text: it is written raw below
		"nul":             strings.Repeat("\x00a", deep),
	}
}

// TestHugeBodiesAreSettled sends what no honest agent sends, and a plain turn after it that must still be found soon.
func TestHugeBodiesAreSettled(t *testing.T) {
	child := stacktest.Spawn(t, filepath.Join(t.TempDir(), "data"))
	c := child.As(t, "huge")
	texts := hugeTexts()
	n, slowest := 0, ""
	var longest time.Duration
	put := func(name, raw string) {
		t.Helper()
		began := time.Now()
		code, b := c.Send("POST", "/v1/events", "application/json", raw)
		if code != http.StatusAccepted {
			t.Errorf("%s is answered with %d %.300s", name, code, b)
			return
		}
		n++
		if took := time.Since(began); took > longest {
			longest, slowest = took, name
		}
	}
	for name, s := range texts {
		q := jsonOf(s)
		if name == "surrogates" {
			q = `"` + s + `"`
		}
		user := jsonOf("u-" + name)
		if testing.Short() && len(s) > 2<<20 {
			continue
		}
		put(name, `{"user":`+user+`,"id":`+jsonOf("said "+name)+`,"input":`+q+`}`)
		if len(q) < 5<<20 { // through every cleaner of the table
			put(name+" of tools", `{"user":`+user+`,"id":`+jsonOf("tool "+name)+`,"tool_results":[{"name":"files_read","output":`+q+`},{"name":"web_fetch","output":`+q+`},{"name":"web_search","output":`+q+`}]}`)
		} else {
			put(name+" of a tool", `{"user":`+user+`,"id":`+jsonOf("tool "+name)+`,"tool_results":[{"name":"web_fetch","output":`+q+`}]}`)
		}
	}
	// Many of everything that a turn may have many of.
	results := make([]schema.ToolResult, schema.MaxToolResults)
	for i := range results {
		results[i] = schema.ToolResult{Name: "t" + itoa(i), Output: "The hatch " + itoa(i) + " is open."}
	}
	meta := map[string]any{}
	for i := range schema.MaxMetadata {
		meta["k"+itoa(i)+strings.Repeat("k", 1000)] = strings.Repeat("v", schema.MaxMetaValue)
	}
	put("many results", jsonOf(schema.Turn{User: "u-many", ID: "many results", ToolResults: results}))
	put("many keys", jsonOf(schema.Turn{User: "u-many", ID: "many keys", Input: "x", Metadata: meta}))
	for name, at := range map[string]string{"first": "0001-01-01T00:00:01Z", "last": "9999-12-31T23:59:59Z", "zone": "9999-12-31T00:00:00+14:00", "before": "1677-09-21T00:00:00Z", "after": "2262-04-12T00:00:00Z"} {
		put("time "+name, `{"user":"u-time","id":"time `+name+`","input":"The hatch is open.","at":"`+at+`"}`)
	}
	put("numbers", `{"user":"u-num","id":"numbers","input":"x","context_window":9223372036854775807,"metadata":{"a":-0.0,"b":1e-400,"c":9007199254740991,"d":0.1e1}}`)

	// What is refused, by name.
	for name, x := range map[string]struct{ body, field string }{
		"10^5 keys":        {jsonOf(schema.Turn{User: "u", Input: "x", Metadata: keys(100_000)}), "metadata"},
		"10^4 results":     {jsonOf(schema.Turn{User: "u", ToolResults: make([]schema.ToolResult, 10_000)}), "tool_results"},
		"10^5 names":       {jsonOf(schema.Turn{User: "u", Input: "x", ToolsUsed: make([]string, 100_000)}), "tools_used"},
		"deep":             {`{"user":"u","input":"x","metadata":` + strings.Repeat(`{"a":`, 100_000), "metadata"},
		"deep list":        {strings.Repeat("[", 1<<20), ""},
		"a huge number":    {`{"user":"u","input":"x","metadata":{"n":` + strings.Repeat("9", 1000) + `}}`, "metadata.n"},
		"a long exponent":  {`{"user":"u","input":"x","metadata":{"n":1e999999999}}`, "metadata.n"},
		"a large id":       {`{"user":"u","input":"x","metadata":{"n":9007199254740993}}`, "metadata.n"},
		"a huge window":    {`{"user":"u","input":"x","context_window":9223372036854775808}`, "context_window"},
		"year 0":           {`{"user":"u","input":"x","at":"0000-01-01T00:00:00Z"}`, "at"},
		"year 10000":       {`{"user":"u","input":"x","at":"10000-01-01T00:00:00Z"}`, "at"},
		"beyond by a zone": {`{"user":"u","input":"x","at":"9999-12-31T23:59:59-01:00"}`, "at"},
		"a folded key":     {`{"user":"u","uſer":"v","input":"x"}`, "uſer"},
		"a kelvin key":     {`{"user":"u","input":"x","metadata":{"key":1,"\u212aey":2}}`, "metadata.\u212aey"},
		"an escaped key":   {`{"user":"u","\u0075ser":"v","input":"x"}`, "user"},
		"invalid UTF-8":    {"{\"user\":\"u\",\"input\":\"\xc3\x28\"}", ""},
		"overlong UTF-8":   {"{\"user\":\"u\",\"input\":\"\xc0\x80\"}", ""},
		"raw surrogate":    {"{\"user\":\"u\",\"input\":\"\xed\xa0\x80\"}", ""},
		"surrogate id":     {`{"user":"u\ud800","input":"x"}`, "user"},
		"raw NUL":          {"{\"user\":\"u\",\"input\":\"\x00\"}", "input"},
		"byte order mark":  {"\ufeff" + `{"user":"u","input":"x"}`, ""},
	} {
		code, b := c.Send("POST", "/v1/events", "application/json", x.body)
		var e struct{ Error schema.WireError }
		if err := json.Unmarshal([]byte(b), &e); err != nil || code != 400 || e.Error.Code != schema.CodeInvalid || !strings.HasPrefix(e.Error.Field, x.field) {
			t.Errorf("%s is answered with %d %.300s, want an invalid %q", name, code, b, x.field)
		}
	}
	hundred(t, child)

	// A turn of an honest agent, after all that.
	put("plain", jsonOf(schema.Turn{User: "ann", ID: "plain", At: day, Input: "My locker is number zq7w."}))
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Accepted != uint64(n) || l.Indexed+l.Dropped != l.Accepted {
		t.Errorf("of %d turns the ledger says %+v", n, l)
	}
	if _, ok := stacktest.Find(c.Ask(schema.Query{User: "ann", Query: "locker", Now: day}).Items, "zq7w"); !ok {
		t.Error("the plain turn is not found")
	}
	for name, s := range texts {
		if testing.Short() && len(s) > 2<<20 {
			continue
		}
		if name != "nul" && name != "surrogates" { // those are escapes: the bytes are compared
			raw, err := c.Event(t.Context(), "said "+name)
			if err != nil || !bytes.Contains(raw, []byte(jsonOf(s))) {
				t.Errorf("%s: %d bytes came back of %d, %v", name, len(raw), len(s), err)
			}
		}
		for _, q := range []string{"the middle", s[:min(len(s), 1000)]} {
			r, err := c.Query(t.Context(), schema.Query{User: "u-" + name, Query: strings.ToValidUTF8(q, ""), Now: day})
			if err != nil || len(r.Degraded) > 0 {
				t.Errorf("%s: a query is answered with %v, degraded %v", name, err, r.Degraded)
			}
		}
	}
	if m := peak(t, child.PID()); m > mostMemory && !raceEnabled { // the race detector keeps several bytes for each
		t.Errorf("the process used %d MB at most, over %d", m>>20, mostMemory>>20)
	} else {
		t.Logf("the process used %d MB at most; the slowest to accept was %s with %s", m>>20, slowest, longest)
	}
}

func keys(n int) map[string]any {
	m := make(map[string]any, n)
	for i := range n {
		m["k"+itoa(i)] = i
	}
	return m
}

// hundred sends a tool output of 100 MB: said to be too large at once where its length is told, without it once the
// limit is passed, and as one line of a batch without cost to its neighbours.
func hundred(t *testing.T, s *stacktest.Child) {
	t.Helper()
	const size = 100 << 20
	for _, told := range []bool{true, false} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(stacktest.Patience()))
		fmt.Fprintf(conn, "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nX-Silt-Tenant: huge\r\nContent-Type: application/json\r\n")
		if told {
			fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n", size)
		} else {
			fmt.Fprint(conn, "Transfer-Encoding: chunked\r\n\r\n")
		}
		go func() { // until the server has had enough
			part := bytes.Repeat([]byte("x"), 1<<20)
			for range size >> 20 {
				if !told {
					fmt.Fprintf(conn, "%x\r\n%s\r\n", len(part), part)
				} else if _, err := conn.Write(part); err != nil {
					return
				}
			}
		}()
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("100 MB (length told: %v): %v", told, err)
		} else if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("100 MB (length told: %v) is answered with %s", told, res.Status)
		}
		_ = conn.Close()
	}
}

// TestLargeTurnsAtOnce: ten turns of 15 MB at the same moment, and as many batches of lines of 1 MB, fit into the memory
// that one of them may take; each is taken or told to come again, and what was taken is there.
func TestLargeTurnsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("sends 250 MB")
	}
	child := stacktest.Spawn(t, filepath.Join(t.TempDir(), "data"))
	c := child.As(t, "large")
	var taken, later atomic.Int64
	var wg sync.WaitGroup
	senders := 10
	if raceEnabled { // everything takes many times as long
		senders = 3
	}
	for i := range senders {
		wg.Go(func() {
			code, b := c.Send("POST", "/v1/events", "application/json", fmt.Sprintf(`{"user":"u%d","id":"t%d","input":"%s"}`, i, i, strings.Repeat("x", 15<<20)))
			switch code {
			case http.StatusAccepted:
				taken.Add(1)
			case http.StatusServiceUnavailable:
				later.Add(1)
			default:
				t.Errorf("turn %d is answered with %d %.200s", i, code, b)
			}
		})
		wg.Go(func() {
			line := fmt.Sprintf(`{"user":"u%d","input":"%s"}`, i, strings.Repeat("y", 1<<20))
			code, b := c.Send("POST", "/v1/events", "application/x-ndjson", strings.Repeat(line+"\n", 10))
			var r schema.BatchReply
			switch {
			case code == http.StatusAccepted && json.Unmarshal([]byte(b), &r) == nil:
				taken.Add(int64(len(r.Accepted)))
				later.Add(int64(len(r.Rejected)))
				for _, x := range r.Rejected {
					if !x.Error.Code.Info().Retry {
						t.Errorf("line %d of batch %d is refused: %+v", x.Line, i, x.Error)
					}
				}
			case code == http.StatusServiceUnavailable:
				later.Add(10)
			default:
				t.Errorf("batch %d is answered with %d %.200s", i, code, b)
			}
		})
	}
	wg.Wait()
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	// A line whose time limit passed was told to come again, and may be in all the same.
	if l.Accepted < uint64(taken.Load()) || l.Accepted > uint64(taken.Load()+later.Load()) || l.Indexed+l.Dropped != l.Accepted || taken.Load() == 0 {
		t.Errorf("%d turns were taken and %d told to come again, the ledger says %+v", taken.Load(), later.Load(), l)
	}
	if m := peak(t, child.PID()); m > floodMemory && !raceEnabled {
		t.Errorf("the process used %d MB at most, over %d", m>>20, floodMemory>>20)
	} else {
		t.Logf("%d turns taken, %d told to come again; the process used %d MB at most", taken.Load(), later.Load(), m>>20)
	}
}
