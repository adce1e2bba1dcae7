package app

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/config"
)

// signalChild, set, makes the test binary a program that hangs whatever it is told.
const signalChild = config.Prefix + "TEST_SIGNAL_CHILD"

// TestThirdSignalKills: the first asks to drain, the second forces, and the third ends a process that hangs all the
// same, at once and by that signal.
func TestThirdSignalKills(t *testing.T) {
	if os.Getenv(signalChild) != "" {
		drain, force, _ := Signals(context.Background())
		fmt.Println("up")
		<-drain.Done()
		fmt.Println("drain")
		<-force.Done()
		fmt.Println("force")
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestThirdSignalKills$")
	cmd.Env = append(os.Environ(), signalChild+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(60*time.Second, func() { _ = cmd.Process.Kill() })
	defer hung.Stop()
	r := bufio.NewReader(out)
	for _, want := range []string{"up", "drain", "force"} {
		line, err := r.ReadString('\n')
		if strings.TrimSpace(line) != want {
			t.Fatalf("the process says %q, %v; want %q", line, err, want)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = io.Copy(io.Discard, r)
	_ = cmd.Wait() // the state says how it ended
	if st := cmd.ProcessState.Sys().(syscall.WaitStatus); !st.Signaled() || st.Signal() != syscall.SIGINT {
		t.Errorf("the process ended as %v, want by SIGINT", cmd.ProcessState)
	}
}

// TestRoleHelpAndFaults: the roles' commands share the configuration and its faults.
func TestRoleHelpAndFaults(t *testing.T) {
	for _, role := range []string{"ingester", "distiller", "retriever"} {
		var out, errs bytes.Buffer
		if code := Main(role, []string{"--help"}, nil, &out, &errs); code != 0 || errs.Len() > 0 {
			t.Fatalf("%s --help: %d, %s", role, code, &errs)
		}
		for _, want := range []string{"Usage: " + role, "Exit status", "\nread:\n", "--read-mode text", "(default hybrid)", "--config file", "--http address"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s --help does not say %q:\n%s", role, want, &out)
			}
		}
		for line := range strings.Lines(out.String()) {
			if len([]rune(line)) > helpWidth+20 { // the first column is not wrapped
				t.Errorf("%s --help has a line of %d columns: %s", role, len([]rune(line)), line)
			}
		}
		if strings.Contains(out.String(), "--roles") {
			t.Errorf("%s offers --roles", role)
		}
	}
	for _, c := range []struct {
		args, env []string
		says      string
	}{
		{[]string{"--read-mod", "legacy"}, nil, "unknown flag: --read-mod; did you mean --read-mode?"},
		{[]string{"now"}, nil, `"now" is not a flag`},
		{[]string{"--roles", "all"}, nil, "unknown flag: --roles"},
		{nil, []string{"SILTSTONE_READ_MOD=legacy"}, "SILTSTONE_READ_MOD is not a known variable; did you mean SILTSTONE_READ_MODE?"},
		{[]string{"--read-timeout", "5"}, nil, `read.timeout: "5" is not a duration with its unit, such as 500ms, 30s or 5m (set by --read-timeout)`},
	} {
		var out, errs bytes.Buffer
		if code := Main("ingester", c.args, c.env, &out, &errs); code != 2 || !strings.Contains(errs.String(), c.says) {
			t.Errorf("ingester %v %v: %d, %q; want 2, %q", c.args, c.env, code, &errs, c.says)
		}
	}
}
