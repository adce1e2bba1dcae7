//go:build linux || darwin

package doctor

import (
	"testing"

	"github.com/siltstone-ai/siltstone/internal/disk"
)

func TestFiles(t *testing.T) {
	check(t, files(1<<20), OK, "1048576")
	check(t, files(1000), Warn, "1000")
	check(t, files(100), Fail, "100")
}

func TestSpace(t *testing.T) {
	if f := space(t.TempDir(), 0); f.Check != "disk" || f.Detail == "" {
		t.Errorf("%+v", f)
	}
	check(t, space("/nonexistent", 0), Warn, "not known")
	const mib, gib = 1 << 20, 1 << 30
	check(t, judge("d", disk.Space{Free: 90 * gib, Total: 100 * gib}, 0), OK, "512 MiB nothing new is taken")
	check(t, judge("d", disk.Space{Free: 1 * gib, Total: 100 * gib}, 0), Warn, "1.0 GiB free")
	check(t, judge("d", disk.Space{Free: 500 * mib, Total: 100 * gib}, 0), Fail, "500 MiB free")
	check(t, judge("d", disk.Space{Free: 20 * mib, Total: 64 * mib}, 0), Fail, "32 MiB")
	check(t, judge("d", disk.Space{Free: 90 * gib, Total: 100 * gib}, 200*gib), Warn, "90.0 GiB free")
}
