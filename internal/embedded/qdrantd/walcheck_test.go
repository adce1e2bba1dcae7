package qdrantd

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyATornTailIsCalledOne(t *testing.T) {
	dir := t.TempDir()
	reopen := func() string {
		t.Helper()
		var log bytes.Buffer
		s, err := Open(dir, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return log.String()
	}
	for i := range 4 { // long enough for log files to be used again
		if log := reopen(); strings.Contains(log, "torn") {
			t.Fatalf("opened %d times and closed well: %s", i, log)
		}
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no log: %v", err)
	}
	f, err := os.OpenFile(logs[len(logs)-1], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("half a record of a process that died"), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if log := reopen(); !strings.Contains(log, "torn") {
		t.Errorf("a torn tail is cut without a word: %s", log)
	}
}
