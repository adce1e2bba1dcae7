package main

import (
	"bytes"
	"os"
	"testing"
)

func TestGeneratedFilesDoNotDrift(t *testing.T) {
	t.Chdir("../..")
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 25 {
		t.Errorf("only %d files", len(files))
	}
	for path, want := range files {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the code (%v): run make generate", path, err)
		}
	}
	for _, path := range strays(files) {
		t.Errorf("%s is made from no type: run make generate", path)
	}
}

func TestGenerateGivesTheSameTwice(t *testing.T) {
	t.Chdir("../..")
	a, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	b, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for path := range a {
		if !bytes.Equal(a[path], b[path]) {
			t.Errorf("%s differs from run to run", path)
		}
	}
}
