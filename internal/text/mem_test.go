//go:build unix

package text

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/cputime"
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
			start := cputime.Now()
			d := Analyze(s)
			terms := d.Terms()
			took, grown := cputime.Now()-start, rss(t)-before
			limit := 5 * time.Second
			if name == "traditional" { // the converter does 3 MB a second
				limit *= 2
			}
			if took > limit*slow || grown > 300 || len(terms) == 0 {
				t.Errorf("took %v, %d MB more and found %d terms; want at most 5 s and 300 MB", took, grown, len(terms))
			}
			t.Logf("%d tokens, %d terms, %v, +%d MB", len(d.Tokens), len(terms), took, grown)
		})
	}
}

// TestOneHandle: opening again is free and gives the same; ten thousand cuts leave memory as it was.
func TestOneHandle(t *testing.T) {
	first, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if i, err := Open(Config{CacheDir: "/nowhere"}); err != nil || i != first {
			t.Fatalf("opened %+v, %v", i, err)
		}
	}
	if testing.Short() {
		return
	}
	for range 1000 {
		Segment("我来到北京清华大学 deploy.py")
	}
	runtime.GC()
	before := rss(t)
	for range 10_000 {
		Segment("我来到北京清华大学 deploy.py")
	}
	if grown := rss(t) - before; grown > 20 {
		t.Errorf("ten thousand cuts took %d MB", grown)
	}
}
