package stacktest

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/client"
)

// childDir, set, makes a test binary the command itself, with its data in that directory.
const childDir = config.Prefix + "TEST_CHILD_DIR"

// RunChild turns a test binary that [Spawn] or [SpawnRole] has started into the command, and one that [VectorServer] has
// started into that; it does not return then. It is the first thing in a TestMain.
func RunChild() {
	if dir := os.Getenv(childVectors); dir != "" {
		fmt.Fprintln(os.Stderr, "vector server:", serveVectors(dir, os.Getenv(childVectorsAt)))
		os.Exit(1)
	}
	if role := os.Getenv(childRole); role != "" {
		os.Exit(app.Main(role, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
	}
	if dir := os.Getenv(childDir); dir != "" {
		args := []string{"--data", dir, "--http-addr", Loopback, "--log-format", "json"}
		os.Exit(app.Main("all", append(args, os.Args[1:]...), os.Environ(), os.Stdout, os.Stderr))
	}
}

// Child is the command in a process of its own, to be killed.
type Child struct {
	*Stack

	cmd  *exec.Cmd
	gone chan struct{}
	end  error // of the process, once gone is closed
}

// Spawn starts the command on a data directory and returns once it is up. It ends with the test at the latest.
func Spawn(t testing.TB, dir string, flags ...string) *Child {
	t.Helper()
	return spawn(t, "process", childDir+"="+dir, flags, func(line string) (string, bool) {
		return line, strings.HasPrefix(line, "http://")
	})
}

// spawn starts this test binary with a variable that makes it a command, called name in what is logged, and returns
// once up finds the command's address in a line of its output.
func spawn(t testing.TB, name, variable string, flags []string, up func(line string) (url string, ok bool)) *Child {
	t.Helper()
	c := &Child{Stack: &Stack{Logs: &Logs{}}, cmd: exec.Command(os.Args[0], flags...), gone: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), variable)
	c.cmd.Stderr = c.Logs
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill() // it may be gone
		<-c.gone
		if t.Failed() {
			t.Logf("log of the %s:\n%s", name, c.Logs.Warnings())
		}
	})
	found := make(chan string, 2)
	go func() {
		defer close(c.gone)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if url, ok := up(lines.Text()); ok {
				found <- url
			}
		}
		c.end = c.cmd.Wait()
	}()
	select {
	case c.URL = <-found:
	case <-c.gone:
		t.Fatalf("the %s ended: %v\n%s", name, c.end, c.Logs)
	case <-time.After(Patience):
		t.Fatalf("the %s is not up in time", name)
	}
	return c
}

// Kill ends the process as a power cut would, and waits until it is gone.
func (c *Child) Kill(t testing.TB) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-c.gone
}

// Terminate asks the process to end and returns how long it took and how it ended.
func (c *Child) Terminate(t testing.TB) (time.Duration, error) {
	t.Helper()
	start := time.Now()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.gone:
		return time.Since(start), c.end
	case <-time.After(Patience):
		return time.Since(start), fmt.Errorf("it does not end:\n%s", bytes.TrimSpace([]byte(c.Logs.Warnings())))
	}
}

// Await waits until the process has ended by itself and returns how.
func (c *Child) Await(t testing.TB) error {
	t.Helper()
	select {
	case <-c.gone:
		return c.end
	case <-time.After(Patience):
		t.Fatalf("it does not end:\n%s", bytes.TrimSpace([]byte(c.Logs.Warnings())))
		return nil
	}
}

// PID is the process's number.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Bare is a client that does not fail a test: for what may fail.
func (s *Stack) Bare(tenant string) (*client.HTTP, error) {
	return client.NewHTTP(s.URL, client.WithTenant(tenant))
}
