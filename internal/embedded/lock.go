package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// Faults of a data directory.
var (
	// ErrInUse: another process, or another stack of this one, holds the data directory.
	ErrInUse = errors.New("is in use")
	// ErrNotOurs: the directory holds other things and is open to others; it is not made private behind their back.
	ErrNotOurs = errors.New("is not a data directory of Siltstone: it holds other files and is open to other users")
)

const (
	lockName = "siltstone.lock"
	pidName  = "siltstone.pid"
)

// dirLock is an exclusive hold on a data directory.
type dirLock struct {
	lock *flock.Flock
	pid  string
}

// lockDir makes dir, private to its owner, and takes it.
func lockDir(dir string) (*dirLock, error) {
	if err := privateDir(dir); err != nil {
		return nil, err
	}
	l := &dirLock{lock: flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600)), pid: filepath.Join(dir, pidName)}
	ok, err := l.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock data directory %s: %w", dir, err)
	}
	if !ok {
		if pid := l.holder(); pid != 0 {
			return nil, fmt.Errorf("data directory %s %w by process %d", dir, ErrInUse, pid)
		}
		return nil, fmt.Errorf("data directory %s %w by another process", dir, ErrInUse)
	}
	// Beside the lock, not in it: some systems let nobody else read a locked file.
	if err := os.WriteFile(l.pid, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("write process id: %w", err), l.release())
	}
	return l, nil
}

// holder is the process that says it holds the directory, 0 where none does readably.
func (l *dirLock) holder() int {
	b, err := os.ReadFile(l.pid)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}

func (l *dirLock) release() error {
	// The id goes first: once the lock is free the file may be another's.
	err := os.Remove(l.pid)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err := errors.Join(err, l.lock.Unlock()); err != nil {
		return fmt.Errorf("release data directory: %w", err)
	}
	return nil
}

// privateDir makes dir with mode 0700. One that is there and open to others is closed to them if it is empty or was
// ours before; a home directory given by mistake is left alone.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make data directory: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at data directory: %w", err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look at data directory: %w", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, lockName)); len(entries) > 0 && err != nil {
		return fmt.Errorf("%s %w", dir, ErrNotOurs)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("make data directory private: %w", err)
	}
	return nil
}

// Holder is the process that holds the data directory dir, 0 where none does or says so. It looks and touches nothing.
func Holder(dir string) int {
	if _, err := os.Stat(filepath.Join(dir, lockName)); err != nil {
		return 0
	}
	return (&dirLock{pid: filepath.Join(dir, pidName)}).holder()
}
