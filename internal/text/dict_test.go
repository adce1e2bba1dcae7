package text

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestDictionariesAreTheOnesOfGojieba: what is embedded is what the module in go.mod ships.
func TestDictionariesAreTheOnesOfGojieba(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yanyiwu/gojieba").Output()
	if err != nil || len(bytes.TrimSpace(dir)) == 0 {
		t.Skip("the module gojieba is not at hand")
	}
	for _, n := range []string{dictWords, dictHMM, dictUser, dictIDF, dictStop} {
		want, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(dir)), "deps/cppjieba/dict", n))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unpack(n); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the module's (%v): pack it anew", n, err)
		}
	}
}

// TestLexiconHasNoCollisions: every word is found with its own count, although only hashes are kept.
func TestLexiconHasNoCollisions(t *testing.T) {
	words, err := unpack(dictWords)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]string{}
	n := 0
	for line := range bytes.Lines(words) {
		w := string(bytes.Fields(line)[0])
		n++
		h := hash64(w)
		if other, ok := seen[h]; ok && other != w {
			t.Errorf("%q and %q share a hash", w, other)
		}
		seen[h] = w
		if eng().lex.word(w) == nil {
			t.Fatalf("%q is lost", w)
		}
	}
	for _, w := range []string{"沒有這個詞兒", "zzz", ""} {
		if eng().lex.word(w) != nil {
			t.Errorf("%q is in no dictionary", w)
		}
	}
	if n < 348000 || eng().lex.tag("北京") != "ns" {
		t.Errorf("%d words, 北京 is %q", n, eng().lex.tag("北京"))
	}
}

// TestDictionariesAreWrittenOnceAndRepaired: a second start writes nothing, a damaged or half file is replaced, and
// several processes at once do not disturb one another.
func TestDictionariesAreWrittenOnceAndRepaired(t *testing.T) {
	base := t.TempDir()
	files := map[string][]byte{"a": bytes.Repeat([]byte("甲"), 1<<16), "b": []byte("乙")}
	order := []string{"a", "b"}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := writeDicts(base, files, order); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	dir, err := writeDicts(base, files, order)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(filepath.Join(dir, "a"))
	if err := os.WriteFile(filepath.Join(dir, "b"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := writeDicts(base, files, order); err != nil {
		t.Fatal(err)
	}
	after, _ := os.Stat(filepath.Join(dir, "a"))
	if !os.SameFile(before, after) {
		t.Error("a good file was written again")
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "b")); string(b) != "乙" {
		t.Errorf("the damaged file holds %q", b)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	files["b"] = []byte("丙")
	if other, _ := writeDicts(base, files, order); other == dir {
		t.Error("other content went into the same directory")
	}
}

// child runs this test binary's main as mode says (see TestMain) and returns what it wrote.
func child(t *testing.T, mode, cache string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "SILT_TEXT_CHILD="+mode, "SILT_TEXT_CACHE="+cache)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil {
		t.Fatalf("child %s: %v\n%s", mode, err, e.String())
	}
	return o.String(), e.String()
}

// TestBuildMachinesPathsAreNotUsed: gojieba's own dictionary paths are those of the machine that built it. The child
// points them to nowhere before the first call.
func TestBuildMachinesPathsAreNotUsed(t *testing.T) {
	out, errs := child(t, "paths", t.TempDir())
	if strings.TrimSpace(out) != "我 来到 北京 清华大学" || errs != "" {
		t.Errorf("said %q and %q", out, errs)
	}
}

// TestQuiet: invalid input makes gojieba write to standard error behind Go's back; ours never reaches it so.
func TestQuiet(t *testing.T) {
	if _, errs := child(t, "hostile", t.TempDir()); errs != "" {
		t.Errorf("standard error holds %q", errs)
	}
}

// Check says what Open would, and puts the same files in place.
func TestCheckPlacesWhatOpenLoads(t *testing.T) {
	opened := eng().info
	if opened.Segmenter == plainName {
		t.Skip("built without cgo")
	}
	dir := t.TempDir()
	got, err := Check(Config{CacheDir: dir})
	if err != nil || got.Segmenter != opened.Segmenter || got.Fallback != "" || filepath.Dir(got.Dir) != dir || filepath.Base(got.Dir) != filepath.Base(opened.Dir) {
		t.Errorf("%+v, %v; open says %+v", got, err, opened)
	}
	if files, err := os.ReadDir(got.Dir); err != nil || len(files) != 5 {
		t.Errorf("%d files, %v", len(files), err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Check(Config{CacheDir: filepath.Join(file, "below")}); err == nil || got.Segmenter != plainName || got.Fallback == "" {
		t.Errorf("where nothing can be written: %+v, %v", got, err)
	}
}

// TestUnwritableCache: Open fails, and what is called all the same works with the plain segmenter and says so.
func TestUnwritableCache(t *testing.T) {
	if eng().info.Segmenter == plainName {
		t.Skip("built without cgo")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := child(t, "unwritable", filepath.Join(file, "below"))
	if !strings.Contains(out, "failed plain/1 fallback") || !strings.Contains(out, "我 来到 北京 清华大学") {
		t.Errorf("said %q", out)
	}
}
