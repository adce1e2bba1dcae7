package text

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rss is the process's resident memory in MB, 0 where the system does not say.
func rss(t *testing.T) int {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("resident memory is read from /proc")
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(v), " kB"))
			return n >> 10
		}
	}
	return 0
}

// TestUnbroken feeds what makes jieba build one lattice of gigabytes: 10 MB without a break.
func TestUnbroken(t *testing.T) {
	if testing.Short() {
		t.Skip("10 MB texts")
	}
	for name, unit := range map[string]string{"hex": "9f3a01bc7de2", "chinese": "我来到北京清华大学研究生命起源", "traditional": "臺灣的烏龍茶", "slashes": "a/b.", "at": "a@b."} {
		t.Run(name, func(t *testing.T) {
			s := strings.Repeat(unit, 10<<20/len(unit))
			before := rss(t)
			start := time.Now()
			d := Analyze(s)
			terms := d.Terms()
			took, grown := time.Since(start), rss(t)-before
			t.Logf("%d tokens, %d terms, %v, +%d MB", len(d.Tokens), len(terms), took, grown)
		})
	}
}
