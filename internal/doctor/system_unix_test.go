//go:build linux || darwin

package doctor

import "testing"

func TestFiles(t *testing.T) {
	check(t, files(1<<20), OK, "1048576")
	check(t, files(1000), Warn, "1000")
	check(t, files(100), Fail, "100")
}

func TestSpace(t *testing.T) {
	if f := space(t.TempDir()); f.Check != "disk" || f.Detail == "" {
		t.Errorf("%+v", f)
	}
	check(t, space("/nonexistent"), Warn, "not known")
}
