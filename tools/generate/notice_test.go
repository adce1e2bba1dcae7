package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// NOTICE says of every embedded file whose it is, and of the version that go.mod has.
func TestNoticeNamesWhatIsBundled(t *testing.T) {
	t.Chdir("../..")
	b, err := os.ReadFile("NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	notice := string(b)
	files, err := filepath.Glob("internal/text/dict/*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d dictionaries, %v", len(files), err)
	}
	tables, err := filepath.Glob("internal/embed/data/*")
	if err != nil || len(tables) == 0 {
		t.Fatalf("%d embedding tables, %v", len(tables), err)
	}
	models, err := filepath.Glob("internal/distill/postag/data/*")
	if err != nil || len(models) == 0 {
		t.Fatalf("%d models of parts of speech, %v", len(models), err)
	}
	for _, f := range slices.Concat(files, tables, models) {
		if name := filepath.Base(f); name != "README.md" && !strings.Contains(notice, name) {
			t.Errorf("NOTICE does not say whose %s is", f)
		}
	}
	// What the data of wordfreq, and so the table, must be passed on with.
	for _, credit := range []string{"Copyright 2022 Robyn Speer", "creativecommons.org/licenses/by-sa/4.0", "books.google.com/ngrams", "Leeds Internet Corpus", "Wikipedia", "ParaCrawl", "OpenSubtitles", "SUBTLEX"} {
		if !strings.Contains(notice, credit) {
			t.Errorf("NOTICE does not credit %s", credit)
		}
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	v := regexp.MustCompile(`yanyiwu/gojieba (v\S+)`).FindStringSubmatch(string(mod))
	if v == nil || !strings.Contains(notice, "gojieba "+v[1]+" ships") {
		t.Errorf("NOTICE names another gojieba than go.mod: %v", v)
	}
}
