package disktest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Small mounts a file system of its own, in memory, of that size ("160m"), until t ends, and returns where.
func Small(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a full disk is not tested: mounting one takes root (%v)", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// Fill is another program on the disk of dir: it writes until left bytes are free, 0 for the very last one. free gives
// back what it took. It reports its own failures to t and goes on, so that any goroutine may call it.
func Fill(t testing.TB, dir string, left uint64) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "other")
	if err := fill(path, left); err != nil {
		t.Error(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

func fill(path string, left uint64) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	block := make([]byte, 1<<20)
	for len(block) > 0 {
		var st syscall.Statfs_t
		if err := syscall.Statfs(path, &st); err != nil {
			return err
		}
		if free := st.Bavail * uint64(st.Bsize); free <= left {
			return nil
		} else if left > 0 {
			block = block[:min(uint64(len(block)), free-left)]
		}
		if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) {
			block = block[:len(block)/2]
		} else if err != nil {
			return err
		}
	}
	return nil
}
