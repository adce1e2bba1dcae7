package qdrantd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	pebblelog "github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Contents calls fn with everything that a file of a store holds, unpacked: the keys and values of a table, also those that
// were deleted or written over, and the records of a log. ok is false for any other file. A file that is gone holds
// nothing. It may be called while the store is open.
func Contents(ctx context.Context, path string, fn func([]byte) error) (ok bool, err error) {
	switch ext := filepath.Ext(path); ext {
	case ".sst":
		err = table(ctx, path, fn)
	case ".log":
		n, bad := strconv.ParseUint(strings.TrimSuffix(filepath.Base(path), ext), 10, 32)
		if bad != nil {
			return false, nil
		}
		err = logRecords(path, uint32(n), fn)
	default:
		return false, nil
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return true, fmt.Errorf("read %s: %w", path, err)
	}
	return true, nil
}

func table(ctx context.Context, path string, fn func([]byte) error) error {
	r, err := wholeTable(ctx, path)
	if err != nil {
		return err
	}
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	for kv := it.First(); kv != nil; kv = it.Next() {
		v, _, err := kv.Value(nil)
		if err == nil {
			err = fn(kv.K.UserKey)
		}
		if err == nil {
			err = fn(v)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return errors.Join(err, it.Close(), r.Close())
		}
	}
	return errors.Join(it.Error(), it.Close(), r.Close())
}

// A table that the engine is writing has no end yet, and no reader can open it. It is taken for a damaged one once nothing has
// been written to it for stillFor.
const (
	stillFor   = 3 * time.Second
	stillEvery = 20 * time.Millisecond
)

// wholeTable opens a table, once the engine has written all of it.
func wholeTable(ctx context.Context, path string) (*sstable.Reader, error) {
	tick := time.NewTicker(stillEvery)
	defer tick.Stop()
	size, since := int64(-1), time.Time{}
	for {
		r, err := openTable(ctx, path)
		if err == nil {
			return r, nil
		}
		info, gone := os.Stat(path)
		if gone != nil {
			return nil, gone
		}
		if info.Size() != size {
			size, since = info.Size(), time.Now()
		} else if time.Since(since) > stillFor {
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func openTable(ctx context.Context, path string) (*sstable.Reader, error) {
	f, err := vfs.Default.Open(path)
	if err != nil {
		return nil, err
	}
	src, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return sstable.NewReader(ctx, src, sstable.ReaderOptions{}) // closes src where it fails
}

func logRecords(path string, num uint32, fn func([]byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := numbered(pebblelog.NewReader, f, uint64(num))
	for {
		rec, err := r.Next()
		if err != nil {
			return nil // the end, or what the engine takes for it
		}
		b, err := io.ReadAll(rec)
		if err != nil {
			return nil
		}
		if err := fn(b); err != nil {
			return err
		}
	}
}

// numbered calls open with a number of a type that its package keeps to itself.
func numbered[N ~uint64](open func(io.Reader, N) *pebblelog.Reader, r io.Reader, n uint64) *pebblelog.Reader {
	return open(r, N(n))
}
