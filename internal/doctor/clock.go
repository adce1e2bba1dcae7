package doctor

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// skew is how far a clock may be off before times in memory are confusing.
const skew = 5 * time.Minute

// mostFiles bounds the walk through a data directory.
const mostFiles = 2000

// Clock judges the time now: it cannot lie before the program was built (zero: not known), nor before what stands in
// the data directory was written.
func Clock(now, built time.Time, dir string) Finding {
	mend := "set the clock, and keep it set with NTP (timedatectl set-ntp true): recency and expiry are reckoned by it"
	if now.Add(24 * time.Hour).Before(built) {
		return Finding{"clock", Fail, fmt.Sprintf("it says %s, which is before this program was built", now.Format(time.RFC3339)), mend}
	}
	if name, at := newest(dir); at.Sub(now) > skew {
		return Finding{"clock", Warn, fmt.Sprintf("it says %s, but %s was written at %s", now.Format(time.RFC3339), name, at.Format(time.RFC3339)), mend}
	}
	return Finding{"clock", OK, now.Format(time.RFC3339), ""}
}

// newest is the file of dir that was written last, among the first mostFiles.
func newest(dir string) (name string, at time.Time) {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // what cannot be read has no say
		if n++; n > mostFiles {
			return filepath.SkipAll
		}
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && !d.IsDir() && info.ModTime().After(at) {
			name, at = path, info.ModTime()
		}
		return nil
	})
	return name, at
}
