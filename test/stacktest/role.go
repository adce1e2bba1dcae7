package stacktest

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/config"
)

// childRole, set, makes a test binary the command of that role.
const childRole = config.Prefix + "TEST_CHILD_ROLE"

// SpawnRole starts the command of one role ("none" for servers only) in a process of its own and returns once it is
// up. It ends with the test at the latest.
func SpawnRole(t testing.TB, role string, flags ...string) *Child {
	t.Helper()
	c := &Child{Stack: &Stack{Logs: &Logs{}}, cmd: exec.Command(os.Args[0], append([]string{"--log-format", "json"}, flags...)...), gone: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), childRole+"="+role)
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
			t.Logf("log of the %s:\n%s", role, c.Logs.Warnings())
		}
	})
	up := make(chan string, 2)
	go func() {
		defer close(c.gone)
		edge := role != "none" && role != "distiller"
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			switch line := lines.Text(); {
			case strings.HasPrefix(line, "http"):
				up <- line
			case !edge && strings.HasSuffix(line, " is up"):
				up <- ""
			}
		}
		c.end = c.cmd.Wait()
	}()
	select {
	case c.URL = <-up:
	case <-c.gone:
		t.Fatalf("the %s ended: %v\n%s", role, c.end, c.Logs)
	case <-time.After(Patience):
		t.Fatalf("the %s is not up in time", role)
	}
	return c
}
