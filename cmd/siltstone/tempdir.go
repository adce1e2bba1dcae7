package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/siltstone-ai/siltstone/internal/app"
)

// inTempDir runs everything in a temporary directory, as start does it, while talk talks to it; then it ends all of it, and
// the directory goes.
func inTempDir(ctx context.Context, start func(ctx context.Context, dir string, ready func(app.Addresses)) error, talk func(ctx context.Context, at app.Addresses) error) error {
	dir, err := os.MkdirTemp("", "siltstone-")
	if err != nil {
		return fmt.Errorf("make a temporary directory: %w", err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	up, done := make(chan app.Addresses, 1), make(chan error, 1)
	go func() { done <- start(ctx, dir, func(a app.Addresses) { up <- a }) }()
	select {
	case at := <-up:
		err = talk(ctx, at)
	case err := <-done:
		return fmt.Errorf("start: %w", err)
	}
	stop()
	return errors.Join(err, <-done) // only then the directory goes
}
