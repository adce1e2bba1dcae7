package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/siltstone-ai/siltstone/internal/disk"
)

// lowSpace is little free space, in bytes, where there is enough for now.
const lowSpace = 2 << 30

// Directory looks at a data directory: is it one, can it be written, is it private, is there space. One that is not
// there yet is judged by where it would be made. maxLog is the bound of the log in bytes, 0 for none.
func Directory(dir string, maxLog int64) []Finding {
	at, st, err := existing(dir)
	if err != nil {
		return []Finding{{"data directory", Fail, err.Error(), "choose another with --data"}}
	}
	if !st.IsDir() {
		return []Finding{{"data directory", Fail, at + " is no directory", "choose another with --data, or move that file away"}}
	}
	return append([]Finding{state(dir, at, st)}, space(at, maxLog))
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

func space(dir string, maxLog int64) Finding {
	s, err := disk.Of(dir)
	if err != nil {
		return Finding{"disk", Warn, "free space is not known: " + err.Error(), "see that there are some gigabytes"}
	}
	return judge(dir, s, maxLog)
}

func judge(dir string, s disk.Space, maxLog int64) Finding {
	f := Finding{"disk", OK, fmt.Sprintf("%s free in %s; with less than %s nothing new is taken", size(s.Free), dir, size(2*s.Reserve())), ""}
	switch {
	case s.Low(false):
		f.Status, f.Mend = Fail, "free some space, or put the data on another disk with --data: until then everything new is refused (503, no_space)"
	case maxLog > s.Free-s.Reserve():
		f.Status, f.Mend = Warn, fmt.Sprintf("nats.max_log (%s) is more than there is room for: the disk bounds a log that is there, and a new one cannot be made; name less", size(maxLog))
	case s.Free < lowSpace:
		f.Status, f.Mend = Warn, "free some space, or put the data on another disk with --data"
	}
	return f
}

// size is n bytes for people.
func size(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
