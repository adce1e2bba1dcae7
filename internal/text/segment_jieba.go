//go:build cgo

package text

import (
	"fmt"
	"path/filepath"

	"github.com/yanyiwu/gojieba"
)

const (
	cutterName = "gojieba/1.4.7"
	noCgo      = ""
)

type jieba struct{ h *gojieba.Jieba }

// newCutter writes the dictionaries and opens gojieba over them.
func newCutter(cfg Config, raw map[string][]byte, _ *lexicon) (c cutter, dir string, err error) {
	dir, err = placeDicts(cfg, raw)
	if err != nil {
		return nil, "", err
	}
	defer func() { // gojieba panics where a file is missing
		if r := recover(); r != nil {
			c, err = nil, fmt.Errorf("load dictionaries: %v", r)
		}
	}()
	paths := make([]string, len(dictOrder))
	for i, n := range dictOrder {
		paths[i] = filepath.Join(dir, n)
	}
	return &jieba{gojieba.NewJieba(paths...)}, dir, nil
}

// dictOrder is the order in which gojieba takes its files.
var dictOrder = []string{dictWords, dictHMM, dictUser, dictIDF, dictStop}

// placeDicts writes the dictionaries where they are missing and returns their directory. gojieba's own paths are those
// of the machine that built the binary, so all five are given. Its idf and stop lists serve its keyword extractor,
// which we do not use: a one-line idf list spares it 258,826 entries in memory.
func placeDicts(cfg Config, raw map[string][]byte) (dir string, err error) {
	files := map[string][]byte{
		dictWords: raw[dictWords], dictHMM: raw[dictHMM], dictUser: raw[dictUser],
		dictIDF: []byte("的 1.0\n"), dictStop: []byte("的\n"),
	}
	for _, d := range cacheDirs(cfg.CacheDir) {
		if dir, err = writeDicts(d, files, dictOrder); err == nil {
			return dir, nil
		}
	}
	return "", err
}

func (j *jieba) cut(s string, emit func(start, end int)) {
	at := 0
	for _, w := range j.h.Tokenize(s, gojieba.DefaultMode, true) {
		if w.Start < at || w.End > len(s) { // cannot happen with valid UTF-8
			continue
		}
		if w.Start > at {
			emit(at, w.Start)
		}
		emit(w.Start, w.End)
		at = w.End
	}
	if at < len(s) { // never lose text, whatever the library does
		emit(at, len(s))
	}
}
