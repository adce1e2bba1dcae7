package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// past is a server that a backfill publishes to.
type past struct {
	waiting []uint64 // what waits for a stage at each look; the last one stays
	answers []int    // HTTP status of each request to publish; 200 at their end
	denied  bool     // it may not ask for the status

	looks  int
	pieces [][]string // ids of each request that was answered with 200
	early  int        // requests while too much waited
}

func (p *past) backfill(t *testing.T, file string, args ...string) (code int, out, errs string) {
	t.Helper()
	mux := http.NewServeMux()
	waits := uint64(0)
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) {
		if p.denied {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"error":{"code":"denied","message":"no"}}`)
			return
		}
		if len(p.waiting) > 0 {
			waits = p.waiting[min(p.looks, len(p.waiting)-1)]
		}
		p.looks++
		_ = json.NewEncoder(w).Encode(schema.StatusReply{Stages: []schema.StageStatus{{Name: "clean"}, {Name: "distill", Pending: waits}}})
	})
	mux.HandleFunc("POST /v1/events", func(w http.ResponseWriter, r *http.Request) {
		if waits > backfillAhead {
			p.early++
		}
		if len(p.answers) > 0 {
			status := p.answers[0]
			p.answers = p.answers[1:]
			if status != http.StatusOK {
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"error":{"code":%q,"message":"told to"}}`, map[int]string{503: "unavailable", 403: "denied"}[status])
				return
			}
		}
		var reply schema.BatchReply
		var ids []string
		for lines := bufio.NewScanner(r.Body); lines.Scan(); {
			if lines.Text() == "" {
				continue
			}
			turn, err := schema.Decode[schema.Turn](lines.Bytes())
			if err != nil || turn.ID == "" || turn.At.IsZero() {
				t.Errorf("sent %s: %v", lines.Text(), err)
			}
			ids = append(ids, turn.ID)
			reply.Accepted = append(reply.Accepted, schema.Accepted{ID: turn.ID, Seq: 1})
		}
		p.pieces = append(p.pieces, ids)
		w.WriteHeader(http.StatusAccepted)
		_ = json.NewEncoder(w).Encode(reply)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	var o, e bytes.Buffer
	code = run(t.Context(), &env{in: strings.NewReader(""), out: &o, err: &e, force: t.Context()}, append([]string{"--server", s.URL, "publish", "--backfill", file}, args...))
	return code, o.String(), e.String()
}

// A server that has too much to do is asked again when it says, however long that goes on; one that is away is given up.
func TestABackfillWaitsForAServerThatHasTooMuchToDo(t *testing.T) {
	const after = 50 * time.Millisecond
	long := time.Now().Add(-2 * outage)
	begun, looks := time.Now(), 0
	err := await(t.Context(), time.Millisecond, long, io.Discard, func() (bool, error) {
		if looks++; looks <= 3 {
			return false, schema.Retryable(schema.CodeOverloaded, after, nil, "more than may wait")
		}
		return true, nil
	})
	if err != nil || looks != 4 || time.Since(begun) < 3*after {
		t.Errorf("%v after %d looks, %s", err, looks, time.Since(begun))
	}
	err = await(t.Context(), time.Millisecond, long, io.Discard, func() (bool, error) {
		return false, schema.Retryable(schema.CodeUnavailable, 0, nil, "away")
	})
	if schema.CodeOf(err) != schema.CodeUnavailable {
		t.Errorf("a server that is away: %v", err)
	}
}

// written is a file of n turns of the past, every third without an id.
func written(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		id := ""
		if i%3 > 0 {
			id = fmt.Sprintf(`"id":"t-%d",`, i)
		}
		fmt.Fprintf(&b, "{%s\"user\":\"ann\",\"at\":\"2019-05-%02dT08:00:00Z\",\"input\":\"turn %d\"}\n", id, 1+i%28, i)
	}
	file := filepath.Join(t.TempDir(), "past.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestABackfillGoesOnWhereItWasBrokenOff(t *testing.T) {
	const n = 5*backfillLines + 7
	file := written(t, n)
	p := &past{answers: []int{200, 503, 200, 403}} // an outage is waited out, an answer of no is not
	code, out, errs := p.backfill(t, file)
	if code != exitFailed || len(p.pieces) != 2 || !strings.Contains(out, "accepted 200,") {
		t.Fatalf("broken off: exit %d after %d pieces: %s%s", code, len(p.pieces), out, errs)
	}
	if code, out, errs = p.backfill(t, file); code != exitOK || !strings.Contains(errs, "going on after line 200") || !strings.Contains(out, "accepted 307,") {
		t.Fatalf("gone on: exit %d: %s%s", code, out, errs)
	}
	ids := slices.Concat(p.pieces...)
	if len(ids) != n || ids[1] != "t-1" || ids[n-1] != fmt.Sprintf("t-%d", n-1) || !strings.HasPrefix(ids[0], "backfill-") {
		t.Errorf("%d ids from %s to %s, want each line once", len(ids), ids[0], ids[len(ids)-1])
	}
	if _, err := os.Stat(file + progressSuffix); !os.IsNotExist(err) {
		t.Errorf("the note of how far it was is left: %v", err)
	}
	// Once more from the beginning: every line has the id that it had.
	again := &past{}
	if code, _, errs := again.backfill(t, file); code != exitOK || !slices.Equal(slices.Concat(again.pieces...), ids) {
		t.Errorf("again: exit %d, other ids: %s", code, errs)
	}
	// A file that was changed meanwhile is not gone on with.
	broken := &past{answers: []int{200, 403}}
	broken.backfill(t, file)
	if err := os.WriteFile(file, append([]byte(`{"user":"x"}`+"\n"), bytes.Repeat([]byte("x"), 1<<20)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := broken.backfill(t, file); code != exitUsage || !strings.Contains(errs, "another file") {
		t.Errorf("another file: exit %d, %s", code, errs)
	}
}

func TestABackfillMakesWayForLiveTurns(t *testing.T) {
	p := &past{waiting: []uint64{0, backfillAhead + 1, backfillAhead + 1, 900, backfillAhead}}
	code, _, errs := p.backfill(t, written(t, 3*backfillLines))
	if code != exitOK || p.early > 0 || p.looks < 6 {
		t.Errorf("exit %d, %d requests while too much waited, %d looks: %s", code, p.early, p.looks, errs)
	}
	for _, ids := range p.pieces {
		if len(ids) > backfillLines {
			t.Errorf("%d lines in one request", len(ids))
		}
	}
	blind := &past{denied: true}
	if code, _, errs := blind.backfill(t, written(t, 3*backfillLines)); code != exitOK || strings.Count(errs, "--rate") != 1 || len(blind.pieces) != 3 {
		t.Errorf("a token without query: exit %d, %d pieces: %s", code, len(blind.pieces), errs)
	}
}

func TestABackfillTakesTurnsWithTheirOwnTimesOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "past.jsonl")
	text := `{"user":"ann","at":"2019-05-01T08:00:00Z","input":"one"}

{"user":"ann","input":"when?"}
{"id":"","user":"ann","at":"2019-05-01T08:00:00Z","input":"which?"}
{"id":"b","user":"ann","at":null,"input":"when?"}
{"id":"a","user":"ann","at":"2019-05-02T08:00:00Z","input":"two"}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &past{}
	code, out, errs := p.backfill(t, file)
	if code != exitFailed || !strings.Contains(out, "accepted 2,") || !strings.Contains(out, "rejected 3") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	for _, want := range []string{"line 3: invalid: at", "line 4: invalid: id", "line 5: invalid: at"} {
		if !strings.Contains(out, want) {
			t.Errorf("not said: %s in %s", want, out)
		}
	}
	if ids := slices.Concat(p.pieces...); len(ids) != 2 || ids[1] != "a" {
		t.Errorf("sent: %q", ids)
	}
	if code, _, errs := p.backfill(t, "-"); code != exitUsage || !strings.Contains(errs, "needs a file") {
		t.Errorf("from standard input: exit %d, %s", code, errs)
	}
}
