package qdrantd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// writing lets a change use the engine until done is called: every call by which something is written is inside, from before
// it takes any other lock until its sync is over. It blocks while the engine is opened again, and fails once the store has ended.
func (s *store) writing() (done func(), err error) {
	s.engine.RLock()
	if err := s.end.err(); err != nil { // a closed engine panics where it is asked
		s.engine.RUnlock()
		return nil, status.Errorf(codes.Unavailable, "%v", err)
	}
	return s.engine.RUnlock, nil
}

// compact rewrites the tables without what was deleted or written over before the call, and begins new logs: the engine keeps
// old ones to use their space again, as long as it is open. So it is opened again at the end, for which writes wait a moment;
// all before that goes on beside them, and readers have all they need in memory. After an error the store is as it was, or
// has ended.
func (s *store) compact(ctx context.Context) error {
	s.compacting.Lock()
	defer s.compacting.Unlock()
	if err := errors.Join(s.end.err(), s.room.err()); err != nil {
		return err
	}
	// The engine looks at a range that ends before its second key; nothing has a longer kind than one byte.
	if err := errors.Join(s.db.Flush(), s.db.Compact(ctx, []byte{0}, []byte{0xff}, false), s.db.Flush()); err != nil {
		return err
	}
	old, err := s.reopen()
	if err != nil {
		return err
	}
	return awaitGone(ctx, old)
}

// reopen closes the engine and opens it, between two writes. It returns the logs of the former one, which the engine
// replays and removes.
func (s *store) reopen() (old []string, err error) {
	s.engine.Lock()
	defer s.engine.Unlock()
	s.rest()
	s.shut = true
	if err := errors.Join(s.recordList(), s.db.Close()); err != nil {
		s.end.over(err)
		return nil, err
	}
	old, err = filepath.Glob(filepath.Join(s.dir, "*.log"))
	if err != nil {
		s.end.over(err)
		return nil, err
	}
	db, err := pebble.Open(s.dir, s.opts)
	if err != nil {
		s.end.over(err)
		return nil, fmt.Errorf("open %s again: %w", s.dir, err)
	}
	s.db, s.shut = db, false
	s.tend()
	return old, s.recordList()
}

// goneEvery is how often awaitGone looks.
const goneEvery = 5 * time.Millisecond

// awaitGone waits until none of the files is there: the engine removes what it does not need in the background.
func awaitGone(ctx context.Context, files []string) error {
	tick := time.NewTicker(goneEvery)
	defer tick.Stop()
	for len(files) > 0 {
		_, err := os.Lstat(files[0])
		if errors.Is(err, fs.ErrNotExist) {
			files = files[1:]
			continue
		}
		if err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for log %s to go: %w", filepath.Base(files[0]), ctx.Err())
		}
	}
	return nil
}
