package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

var update = flag.Bool("update", false, "write what the golden logs come to anew, and the log of the present version where there is none; never a log that is there")

// goldenEntry is a message of the log as a server stored it.
type goldenEntry struct {
	Subject string            `json:"subject"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// golden is what a golden log comes to. The hash is over what was accepted, what of it is computed, and what became of it.
// Passages, facts and triples get better with every version; of the facts those are here that were stated outright.
type golden struct {
	Events   string        `json:"events"` // SHA-256 over the states of all turns, by log sequence
	Ledger   schema.Ledger `json:"ledger"`
	Explicit []string      `json:"explicit"` // status, type and content of memories and pins
}

// statesOf hashes what became of the turns of a log.
func statesOf(t *testing.T, c *stacktest.Tenant, log []goldenEntry) string {
	t.Helper()
	var all bytes.Buffer
	for _, e := range log {
		if e.Headers[events.HeaderOp] != string(schema.OpTurn) {
			continue
		}
		st, err := c.EventStatus(t.Context(), e.Headers[events.HeaderID], true)
		if err != nil && schema.CodeOf(err) != schema.CodeNotFound { // forgotten
			t.Fatal(err)
		}
		if st.Computed != nil {
			st.Computed = &schema.Computed{Segments: st.Computed.Segments}
		}
		if err := json.NewEncoder(&all).Encode(st); err != nil {
			t.Fatal(err)
		}
	}
	return schema.Hash(all.Bytes())
}

func goldenPath(version int, ext string) string {
	return filepath.Join("testdata", "golden", "v"+strconv.Itoa(version)+ext)
}

// A log of every version that was ever written is read to the same points by this build, on a server that it finds the
// log on and by a replay.
func TestB3_GoldenLogsOfAllVersionsComeToTheSamePoints(t *testing.T) {
	if _, err := os.Stat(goldenPath(schema.Version, ".ndjson")); errors.Is(err, os.ErrNotExist) && *update {
		recordGolden(t, goldenPath(schema.Version, ".ndjson"))
	}
	for v := 1; v <= schema.Version; v++ {
		t.Run("v"+strconv.Itoa(v), func(t *testing.T) {
			log := readGolden(t, goldenPath(v, ".ndjson"))
			var ops []string
			for _, e := range log {
				ops = append(ops, e.Headers[events.HeaderOp])
				if e.Headers[events.HeaderVersion] != strconv.Itoa(v) {
					t.Errorf("an entry of version %s in the log of version %d", e.Headers[events.HeaderVersion], v)
				}
			}
			for _, op := range []schema.Op{schema.OpTurn, schema.OpMemory, schema.OpPin, schema.OpForget, schema.OpTool, schema.OpSetting} {
				if !slices.Contains(ops, string(op)) {
					t.Errorf("the log has no %s", op)
				}
			}
			s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
			appendRaw(t, s, log)
			if err := s.Stop(); err != nil { // what intake knows beside the log, it reads from the log at a start
				t.Fatal(err)
			}
			s = stacktest.Up(t, s.Config)
			c := s.As(t, "golden")
			got := golden{Ledger: c.Settle().Ledger}
			hash := c.Hash(1)
			got.Events = statesOf(t, c, log)
			for _, m := range c.All(schema.MemoryQuery{User: "ann", Status: "all"}) {
				if strings.HasPrefix(m.Rule, schema.RuleOutright) {
					got.Explicit = append(got.Explicit, fmt.Sprintf("%s %s: %s", m.Status, m.Type, m.Content))
				}
			}
			slices.Sort(got.Explicit) // many have one time
			checkGolden(t, goldenPath(v, ".json"), got)
			c.Replayed(schema.ReplayRequest{})
			sameHash(t, c, hash, 2)
		})
	}
}

// What a newer version wrote is not guessed at and not passed over: it dies where everybody can see it, whole, and the
// rest of the log goes on.
func TestB3_WhatANewerVersionWroteIsRefusedLoudly(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
	c := s.As(t, "newer")
	c.Put(turn("first", "The ferry leaves from pier nine.", "Noted."))
	last := strconv.Itoa(schema.Version + 1)
	entry := func(id string, op schema.Op, version string) goldenEntry {
		body := fmt.Sprintf(`{"id":%q,"user":"ann","said":"a field of the future"}`, id)
		ev := schema.Event{Envelope: schema.Envelope{
			Version: 1, UUID: schema.EventUUID("newer", id), ID: id, Op: op, Tenant: "newer", User: "ann", At: day, Accepted: day, Class: schema.ClassUser, BodyHash: schema.Hash([]byte(body)),
		}, Body: []byte(body)}
		e := goldenEntry{Subject: events.LogSubject("newer", "ann", op), Headers: map[string]string{}, Body: body}
		for k, v := range events.Headers(ev.Envelope) {
			e.Headers[k] = v[0]
		}
		e.Headers[events.HeaderVersion] = version
		return e
	}
	appendRaw(t, s, []goldenEntry{entry("turn", schema.OpTurn, last), entry("tool", schema.OpTool, last), entry("merge", "merge", "1")})
	c.Put(turn("after", "The museum opens at noon.", "Noted."))
	if l := c.Settle().Ledger; l != (schema.Ledger{Accepted: 3, Indexed: 2, Dead: 1}) {
		t.Errorf("the ledger is %+v", l)
	}
	letters, err := c.DeadLetters(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	var dead []string
	for _, d := range letters.Items {
		whole, err := c.DeadLetter(t.Context(), d.ID, true)
		if err != nil || d.Code != schema.CodeUnsupported || d.Stage != "clean" || !strings.Contains(string(whole.Original), "a field of the future") {
			t.Errorf("letter %+v: %q, %v", d, whole.Original, err)
		}
		dead = append(dead, d.Event)
	}
	if slices.Sort(dead); !slices.Equal(dead, []string{"merge", "tool", "turn"}) {
		t.Errorf("dead are %q", dead)
	}
	if !strings.Contains(s.Logs.Warnings(), "event is dead") {
		t.Error("nothing is logged")
	}
}

// appendRaw puts entries into the log of a stack, past intake.
func appendRaw(t *testing.T, s *stacktest.Stack, log []goldenEntry) {
	t.Helper()
	js, err := jetstream.New(stacktest.Dial(t, s.Connect(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log {
		m := &nats.Msg{Subject: e.Subject, Header: nats.Header{}, Data: []byte(e.Body)}
		for k, v := range e.Headers {
			m.Header[k] = []string{v}
		}
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// recordGolden makes a log with something of everything, and keeps it as it was stored.
func recordGolden(t *testing.T, file string) {
	t.Helper()
	ctx := t.Context()
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
	c := s.As(t, "golden")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	yes := true
	_, err := c.SetTool(ctx, schema.ToolPolicy{Name: "badge_scan", NoMemory: &yes})
	must(err)
	_, err = c.SetTool(ctx, schema.ToolPolicy{Name: "gauge_read", Cleaner: &[]string{"lines:1-1"}})
	must(err)
	must(c.SetSettings(ctx, "ben", schema.Settings{Types: map[schema.Type]bool{schema.TypeTodoHint: false}}))
	rich := turn("rich", "看看 <b>网关</b> & ports", "9090。", tool("gauge_read", "keep this\nand drop that"), tool("badge_scan", "badge marzipan 17"))
	rich.Agent, rich.Speaker, rich.Metadata = "helper", "小红", map[string]any{"team": "支付", "run": 7.5, "night": true}
	c.Put(history(30)...)
	c.Put(rich)
	w, err := c.Remember(ctx, schema.MemoryWrite{User: "ann", Type: schema.TypePreference, Content: "Prefers short answers."})
	must(err)
	c.Settle()
	_, err = c.EditMemory(ctx, "ann", w.ID, schema.MemoryPatch{Content: "Prefers very short answers."})
	must(err)
	p, err := c.Pin(ctx, schema.Pin{User: "ann", Content: "Answer in English."})
	must(err)
	_, err = c.Pin(ctx, schema.Pin{User: "ann", Content: "不要香菜。"})
	must(err)
	c.Settle()
	_, err = c.Unpin(ctx, "ann", p.ID)
	must(err)
	_, err = c.Forget(ctx, schema.Forget{User: "ann", Match: "walnut bureau"})
	must(err)
	c.Put(turn("again", "My diary is in the attic.", "Noted."))

	js, err := jetstream.New(stacktest.Dial(t, s.Connect(t)))
	must(err)
	log, err := js.Stream(ctx, events.StreamLog)
	must(err)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	end := log.CachedInfo().State.LastSeq
	var twice []goldenEntry
	for seq := uint64(1); seq <= end; seq++ {
		m, err := log.GetMsg(ctx, seq)
		must(err)
		e := goldenEntry{Subject: m.Subject, Headers: map[string]string{}, Body: string(m.Data)}
		for k, v := range m.Header {
			if strings.HasPrefix(k, "Silt-") {
				e.Headers[k] = v[0]
			}
		}
		must(enc.Encode(e))
		if e.Headers[events.HeaderID] == "cello" {
			twice = append(twice, e)
		}
	}
	// An id that stands in the log again: with the same body, and with another.
	other := twice[0]
	other.Body = strings.Replace(other.Body, "Cremona", "Verona", 1)
	other.Headers = map[string]string{}
	for k, v := range twice[0].Headers {
		other.Headers[k] = v
	}
	other.Headers[events.HeaderHash] = schema.Hash([]byte(other.Body))
	for _, e := range append(twice, other) {
		must(enc.Encode(e))
	}
	must(os.WriteFile(file, out.Bytes(), 0o644))
}

func readGolden(t *testing.T, file string) []goldenEntry {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var log []goldenEntry
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e goldenEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		log = append(log, e)
	}
	if err := lines.Err(); err != nil || len(log) == 0 {
		t.Fatalf("%d entries, %v", len(log), err)
	}
	return log
}

func checkGolden(t *testing.T, file string, got golden) {
	t.Helper()
	text, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("the log comes to\n%s\nwant\n%s\nwhere that is meant, as after a change of a cleaner: -update", text, want)
	}
}
