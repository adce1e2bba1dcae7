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
	f, err := vfs.Default.Open(path)
	if err != nil {
		return err
	}
	src, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r, err := sstable.NewReader(ctx, src, sstable.ReaderOptions{})
	if err != nil {
		return err // has closed src
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
