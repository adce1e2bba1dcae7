package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds every wait; the machine may be loaded.
const patience = 60 * time.Second

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"siltstone": main}) }

// The scripts in testdata/script run the built program against servers of their own. Beyond testscript's commands:
//
//	server [flags]     start siltstone up on a free port with its data in $WORK/data and set $SERVER to its address
//	signal NAME        send INT or KILL to that server
//	ended CODE         wait until it has ended, with that exit status
//	alive              it has not ended
//	hold               begin a request to the server that never ends
//	exits CODE PROG …  run a program, which must exit with exactly that status
//	waitfor TEXT       poll the server's log until it says so
//	revokeall DIR      revoke every token of the data directory DIR
//	answers CODE [FILE] poll the server until it answers CODE, to the token in FILE if one is named
//	nosecret FILE TEXT the token in FILE is not in the file TEXT
func TestScripts(t *testing.T) {
	testscript.Run(t, params(t, "testdata/script"))
}

func params(t *testing.T, dir string) testscript.Params {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	words := t.TempDir() // the unpacked dictionaries, once for all scripts
	return testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			e.Setenv("SILTSTONE_JIEBA_CACHE", words)
			e.Values[scriptedKey{}] = &scripted{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"server": startServer, "signal": signalServer, "ended": serverEnded, "alive": serverAlive, "hold": holdRequest, "exits": exits, "waitfor": waitFor,
			"revokeall": revokeAll, "answers": answers, "nosecret": holdsNoSecret,
		},
	}
}

// scripted is what the commands of one script share.
type scripted struct{ srv *server }

type scriptedKey struct{}

// server is a running siltstone up.
type server struct {
	cmd  *exec.Cmd
	log  string        // path of its standard error
	done chan struct{} // closed when it has ended
}

// running is the script's server, which was started.
func running(ts *testscript.TestScript) *server {
	s := ts.Value(scriptedKey{}).(*scripted).srv
	if s == nil {
		ts.Fatalf("no server was started")
	}
	return s
}

func startServer(ts *testscript.TestScript, neg bool, args []string) {
	shared := ts.Value(scriptedKey{}).(*scripted)
	if neg || shared.srv != nil && !shared.srv.ended() {
		ts.Fatalf("usage: server [flags], once the one before has ended")
	}
	prog := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, "siltstone"); prog == "" && isFile(p) {
			prog = p
		}
	}
	s := &server{log: ts.MkAbs("server.log"), done: make(chan struct{})}
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	s.cmd = exec.Command(prog, append([]string{"up", "--data", ts.MkAbs("data"), "--http", "127.0.0.1:0"}, args...)...)
	s.cmd.Env = append(os.Environ(), "SILTSTONE_JIEBA_CACHE="+ts.Getenv("SILTSTONE_JIEBA_CACHE"))
	s.cmd.Stderr, s.cmd.Dir = log, ts.MkAbs(".")
	out, err := s.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(s.cmd.Start())
	shared.srv = s
	ts.Defer(s.stop)
	first := make(chan string, 1)
	go func() {
		r := bufio.NewReader(out)
		line, _ := r.ReadString('\n')
		first <- line
		_, _ = io.Copy(io.Discard, r)
		_ = s.cmd.Wait() // the exit status is in ProcessState
		_ = log.Close()
		close(s.done)
	}()
	select {
	case line := <-first:
		addr, ok := upAt(line)
		if !ok {
			ts.Fatalf("the server says %q and in its log:\n%s", line, ts.ReadFile(s.log))
		}
		ts.Setenv("SERVER", addr)
	case <-time.After(patience):
		ts.Fatalf("the server does not come up; its log:\n%s", ts.ReadFile(s.log))
	}
}

// upAt finds the server's address in its first line, which is for people or JSON.
func upAt(line string) (addr string, ok bool) {
	if rest, ok := strings.CutPrefix(line, "siltstone is up: "); ok {
		addr, _, _ = strings.Cut(rest, " ")
		return addr, true
	}
	var up struct{ HTTP, Data string }
	err := json.Unmarshal([]byte(line), &up)
	return up.HTTP, err == nil && up.HTTP != "" && up.Data != ""
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func (s *server) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// stop ends the server however the script went.
func (s *server) stop() {
	if s.ended() {
		return
	}
	_ = s.cmd.Process.Signal(os.Interrupt)
	select {
	case <-s.done:
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		<-s.done
	}
}

func signalServer(ts *testscript.TestScript, neg bool, args []string) {
	sig, ok := map[string]os.Signal{"INT": os.Interrupt, "KILL": os.Kill}[strings.Join(args, " ")]
	if neg || !ok {
		ts.Fatalf("usage: signal INT|KILL")
	}
	ts.Check(running(ts).cmd.Process.Signal(sig))
}

func serverEnded(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ended CODE")
	}
	s := running(ts)
	select {
	case <-s.done:
	case <-time.After(patience):
		ts.Fatalf("the server has not ended; its log:\n%s", ts.ReadFile(s.log))
	}
	if got := strconv.Itoa(s.cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("the server ended with %s, want %s; its log:\n%s", got, args[0], ts.ReadFile(s.log))
	}
}

func serverAlive(ts *testscript.TestScript, neg bool, _ []string) {
	if running(ts).ended() != neg {
		ts.Fatalf("the server has ended: %v", !neg)
	}
}

// holdRequest sends the head of a request and a part of its body, and the answer to "Expect: 100-continue" shows that
// the server is at work on it.
func holdRequest(ts *testscript.TestScript, neg bool, _ []string) {
	addr, ok := strings.CutPrefix(ts.Getenv("SERVER"), "http://")
	if neg || !ok {
		ts.Fatalf("usage: hold, after server")
	}
	c, err := net.DialTimeout("tcp", addr, patience)
	ts.Check(err)
	ts.Defer(func() { _ = c.Close() })
	ts.Check(c.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(c, "POST /v1/events HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n", addr)
	ts.Check(err)
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || !strings.Contains(line, "100") {
		ts.Fatalf("the server answers %q, %v", line, err)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM …")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		code = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
}

func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfor TEXT")
	}
	s := running(ts)
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(ts.ReadFile(s.log), args[0]) {
		if time.Now().After(deadline) {
			ts.Fatalf("the server's log does not say %q:\n%s", args[0], ts.ReadFile(s.log))
		}
		<-tick.C
	}
}
