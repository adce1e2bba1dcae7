package scour

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Reader calls fn with everything that a file of its kind holds, unpacked; ok is false for other files.
type Reader func(ctx context.Context, path string, fn func([]byte) error) (ok bool, err error)

// Search looks for strings in every file under dir, each at least [MinString] bytes long. Files that readers know are read
// by them besides. What goes away meanwhile is passed over. Hits say which string it was by its place in strings. It
// blocks until done, and may read much.
func Search(ctx context.Context, dir string, strings []string, readers ...Reader) (schema.ErasureCheck, error) {
	out := schema.ErasureCheck{Strings: len(strings)}
	var all []needle
	for i, s := range strings {
		if len(s) < MinString {
			return out, fmt.Errorf("string %d has %d bytes, at least %d are needed", i, len(s), MinString)
		}
		all = append(all, forms(s, i)...)
	}
	m := newMatcher(all)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !d.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f := file{m: m, name: rel, out: &out, told: map[schema.ErasureHit]bool{}}
		return f.search(ctx, path, readers)
	})
	if err != nil {
		return out, fmt.Errorf("search the files of %s: %w", dir, err)
	}
	return out, nil
}

// file is one file that is searched.
type file struct {
	m    *matcher
	name string
	out  *schema.ErasureCheck
	told map[schema.ErasureHit]bool
}

// window is how much of a file is looked at at a time; windows overlap by the longest needle.
const window = 64 << 20

func (f *file) search(ctx context.Context, path string, readers []Reader) error {
	r, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	f.out.Files++
	var b []byte
	for {
		keep := b[max(0, len(b)-f.m.most):]
		next := make([]byte, len(keep), len(keep)+1<<20)
		copy(next, keep)
		b, err = appendUpTo(next, r, window)
		if err != nil {
			return err
		}
		n := len(b) - len(keep)
		f.out.Bytes += int64(n)
		f.look(b, "", 0)
		if n < window {
			break
		}
	}
	for _, read := range readers {
		if _, err := read(ctx, path, func(b []byte) error { f.look(b, "packed ", 0); return nil }); err != nil {
			return err
		}
	}
	return nil
}

// appendUpTo appends at most n bytes of r to b.
func appendUpTo(b []byte, r io.Reader, n int64) ([]byte, error) {
	more, err := io.ReadAll(io.LimitReader(r, n))
	return append(b, more...), err
}

// look notes what b holds, and what is packed in it.
func (f *file) look(b []byte, within string, depth int) {
	f.m.find(b, func(n needle) { f.note(schema.ErasureHit{File: f.name, Form: within + n.form, String: n.number}) })
	if depth == deepest {
		return
	}
	eachPacked(b, func(name string, u []byte) { f.look(u, within+name+" ", depth+1) })
}

// note counts a hit, once a file, form and string.
func (f *file) note(h schema.ErasureHit) {
	if f.told[h] {
		return
	}
	f.told[h] = true
	f.out.Hits++
	if len(f.out.Found) < schema.MaxErasureHits {
		f.out.Found = append(f.out.Found, h)
	}
}
