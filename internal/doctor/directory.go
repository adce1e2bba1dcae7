package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Bounds of free space, in bytes.
const (
	lowSpace = 2 << 30
	noSpace  = 256 << 20
)

// Directory looks at a data directory: is it one, can it be written, is it private, is there space. One that is not
// there yet is judged by where it would be made.
func Directory(dir string) []Finding {
	at, st, err := existing(dir)
	if err != nil {
		return []Finding{{"data directory", Fail, err.Error(), "choose another with --data"}}
	}
	if !st.IsDir() {
		return []Finding{{"data directory", Fail, at + " is no directory", "choose another with --data, or move that file away"}}
	}
	return append([]Finding{state(dir, at, st)}, space(at))
}

func state(dir, at string, st fs.FileInfo) Finding {
	f, err := os.CreateTemp(at, ".siltstone-doctor-")
	if err != nil {
		return Finding{"data directory", Fail, fmt.Sprintf("%s cannot be written: %v", at, cause(err)), "chown it to the user that runs Siltstone, or choose another with --data"}
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return Finding{"data directory", Fail, fmt.Sprintf("%s cannot be written: %v", at, cause(err)), "look at the disk, or choose another with --data"}
	}
	if at != filepath.Clean(dir) {
		return Finding{"data directory", OK, dir + " is not there yet and can be made", ""}
	}
	if mode := st.Mode().Perm(); mode&0o077 != 0 {
		return Finding{"data directory", Warn, fmt.Sprintf("%s is open to others (mode %04o)", dir, mode), "chmod 700 " + dir}
	}
	return Finding{"data directory", OK, dir + " can be written and is private", ""}
}

// existing is dir, or the nearest directory above it that is there.
func existing(dir string) (string, fs.FileInfo, error) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		st, err := os.Stat(at)
		if err == nil {
			return at, st, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return "", nil, err
		}
	}
}

// cause is err without the path that is named beside it already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func space(dir string) Finding {
	free, err := freeBytes(dir)
	if err != nil {
		return Finding{"disk", Warn, "free space is not known: " + err.Error(), "see that there are some gigabytes"}
	}
	f := Finding{"disk", OK, fmt.Sprintf("%.1f GiB free in %s", float64(free)/(1<<30), dir), ""}
	switch {
	case free < noSpace:
		f.Status, f.Mend = Fail, "free some space: the log takes at most three quarters of what is free, and refuses events beyond that"
	case free < lowSpace:
		f.Status, f.Mend = Warn, "free some space, or put the data on another disk with --data"
	}
	return f
}
