package text

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/zstd"
)

//go:embed dict/*.zst dict/*.txt
var dictFS embed.FS

// The dictionaries as cppjieba names them.
const (
	dictWords = "jieba.dict.utf8"
	dictHMM   = "hmm_model.utf8"
	dictUser  = "user.dict.utf8"
	dictIDF   = "idf.utf8"
	dictStop  = "stop_words.utf8"
)

// unpack returns one embedded dictionary.
func unpack(name string) ([]byte, error) {
	packed, err := dictFS.ReadFile("dict/" + name + ".zst")
	if err != nil {
		return nil, fmt.Errorf("read dictionary: %w", err)
	}
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("open decompressor: %w", err)
	}
	defer r.Close()
	b, err := r.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack dictionary %s: %w", name, err)
	}
	return b, nil
}

// writeDicts puts files into a directory below dir that is named after their content and returns that directory.
// Files that are there with the right content are left alone; others are written beside and renamed, so that a
// crash or a second process never leaves or sees half a file.
func writeDicts(dir string, files map[string][]byte, order []string) (string, error) {
	h := sha256.New()
	for _, n := range order {
		fmt.Fprintf(h, "%s\x00%d\x00", n, len(files[n]))
		h.Write(files[n])
	}
	dir = filepath.Join(dir, "dict-"+hex.EncodeToString(h.Sum(nil))[:16])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make dictionary directory: %w", err)
	}
	for _, n := range order {
		path := filepath.Join(dir, n)
		have, err := os.ReadFile(path)
		if err == nil && bytes.Equal(have, files[n]) {
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("read dictionary: %w", err)
		}
		if err := writeAtomic(path, files[n]); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func writeAtomic(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("write dictionary: %w", err)
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	_, err = f.Write(b)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write dictionary: %w", err)
	}
	return nil
}

// cacheDirs are the directories to try, in order.
func cacheDirs(configured string) []string {
	if configured != "" {
		return []string{configured}
	}
	var dirs []string
	if d, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(d, "siltstone"))
	}
	return append(dirs, filepath.Join(os.TempDir(), "siltstone-"+strconv.Itoa(os.Getuid())))
}

// lexicon is the dictionary in Go: word → count, tag, idf. It keeps hashes, not words: 13 MB. Two
// words share a 64-bit hash with a chance of 1 in 300 million over the whole dictionary; a test shows none does.
type lexicon struct {
	mask  uint64
	slots []lexEntry
	tags  []string
	total float64 // of counts
	n     int
}

type lexEntry struct {
	hash uint64 // 0: empty
	freq uint32 // 0: only an idf is known
	idf  float32
	tag  uint8
}

func hash64[T string | []byte](s T) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return finish64(h)
}

// finish64 spreads FNV's weak low bits and keeps 0 for "empty".
func finish64(h uint64) uint64 {
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	h ^= h >> 29
	if h == 0 {
		return 1
	}
	return h
}

func (l *lexicon) find(h uint64) *lexEntry {
	for i := h & l.mask; ; i = (i + 1) & l.mask {
		if e := &l.slots[i]; e.hash == h || e.hash == 0 {
			return e
		}
	}
}

// word returns the entry of w, nil where the dictionary has none.
func (l *lexicon) word(w string) *lexEntry {
	if e := l.find(hash64(w)); e.hash != 0 && e.freq > 0 {
		return e
	}
	return nil
}

// tag is the part of speech of w in the dictionary, "" where unknown.
func (l *lexicon) tag(w string) string {
	if e := l.word(w); e != nil {
		return l.tags[e.tag]
	}
	return ""
}

// idf is the inverse document frequency of w; ok is false where none is known.
func (l *lexicon) idf(w string) (float64, bool) {
	e := l.find(hash64(w))
	if e.hash == 0 || e.idf == 0 {
		return 0, false
	}
	return float64(e.idf), true
}

func newLexicon(words, user, idf []byte) (*lexicon, error) {
	const size = 1 << 19 // seven tenths full
	l := &lexicon{mask: size - 1, slots: make([]lexEntry, size), tags: []string{""}}
	tagIndex := map[string]uint8{"": 0}
	add := func(line []byte, defFreq uint32) error {
		f := bytes.Fields(line)
		if len(f) == 0 {
			return nil
		}
		e := l.find(hash64(f[0]))
		freq, tag := defFreq, ""
		for _, x := range f[1:] {
			if n, err := strconv.ParseUint(string(x), 10, 32); err == nil {
				freq = max(uint32(n), 1)
			} else {
				tag = string(x)
			}
		}
		ti, ok := tagIndex[tag]
		if !ok {
			if len(l.tags) > 255 {
				return errors.New("read dictionary: over 255 tags")
			}
			ti = uint8(len(l.tags))
			tagIndex[tag] = ti
			l.tags = append(l.tags, tag)
		}
		if e.hash == 0 || e.freq == 0 {
			l.n++
		}
		*e = lexEntry{hash: hash64(f[0]), freq: freq, tag: ti, idf: e.idf}
		l.total += float64(freq)
		return nil
	}
	for line := range bytes.Lines(words) {
		if err := add(line, 1); err != nil {
			return nil, err
		}
	}
	for line := range bytes.Lines(user) {
		if err := add(line, 10); err != nil {
			return nil, err
		}
	}
	for line := range bytes.Lines(idf) {
		w, v, ok := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(string(v), 32)
		if err != nil {
			return nil, fmt.Errorf("read idf of %q: %w", w, err)
		}
		e := l.find(hash64(w))
		e.hash, e.idf = hash64(w), float32(x)
	}
	return l, nil
}
