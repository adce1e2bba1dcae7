package intake

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// world is the log, the index and the state at once.
type world struct {
	log    []schema.Event
	points map[string]map[string]any
	tools  []schema.ToolPolicy
	down   error
}

func (w *world) Append(_ context.Context, evs []schema.Event) []events.Appended {
	out := make([]events.Appended, len(evs))
	for i, e := range evs {
		if w.down != nil {
			out[i].Err = w.down
			continue
		}
		w.log = append(w.log, e)
		out[i].Seq = uint64(len(w.log))
	}
	return out
}

func (w *world) EventPoints(_ context.Context, uuids []string) (map[string]map[string]any, error) {
	if w.points == nil {
		return nil, errors.New("down")
	}
	return w.points, nil
}

func (w *world) PolicyRev(string) uint64 { return 7 }

func (w *world) SetTool(_ context.Context, _ string, _ uint64, p schema.ToolPolicy) error {
	w.tools = append(w.tools, p)
	return nil
}

func (w *world) SetSettings(context.Context, string, string, uint64, schema.Settings) error {
	return nil
}

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newTest(t *testing.T, w *world) *Intake {
	t.Helper()
	n := 0
	in, err := New(Config{Log: w, Points: w, Policies: w, Now: func() time.Time { return now }, NewID: func() string { n++; return fmt.Sprint("drawn-", n) }, MaxTurn: 400})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestTurnsAreKeptAsPublished(t *testing.T) {
	w := &world{}
	raw := "  {\"user\":\"u\", \"input\":\"\\u001b[1mhi\\u0000\",\n\"at\":\"2026-02-01T09:00:00+08:00\"}\n"
	acc, err := newTest(t, w).Turn(t.Context(), "acme", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	ev := w.log[0]
	if string(ev.Body) != raw || ev.BodyHash != schema.Hash([]byte(raw)) {
		t.Errorf("the body is %q", ev.Body)
	}
	if acc.ID != "drawn-1" || acc.Seq != 1 || ev.UUID != schema.EventUUID("acme", "drawn-1") || ev.PolicyRev != 7 || ev.Class != schema.ClassUser {
		t.Errorf("accepted %+v as %+v", acc, ev.Envelope)
	}
	if ev.At.UTC().Format(time.RFC3339) != "2026-02-01T01:00:00Z" || !ev.Accepted.Equal(now) {
		t.Errorf("at %v, accepted %v", ev.At, ev.Accepted)
	}
}

func TestTimesAheadAreClamped(t *testing.T) {
	w := &world{}
	in := newTest(t, w)
	for at, want := range map[string]string{"2026-03-01T12:04:00Z": "12:04", "2026-03-01T12:06:00Z": "12:00", "2030-01-01T00:00:00Z": "12:00"} {
		if _, err := in.Turn(t.Context(), "acme", []byte(`{"user":"u","input":"x","at":"`+at+`"}`)); err != nil {
			t.Fatal(err)
		}
		if got := w.log[len(w.log)-1].At.Format("15:04"); got != want {
			t.Errorf("%s is taken as %s, want %s", at, got, want)
		}
	}
}

func TestABadTurnTouchesNoOther(t *testing.T) {
	w := &world{points: map[string]map[string]any{
		schema.EventUUID("acme", "known"): {schema.KeyBodyHash: schema.Hash([]byte(`{"id":"known","user":"u","input":"x"}`)), schema.KeySeq: int64(42)},
		schema.EventUUID("acme", "taken"): {schema.KeyBodyHash: "other", schema.KeySeq: int64(43)},
	}}
	out := newTest(t, w).Turns(t.Context(), "acme", [][]byte{
		[]byte(`{"user":"u"}`),
		[]byte(`{"id":"known","user":"u","input":"x"}`),
		[]byte(`{"id":"taken","user":"u","input":"x"}`),
		[]byte(`{"user":"u","input":"` + strings.Repeat("x", 400) + `"}`),
		[]byte(`{"id":"new","user":"u","input":"x","tool_results":[{"name":"t","output":"o"}]}`),
	})
	var first *schema.Error
	if !errors.As(out[0].Err, &first) || first.Field != "input" {
		t.Errorf("the first: %v", out[0].Err)
	}
	if out[1].Err != nil || !out[1].Duplicate || out[1].Seq != 42 {
		t.Errorf("a known id with the same body: %+v", out[1])
	}
	if schema.CodeOf(out[2].Err) != schema.CodeConflict || schema.CodeOf(out[3].Err) != schema.CodeTooLarge {
		t.Errorf("taken: %v, too large: %v", out[2].Err, out[3].Err)
	}
	if out[4].Err != nil || out[4].Seq != 1 || len(w.log) != 1 || w.log[0].Class != schema.ClassTool {
		t.Errorf("the good one: %+v, log %d", out[4], len(w.log))
	}
}

func TestTheIndexBeingDownStopsNothing(t *testing.T) {
	w := &world{}
	if acc, err := newTest(t, w).Turn(t.Context(), "acme", []byte(`{"id":"a","user":"u","input":"x"}`)); err != nil || acc.Seq != 1 {
		t.Errorf("%+v %v", acc, err)
	}
	w.down = schema.Retryable(schema.CodeUnavailable, time.Second, nil, "no log")
	if _, err := newTest(t, w).Turn(t.Context(), "acme", []byte(`{"id":"b","user":"u","input":"x"}`)); schema.CodeOf(err) != schema.CodeUnavailable || schema.IsPermanent(err) {
		t.Errorf("the log being down is %v", err)
	}
}

func TestOpsAreAppendedBeforeTheyHold(t *testing.T) {
	w := &world{}
	in := newTest(t, w)
	yes := true
	if _, err := in.Tool(t.Context(), "acme", schema.ToolPolicy{Name: "cmd", NoMemory: &yes}); err != nil {
		t.Fatal(err)
	}
	if len(w.log) != 1 || w.log[0].Op != schema.OpTool || w.log[0].User != "" || w.log[0].Class != schema.ClassOperator || len(w.tools) != 1 {
		t.Errorf("log %+v, tools %v", w.log, w.tools)
	}
	w.down = errors.New("down")
	if _, err := in.Tool(t.Context(), "acme", schema.ToolPolicy{Name: "other", NoMemory: &yes}); err == nil || len(w.tools) != 1 {
		t.Errorf("a policy that is not in the log holds: %v %v", err, w.tools)
	}
	if _, err := in.Forget(t.Context(), "acme", schema.Forget{User: "u"}); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("a forget request that selects nothing: %v", err)
	}
}

// A turn that is passed again, by a caller that may, is the same event again: by the id that the caller gives it.
func TestATurnPassedAgainIsTheSameEvent(t *testing.T) {
	w := &world{points: map[string]map[string]any{}}
	in := newTest(t, w)
	raw := []byte(`{"user":"u","input":"x"}`)
	acc, err := in.TurnAs(t.Context(), "acme", "in-9-1", raw)
	if err != nil || acc.ID != "in-9-1" || w.log[0].UUID != schema.EventUUID("acme", "in-9-1") {
		t.Fatalf("%+v as %+v, %v", acc, w.log[0].Envelope, err)
	}
	// Beyond the log's own window of duplicates the index is asked, as for an id of the client's.
	w.points[w.log[0].UUID] = map[string]any{schema.KeyBodyHash: schema.Hash(raw), schema.KeySeq: int64(1)}
	if acc, err := in.TurnAs(t.Context(), "acme", "in-9-1", raw); err != nil || !acc.Duplicate || acc.Seq != 1 || len(w.log) != 1 {
		t.Errorf("again: %+v %v, %d in the log", acc, err, len(w.log))
	}
	if acc, err := in.TurnAs(t.Context(), "acme", "in-9-2", []byte(`{"id":"own","user":"u","input":"x"}`)); err != nil || acc.ID != "own" {
		t.Errorf("a turn with an id of its own: %+v %v", acc, err)
	}
}

// What is appended carries the trace of the request, and nothing where there is none.
func TestEventsCarryTheTrace(t *testing.T) {
	w := &world{}
	in := newTest(t, w)
	ctx, span := sdktrace.NewTracerProvider().Tracer("test").Start(t.Context(), "request")
	defer span.End()
	for _, ctx := range []context.Context{ctx, t.Context()} {
		if _, err := in.Turn(ctx, "acme", []byte(`{"user":"u","input":"x"}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Forget(ctx, "acme", schema.Forget{User: "u", All: true}); err != nil {
			t.Fatal(err)
		}
	}
	want := "00-" + span.SpanContext().TraceID().String() + "-" + span.SpanContext().SpanID().String() + "-01"
	for i, ev := range w.log {
		if got := ev.Trace; got != want && i < 2 || got != "" && i >= 2 {
			t.Errorf("entry %d carries trace %q", i, got)
		}
	}
}

// forgotten are the sequences of what was forgotten.
type forgotten struct {
	seqs map[uint64]bool
	err  error
}

func (f forgotten) Forgotten(_ context.Context, evs []schema.Event) ([]bool, error) {
	out := make([]bool, len(evs))
	for i, ev := range evs {
		out[i] = f.seqs[ev.Seq] && ev.User == "u" && ev.Tenant == "acme" && len(ev.Body) > 0
	}
	return out, f.err
}

// The answer to what comes again under the id of something forgotten is that of any retry, and says it.
func TestARetryOfWhatWasForgottenIsToldSo(t *testing.T) {
	w := &world{points: map[string]map[string]any{}}
	in := newTest(t, w)
	in.cfg.Forgotten = forgotten{seqs: map[uint64]bool{1: true, 3: true}}
	raws := [][]byte{[]byte(`{"id":"a","user":"u","input":"x"}`), []byte(`{"id":"b","user":"u","input":"y"}`)}
	publish := func() []Outcome {
		out := in.Turns(t.Context(), "acme", raws)
		acc, err := in.Memory(t.Context(), "acme", schema.ClassUser, "m", schema.MemoryWrite{User: "u", Type: schema.TypeFact, Content: "x"})
		return append(out, Outcome{acc, err})
	}
	for i, o := range publish() {
		if o.Err != nil || o.Duplicate || o.Forgotten {
			t.Fatalf("first, %d: %+v", i, o)
		}
	}
	for i, ev := range w.log {
		w.points[ev.UUID] = map[string]any{schema.KeyBodyHash: ev.BodyHash, schema.KeySeq: int64(i + 1)}
	}
	for i, o := range publish() {
		if o.Err != nil || !o.Duplicate || o.Forgotten != (i != 1) {
			t.Errorf("again, %d: %+v", i, o)
		}
	}
	in.cfg.Forgotten = forgotten{err: errors.New("away")}
	if o := in.Turns(t.Context(), "acme", raws)[0]; o.Err != nil || !o.Duplicate || o.Forgotten {
		t.Errorf("where nobody can tell: %+v", o)
	}
}
