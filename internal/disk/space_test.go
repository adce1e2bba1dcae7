package disk

import "testing"

const mib, gib = int64(1) << 20, int64(1) << 30

func TestMarks(t *testing.T) {
	for _, c := range []struct{ total, reserve, share int64 }{
		{64 * mib, 16 * mib, 4 * mib}, {96 * mib, 16 * mib, 4 * mib}, {gib, gib / 20, 64 * mib}, {4 * gib, 4 * gib / 20, 256 * mib}, {100 * gib, 256 * mib, 256 * mib},
	} {
		s := Space{Total: c.total}
		if got := s.Reserve(); got != c.reserve {
			t.Errorf("of %d MiB %d are kept, want %d", c.total/mib, got, c.reserve)
		}
		if got := s.Share(256 * mib); got != c.share {
			t.Errorf("of %d MiB a share is %d, want %d", c.total/mib, got, c.share)
		}
	}
}

// The doors shut at one mark and open at a higher one.
func TestDoorsDoNotFlap(t *testing.T) {
	low := false
	for i, c := range []struct {
		free int64
		want bool
	}{{40, false}, {32, false}, {31, true}, {33, true}, {39, true}, {40, false}, {33, false}, {0, true}} {
		low = Space{Free: c.free * mib, Total: 64 * mib}.Low(low)
		if low != c.want {
			t.Errorf("step %d: with %d MiB free low is %v", i, c.free, low)
		}
	}
}

func TestOfNamesTheDisk(t *testing.T) {
	s, err := Of(t.TempDir())
	if err == ErrUnknown {
		t.Skip(err)
	}
	if err != nil || s.Total <= 0 || s.Free > s.Total {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := Of(t.TempDir() + "/none"); err == nil {
		t.Error("a path that is not there has space")
	}
}
