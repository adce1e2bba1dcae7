package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// forgetting runs siltstone against a server that gives r for every request to forget and pages of memories without an end.
func forgetting(t *testing.T, r string, args ...string) (out, errs string, pages int) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/forget", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, r)
	})
	mux.HandleFunc("GET /v1/memories", func(w http.ResponseWriter, _ *http.Request) {
		pages++
		fmt.Fprintf(w, `{"items":[{"id":"m%d","type":"fact","status":"active","content":"text %d","observed_at":"2026-01-02T03:04:05Z"}],"cursor":"%d"}`, pages, pages, pages)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	var o, e bytes.Buffer
	if code := run(t.Context(), &env{in: strings.NewReader(""), out: &o, err: &e, force: t.Context()}, append([]string{"--server", s.URL, "forget", "-u", "ann"}, args...)); code != exitOK {
		t.Fatalf("exit %d: %s", code, e.String())
	}
	return o.String(), e.String(), pages
}

// A user may have said very much, and a dry run may reach what is in no list of memories, such as a dropped turn.
func TestForgetDryRunLooksThroughSomePagesOnly(t *testing.T) {
	out, errs, pages := forgetting(t, `{"matched":2,"events":["dropped"],"memories":["m2"]}`, "--match", "x", "--dry-run")
	if pages != lookPages {
		t.Errorf("%d pages are read, want %d", pages, lookPages)
	}
	if !strings.Contains(out, "text 2") || !strings.Contains(out, "dropped") || !strings.Contains(errs, strconv.Itoa(lookPages*lookPage)) {
		t.Errorf("out %q, err %q", out, errs)
	}
	if _, errs, pages = forgetting(t, `{"matched":1,"memories":["m2"]}`, "--match", "x", "--dry-run"); pages != 2 || errs != "" {
		t.Errorf("all found: %d pages, err %q", pages, errs)
	}
}

func TestForgetSaysWhereCountingWasCutShort(t *testing.T) {
	for _, c := range []struct {
		reply schema.ForgetReply
		args  []string
		want  string
	}{
		{schema.ForgetReply{Job: "j", Matched: 3}, nil, "3 turns and memories are going"},
		{schema.ForgetReply{Job: "j", Matched: 3, Partial: true}, nil, "at least 3 turns and memories are going"},
		{schema.ForgetReply{Matched: 3, Partial: true}, []string{"--dry-run"}, "at least 3 turns and memories would go"},
	} {
		r := fmt.Sprintf(`{"job":%q,"matched":%d,"partial":%v}`, c.reply.Job, c.reply.Matched, c.reply.Partial)
		if out, _, _ := forgetting(t, r, append(c.args, "--match", "x")...); !strings.Contains(out, c.want) || strings.HasPrefix(c.want, "3") && strings.Contains(out, "at least") {
			t.Errorf("%s is told as %q, want %q", r, out, c.want)
		}
	}
}
