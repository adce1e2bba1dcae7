package disktest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"
)

// Cut is an ext4 in a file, whose power can be cut: what was not synced by then is lost, the file system's own journal too.
type Cut struct {
	t      testing.TB
	root   string
	n      int    // how often it came up
	mounts string // where it is mounted
}

// NewCut makes one of size bytes and mounts it until t ends. Where that cannot be done, t is skipped and says why.
func NewCut(t testing.TB, size int64) *Cut {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("mounting a disk in a file needs root")
	}
	d := &Cut{t: t, root: t.TempDir()}
	if err := os.WriteFile(d.image(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(d.image(), size); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mkfs.ext4", "-q", "-F", d.image()).CombinedOutput(); err != nil {
		t.Skipf("no ext4 can be made here: %v: %s", err, out)
	}
	if out, err := d.mount(); err != nil {
		t.Skipf("no file can be mounted here: %v: %s", err, out)
	}
	t.Cleanup(d.unmount)
	return d
}

func (d *Cut) image() string { return filepath.Join(d.root, fmt.Sprint("disk", d.n)) }

// Data is a directory on the disk; it is another path after [Cut.Again].
func (d *Cut) Data() string { return filepath.Join(d.mounts, "data") }

func (d *Cut) mount() ([]byte, error) {
	d.mounts = filepath.Join(d.root, fmt.Sprint("mount", d.n))
	if err := os.Mkdir(d.mounts, 0o700); err != nil {
		return nil, err
	}
	return exec.CommandContext(d.t.Context(), "mount", "-o", "loop", d.image(), d.mounts).CombinedOutput()
}

func (d *Cut) unmount() {
	if out, err := exec.CommandContext(context.Background(), "umount", "-l", d.mounts).CombinedOutput(); err != nil {
		d.t.Errorf("umount: %v: %s", err, out)
	}
}

// Cut shuts the file system down without writing anything more: EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH.
//
// The kernel lets a sync that is under way at that moment succeed without having synced (seen with a plain file in one of
// twenty cuts), and no cut of the power is followed by an answer: a test must not count what is answered from then on.
func (d *Cut) Cut() {
	d.t.Helper()
	f, err := os.Open(d.mounts)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	flags := uint32(2)
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), 0x8004587d, uintptr(unsafe.Pointer(&flags))); errno != 0 {
		d.t.Fatalf("cut the power: %v", errno)
	}
}

// Again brings the disk up anew, from a copy of what reached it: whoever still holds the old mount cannot touch that.
func (d *Cut) Again() {
	d.t.Helper()
	d.unmount()
	old := d.image()
	d.n++
	if out, err := exec.CommandContext(d.t.Context(), "cp", "--sparse=always", old, d.image()).CombinedOutput(); err != nil {
		d.t.Fatalf("copy the disk: %v: %s", err, out)
	}
	if err := os.Remove(old); err != nil {
		d.t.Fatal(err)
	}
	if out, err := d.mount(); err != nil {
		d.t.Fatalf("mount again: %v: %s", err, out)
	}
}
