package qdrantd

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
)

// TestAnEngineThatCannotGoOnEndsWithoutAPanic: its directory is removed under it. It says so, refuses what is asked for
// after that, and can be closed.
func TestAnEngineThatCannotGoOnEndsWithoutAPanic(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vectors")
	srv, err := Open(dir, Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if srv.Err() != nil {
		t.Fatal(srv.Err())
	}
	for os.RemoveAll(dir) != nil { // the engine may make a file meanwhile
	}
	// It makes a new log for every table that it writes.
	go func() { _ = srv.store.db.Flush() }() // ends, or stays where the engine ended
	select {
	case <-srv.Dead():
	case <-time.After(20 * time.Second):
		t.Fatal("the engine goes on without its directory")
	}
	if srv.Err() == nil {
		t.Error("it does not say why")
	}
	if _, err := (&collectionsService{s: srv}).List(context.Background(), &qdrant.ListCollectionsRequest{}); err == nil {
		t.Error("it answers")
	}
	closed := make(chan error, 1)
	go func() { closed <- srv.Close() }()
	select {
	case err := <-closed:
		if err == nil {
			t.Error("closed as if all were well")
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Close does not return")
	}
}
