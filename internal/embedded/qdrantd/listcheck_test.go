package qdrantd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every place where the list of tables can end, by a cut or by a flipped bit: what is left is whole, or the store does not open.
func TestListOfTablesIsWholeOrRefused(t *testing.T) {
	r := start(t)
	r.docs("c")
	for i := range uint64(3) {
		r.upsert("c", point(i, []float32{1, 0, 0, 0}, nil, map[string]any{"owner": "a"}))
		if err := r.srv.store.db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	r.must(r.srv.store.recordList()) // happens by itself a moment after the last change
	crashed := t.TempDir()
	copyDir(t, r.dir, crashed)
	pristine := t.TempDir()
	copyDir(t, crashed, pristine)
	want := dump(t, pristine)
	lists, err := filepath.Glob(filepath.Join(crashed, "MANIFEST-*"))
	if err != nil || len(lists) != 1 {
		t.Fatal(lists, err)
	}
	whole, err := os.ReadFile(lists[0])
	if err != nil {
		t.Fatal(err)
	}
	step := 7
	if testing.Short() {
		step = 41
	}
	refused := 0
	for at := 0; at < len(whole); at += step {
		flipped := append([]byte{}, whole...)
		flipped[at] ^= 0x10
		for what, b := range map[string][]byte{"cut": whole[:at], "flipped": flipped} {
			dir := t.TempDir()
			copyDir(t, crashed, dir)
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(lists[0])), b, 0o600); err != nil {
				t.Fatal(err)
			}
			switch got, err := tryDump(dir); {
			case err != nil:
				refused++
			case got != want:
				t.Errorf("%s at %d of %d: opened with %d bytes of %d", what, at, len(whole), len(got), len(want))
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	t.Logf("%d refused", refused)
}

// A crash may leave half an edit behind, whose tables are then in the log still.
func TestTornListOfTablesIsNoDamage(t *testing.T) {
	r := start(t)
	r.docs("c")
	r.upsert("c", point(1, []float32{1, 0, 0, 0}, nil, map[string]any{"owner": "a"}))
	crashed := t.TempDir()
	copyDir(t, r.dir, crashed)
	lists, err := filepath.Glob(filepath.Join(crashed, "MANIFEST-*"))
	if err != nil || len(lists) != 1 {
		t.Fatal(lists, err)
	}
	f, err := os.OpenFile(lists[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\x01\x02\x03\x04\x40\x00\x01half an edit"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, crashed); !strings.Contains(got, "owner") {
		t.Errorf("what stood in the log is gone: %q", got)
	}
}
