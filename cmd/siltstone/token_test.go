package main

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/siltstone-ai/siltstone/internal/auth"
)

// revokeAll revokes by the command every token there is.
func revokeAll(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: revokeall DIR")
	}
	list, err := auth.File{Path: filepath.Join(ts.MkAbs(args[0]), "tokens.json")}.List()
	ts.Check(err)
	if len(list) == 0 {
		ts.Fatalf("there is no token")
	}
	for _, t := range list {
		ts.Check(ts.Exec("siltstone", "token", "revoke", "--data", args[0], t.ID))
	}
}

// answers polls the running server until it answers with a status: it takes up a change of the tokens within a second.
func answers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: answers STATUS [FILE]")
	}
	req, err := http.NewRequest(http.MethodGet, ts.Getenv("SERVER")+"/v1/status", nil)
	ts.Check(err)
	if len(args) == 2 {
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(ts.ReadFile(args[1])))
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		res, err := http.DefaultClient.Do(req)
		ts.Check(err)
		ts.Check(res.Body.Close())
		if strconv.Itoa(res.StatusCode) == args[0] {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("the server answers %s", res.Status)
		}
	}
}

func holdsNoSecret(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: nosecret FILE TEXT")
	}
	parts := strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "_")
	if len(parts) != 3 || len(parts[2]) < 39 {
		ts.Fatalf("%s holds no token", args[0])
	}
	if strings.Contains(ts.ReadFile(args[1]), parts[2]) {
		ts.Fatalf("the secret of %s is in %s", args[0], args[1])
	}
}

func TestDays(t *testing.T) {
	for in, want := range map[string]time.Duration{"": 0, "90d": 90 * 24 * time.Hour, "1d": 24 * time.Hour, "12h": 12 * time.Hour, "1h30m": 90 * time.Minute} {
		if got, err := days(in); got != want || err != nil {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"d", "-1d", "0d", "0h", "-3h", "1.5d", "99999d", "90", "soon"} {
		if got, err := days(in); err == nil {
			t.Errorf("%q is %v", in, got)
		}
	}
}
