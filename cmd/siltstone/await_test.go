package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A command that waits for a job outlives a server that is away for a while, since the job does; it does not wait for a
// server that was never there, nor go on after an answer that no retry mends.
func TestAJobIsFollowedThroughOutages(t *testing.T) {
	const (
		running = `{"id":"snapshot-1","kind":"snapshot","state":"running","done":1,"total":2}`
		done    = `{"id":"snapshot-1","kind":"snapshot","state":"done","done":2,"total":2,"snapshot":{"generation":1,"hash":"00ff","seq":2,"settled":true,"collections":[]}}`
		away    = `{"error":{"code":"unavailable","message":"starting"}}`
		denied  = `{"error":{"code":"denied","message":"no"}}`
	)
	for name, c := range map[string]struct {
		answers []string // the last one again and again
		code    int
		told    int // how often it is said that the server is waited for
	}{
		"an outage":        {[]string{running, away, away, running, away, done}, exitOK, 2},
		"no answer at all": {[]string{away, done}, exitUnavailable, 0},
		"an answer of no":  {[]string{running, denied, done}, exitFailed, 0},
	} {
		asked := 0
		mux := http.NewServeMux()
		mux.HandleFunc("POST /v1/snapshot", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprint(w, `{"job":"snapshot-1"}`)
		})
		mux.HandleFunc("GET /v1/jobs/snapshot-1", func(w http.ResponseWriter, _ *http.Request) {
			a := c.answers[min(asked, len(c.answers)-1)]
			asked++
			switch a {
			case away:
				w.WriteHeader(http.StatusServiceUnavailable)
			case denied:
				w.WriteHeader(http.StatusForbidden)
			}
			fmt.Fprint(w, a)
		})
		s := httptest.NewServer(mux)
		var out, errs bytes.Buffer
		code := run(t.Context(), &env{in: strings.NewReader(""), out: &out, err: &errs, force: t.Context()}, []string{"--server", s.URL, "snapshot", "hash"})
		s.Close()
		if told := strings.Count(errs.String(), "waiting for the server"); code != c.code || told != c.told {
			t.Errorf("%s: exit %d, want %d; told %d times, want %d: %s", name, code, c.code, told, c.told, errs.String())
		}
		if c.code == exitOK && (asked != len(c.answers) || !strings.Contains(out.String(), "00ff")) {
			t.Errorf("%s: asked %d times: %s", name, asked, out.String())
		}
	}
}
