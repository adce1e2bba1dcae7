//go:build chaos

package crash

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// asChild, set, makes the test binary come by points until one of them kills it.
const asChild = "CRASH_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) == "" {
		os.Exit(m.Run())
	}
	At(AppendBegin)
	for range 3 {
		At(AckBegin)
		_, _ = os.Stdout.WriteString(".")
	}
	With(HandlerBegin, "one")
	_, _ = os.Stdout.WriteString("!")
	With(HandlerBegin, "two")
	os.Exit(0)
}

func TestAProcessDiesWhereItIsArmed(t *testing.T) {
	for _, c := range []struct{ armed, out, at string }{
		{"", "...!", ""},
		{"ack.begin:2", ".", "ack.begin"},
		{"ack.begin:4", "...!", ""},
		{"ack.begin:9,append.begin:1", "", "append.begin"},
		{"handler:2", "...!", "handler"},
		{"handler@one", "...", "handler"},
		{"handler@two", "...!", "handler"},
		{"handler@three", "...!", ""},
	} {
		var out, err strings.Builder
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), asChild+"=1", Variable+"="+c.armed)
		cmd.Stdout, cmd.Stderr = &out, &err
		end := cmd.Run()
		at, _ := strings.CutPrefix(strings.TrimSpace(err.String()), Reached)
		if out.String() != c.out || at != c.at {
			t.Errorf("armed with %q it says %q and dies at %q, want %q and %q", c.armed, out.String(), at, c.out, c.at)
		}
		var exit *exec.ExitError
		if killed := errors.As(end, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL; killed != (c.at != "") {
			t.Errorf("armed with %q it ends with %v", c.armed, end)
		}
	}
}

func TestWhatCannotBeArmedIsRefused(t *testing.T) {
	for _, s := range []string{"ack.begin", "ack.begin:0", "ack.begin:x", "nowhere:1", "nowhere@id"} {
		if m, err := parse(s); err == nil {
			t.Errorf("%q arms %v", s, m)
		}
	}
}
