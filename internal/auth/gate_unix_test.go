//go:build unix

package auth

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Something that nobody writes into is refused, and does not hold requests.
func TestAPipeInPlaceOfTheFileHoldsNobody(t *testing.T) {
	w := newWorld(t)
	if err := os.MkdirAll(filepath.Dir(w.file.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(w.file.Path, 0o600); err != nil {
		t.Skipf("a pipe cannot be made here: %v", err)
	}
	w.pass(Recheck)
	done := make(chan error, 1)
	go func() {
		_, _, err := w.Authenticate("127.0.0.1:1", "")
		done <- err
	}()
	select {
	case err := <-done:
		if schema.CodeOf(err) != schema.CodeUnavailable || w.Err() == nil || !strings.Contains(w.Err().Error(), "is not a file") {
			t.Errorf("%v, %v", err, w.Err())
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for who writes into the pipe")
	}
}

// Where it cannot be told whether there is a file, nobody is let in; where there has never been one, that ends with what
// kept it from being told.
func TestAFileThatWasNeverThereIsNotNeededLater(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Dir(w.file.Path)
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file in place of the directory: ENOTDIR
		t.Fatal(err)
	}
	w.pass(Recheck)
	if _, needed, err := w.Authenticate("127.0.0.1:1", ""); !needed || schema.CodeOf(err) != schema.CodeUnavailable {
		t.Errorf("needed %v, %v", needed, err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	w.pass(Recheck)
	if _, needed, err := w.Authenticate("127.0.0.1:1", ""); needed || err != nil || w.Err() != nil {
		t.Errorf("afterwards: needed %v, %v, %v", needed, err, w.Err())
	}
}
