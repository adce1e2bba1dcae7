package qdrantd

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/siltstone-ai/siltstone/internal/disk"
)

const (
	roomCheck = 100 * time.Millisecond // how old a look at the disk may be
	roomRetry = 200 * time.Millisecond // between two tries of a write that must not fail
)

// room watches the space on the disk. The engine ends the process where its log or its manifest cannot be written, so
// writes are refused before the disk is full, and where another program fills it those two wait until there is space: so
// does a write that had begun, and a stop that waits for it.
type room struct {
	dir  string
	log  *slog.Logger
	done chan struct{} // closed when the store is: nothing waits any more

	mu            sync.Mutex
	looked        time.Time
	free, reserve uint64
	fault         error // of the last look
	low           bool
}

// space is what is free and what has to stay so.
func (r *room) space() (free, reserve uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.looked) < roomCheck {
		return r.free, r.reserve, r.fault
	}
	u, err := vfs.Default.GetDiskUsage(r.dir)
	r.looked, r.free, r.fault = time.Now(), u.AvailBytes, err
	r.reserve = uint64(disk.Space{Total: int64(u.TotalBytes)}.Reserve()) // what the engine needs to put in order what it has taken
	if low := err == nil && r.free < r.reserve; low != r.low {
		r.low = low
		if low {
			r.log.Error("the disk is nearly full: nothing more is written until there is space", "free", r.free, "needed", r.reserve)
		} else {
			r.log.Info("there is space on the disk again", "free", r.free)
		}
	}
	return r.free, r.reserve, r.fault
}

// err is why nothing may be written now. A disk that cannot be asked is taken for one with space.
func (r *room) err() error {
	free, reserve, err := r.space()
	if err != nil || free >= reserve {
		return nil
	}
	return fmt.Errorf("no space left on device: %d MiB are free, %d MiB are kept", free>>20, reserve>>20)
}

// wait pauses before another try of what failed with err; false where another try is of no use.
func (r *room) wait(err error) bool {
	if !errors.Is(err, syscall.ENOSPC) {
		return false
	}
	select {
	case <-r.done:
		return false
	case <-time.After(roomRetry):
		return true
	}
}

// patientFS makes the files without which the engine cannot go on wait for space. Tables do not: one that does not fit is
// dropped and made again later.
type patientFS struct {
	vfs.FS
	room *room
}

func vital(name string) bool {
	return strings.HasSuffix(name, ".log") || strings.Contains(name, "MANIFEST") || strings.Contains(name, "marker.")
}

// Create implements vfs.FS.
func (fs patientFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return fs.open(name, func() (vfs.File, error) { return fs.FS.Create(name, c) })
}

// ReuseForWrite implements vfs.FS.
func (fs patientFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return fs.open(name, func() (vfs.File, error) { return fs.FS.ReuseForWrite(old, name, c) })
}

func (fs patientFS) open(name string, f func() (vfs.File, error)) (vfs.File, error) {
	file, err := f()
	if !vital(name) {
		return file, err
	}
	for err != nil && fs.room.wait(err) {
		file, err = f()
	}
	if err != nil {
		return nil, err
	}
	return &patientFile{file, fs.room}, nil
}

type patientFile struct {
	vfs.File
	room *room
}

// Write implements vfs.File.
func (f *patientFile) Write(p []byte) (n int, err error) {
	for {
		m, err := f.File.Write(p[n:])
		n += m
		if err == nil || !f.room.wait(err) {
			return n, err
		}
	}
}

func (f *patientFile) again(do func() error) error {
	for {
		if err := do(); err == nil || !f.room.wait(err) {
			return err
		}
	}
}

// Sync implements vfs.File.
func (f *patientFile) Sync() error { return f.again(f.File.Sync) }

// SyncData implements vfs.File.
func (f *patientFile) SyncData() error { return f.again(f.File.SyncData) }

// SyncTo implements vfs.File.
func (f *patientFile) SyncTo(length int64) (full bool, err error) {
	err = f.again(func() (err error) { full, err = f.File.SyncTo(length); return err })
	return full, err
}

// memory is how much the engine keeps in memory before it writes tables. It takes the space for as many bytes of log before
// it needs them, up to four times, so that on a small disk they would fill it.
func memory(dir string) int64 {
	const most = 32 << 20
	space, err := disk.Of(dir)
	if err != nil {
		return most
	}
	return space.Share(most)
}
