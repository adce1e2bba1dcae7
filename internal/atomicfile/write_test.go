package atomicfile

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	es, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range es {
		out = append(out, e.Name())
	}
	return out
}

func TestWriteReplacesWholeAndPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("a longer content, open to all"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil || string(b) != "new" {
		t.Errorf("read %q, %v", b, err)
	}
	if fi, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if ns := names(t, filepath.Dir(path)); len(ns) != 1 {
		t.Errorf("left in the directory: %v", ns)
	}
}

// Readers never see a part, whoever writes.
func TestReadersSeeOneContentOrAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	contents := [][]byte{bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<10)}
	if err := Write(path, contents[0]); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() {
		for {
			b, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(b, contents[0]) && !bytes.Equal(b, contents[1]) {
				t.Errorf("%d bytes, %v", len(b), err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for i := range 50 {
		if err := Write(path, contents[i%2]); err != nil {
			t.Error(err)
		}
	}
	close(done)
	readers.Wait()
}

func TestAFailedWriteLeavesTheOldContent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil { // a directory cannot be replaced
		t.Fatal(err)
	}
	if err := Write(path, []byte("x")); err == nil {
		t.Fatal("wrote over a directory")
	}
	if ns := names(t, dir); len(ns) != 1 || ns[0] != "f" {
		t.Errorf("left in the directory: %v", ns)
	}
	if err := Write(filepath.Join(dir, "none", "f"), nil); err == nil {
		t.Error("wrote into a directory that is not there")
	}
}
