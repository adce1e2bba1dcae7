package nats

import (
	"io/fs"
	"os"
	"path/filepath"
)

// storeLimit is the server's max_file_store: ¾ of the free space beside what the store holds already, or want
// where that is less. Where free space is not known, want or the server's own guess holds.
func storeLimit(dir string, want int64) (int64, error) {
	free, err := diskFree(dir)
	if err != nil {
		return 0, err
	}
	if free < 0 {
		if want > 0 {
			return want, nil
		}
		return -1, nil
	}
	used, err := dirSize(dir)
	if err != nil {
		return 0, err
	}
	limit := used + free/4*3
	if want > 0 && want < limit {
		return want, nil
	}
	return limit, nil
}

func dirSize(dir string) (int64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		if d.Type().IsRegular() {
			info, err := d.Info()
			if err != nil {
				if os.IsNotExist(err) {
					return nil
				}
				return err
			}
			n += info.Size()
		}
		return nil
	})
	return n, err
}
