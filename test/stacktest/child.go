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
	return Launch{Dir: dir, Flags: flags}.spawn(t)
}

// Launch is the command to be started in a process of its own: this test binary, which [RunChild] makes the command.
type Launch struct {
	Role  string   // one of a command's roles, "none" for servers only; "" for everything in one process
	Dir   string   // of the data, for everything in one process
	Flags []string // win over those that come with the rest
	Env   []string // beside this process's own
}

func (l Launch) name() string {
	if l.Role == "" {
		return "process"
	}
	return l.Role
}

// up tells the line of the command's output that says it is up, and its address there.
func (l Launch) up(line string) (url string, ok bool) {
	if strings.HasPrefix(line, "http") {
		return line, true
	}
	edge := l.Role != "none" && l.Role != "distiller"
	return "", !edge && strings.HasSuffix(line, " is up")
}

// spawn starts the command, fails the test where it does not come up, and shows its log where the test fails.
func (l Launch) spawn(t testing.TB) *Child {
	t.Helper()
	c, err := l.Start(t)
	if c != nil {
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("log of the %s:\n%s", l.name(), c.Logs.Warnings())
			}
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Start starts the command and returns once it is up, or with an error: where the process ended or did not come up in
// time it returns both. It ends with the test at the latest.
func (l Launch) Start(t testing.TB) (*Child, error) {
	c := &Child{Stack: &Stack{Logs: &Logs{}}, cmd: exec.Command(os.Args[0], l.Flags...), gone: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), l.Env...)
	if l.Role == "" {
		c.cmd.Env = append(c.cmd.Env, childDir+"="+l.Dir)
	} else {
		c.cmd.Env = append(c.cmd.Env, childRole+"="+l.Role)
	}
	c.cmd.Stderr = c.Logs
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	t.Cleanup(c.End)
	found := make(chan string, 2)
	go func() {
		defer close(c.gone)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if url, ok := l.up(lines.Text()); ok {
				found <- url
			}
		}
		c.end = c.cmd.Wait()
	}()
	select {
	case c.URL = <-found:
		return c, nil
	case <-c.gone:
		return c, fmt.Errorf("the %s ended: %v\n%s", l.name(), c.end, c.Logs)
	case <-time.After(Patience()):
		return c, fmt.Errorf("the %s is not up in time", l.name())
	}
}

// Gone is closed once the process has ended.
func (c *Child) Gone() <-chan struct{} { return c.gone }

// Kill ends the process as a power cut would, and waits until it is gone.
func (c *Child) Kill(t testing.TB) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-c.gone
}

// End kills the process, which may be gone already, and waits until it is. Any goroutine may call it.
func (c *Child) End() {
	_ = c.cmd.Process.Kill()
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
	case <-time.After(Patience()):
		return time.Since(start), fmt.Errorf("it does not end:\n%s", bytes.TrimSpace([]byte(c.Logs.Warnings())))
	}
}

// Await waits until the process has ended by itself and returns how.
func (c *Child) Await(t testing.TB) error {
	t.Helper()
	select {
	case <-c.gone:
		return c.end
	case <-time.After(Patience()):
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
