package doctor

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func check(t *testing.T, f Finding, want Status, says string) {
	t.Helper()
	if f.Status != want || !strings.Contains(f.Detail, says) {
		t.Errorf("%+v, want %s: %s", f, want, says)
	}
	if (f.Mend == "") != (f.Status == OK) {
		t.Errorf("%+v: what is not well, and only that, must say how to mend it", f)
	}
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	private := filepath.Join(dir, "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check(t, Directory(private, 0)[0], OK, "private")
	check(t, Directory(open, 0)[0], Warn, "0755")
	check(t, Directory(filepath.Join(private, "a", "b"), 0)[0], OK, "can be made")
	check(t, Directory(file, 0)[0], Fail, "no directory")
	check(t, Directory(filepath.Join(file, "below"), 0)[0], Fail, "not a directory")
	if os.Getuid() != 0 { // root may write everywhere
		if err := os.Chmod(private, 0o500); err != nil {
			t.Fatal(err)
		}
		check(t, Directory(private, 0)[0], Fail, "permission denied")
	}
	if left, err := os.ReadDir(open); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(private, "a")); err == nil {
		t.Error("made the directory that it looked for")
	}
}

func TestPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	f := Port("http.addr", addr, "--http-addr", 0)
	check(t, f, Fail, addr+" is held by")
	if h := holder(addr); h.PID != 0 {
		if h.PID != os.Getpid() {
			t.Errorf("held by %v, want this process, %d", h, os.Getpid())
		}
		check(t, Port("http.addr", addr, "--http-addr", os.Getpid()), OK, "Siltstone itself")
		check(t, f, Fail, h.Name)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, Port("http.addr", addr, "--http-addr", 0), OK, "free")
	check(t, Port("http.addr", "127.0.0.1:99999", "--http-addr", 0), Fail, "cannot be listened on")
}

func TestClock(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	check(t, Clock(now, time.Time{}, dir), OK, "2026-05-01")
	check(t, Clock(now, now.Add(48*time.Hour), dir), Fail, "before this program was built")
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	later := now.Add(time.Hour)
	if err := os.Chtimes(file, later, later); err != nil {
		t.Fatal(err)
	}
	check(t, Clock(now, time.Time{}, dir), Warn, file)
	check(t, Clock(later, time.Time{}, dir), OK, "2026-05-01T01")
}

func TestFailed(t *testing.T) {
	if Failed([]Finding{{Status: OK}, {Status: Warn}}) || !Failed([]Finding{{Status: OK}, {Status: Fail}}) {
		t.Error("only a failure is one")
	}
}
