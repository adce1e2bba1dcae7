package text

import (
	"fmt"
	"strings"
	"sync"

	"github.com/longbridgeapp/opencc"
)

// Config says where the dictionaries go.
type Config struct {
	// CacheDir is where gojieba's files are written (5.6 MB, once). Empty takes the user's cache directory, or
	// the temporary one where there is none.
	CacheDir string
}

// Info says which segmenter is at work.
type Info struct {
	Segmenter string // "gojieba/1.4.7" or "plain/1"
	Fallback  string // why it is the plain one, "" where it is not
	Dir       string // where its dictionaries lie, "" for none
	Words     int    // words in the dictionary
}

// cutter cuts a run of Han characters (simplified, valid UTF-8, at most maxRun bytes) into words. emit gets byte
// offsets, in order and without gaps.
type cutter interface {
	cut(s string, emit func(start, end int))
}

// engine is everything that is loaded once.
type engine struct {
	lex    *lexicon
	cut    cutter
	t2s    *opencc.OpenCC
	trad   *runeSet // characters that t2s may change
	stop   map[string]bool
	common map[string]float64 // frequent English words → idf
	topics topics
	names  map[string]map[string]bool // lists for entities
	info   Info
}

var (
	engineOnce sync.Once
	engineVal  *engine // never freed: gojieba's handle hangs on it
	engineErr  error
)

// Open loads the dictionaries and reports the segmenter. Only the first call in a process does the work (about a
// second, 150 MB); later ones return its answer, whatever their Config. It fails where gojieba is compiled in but
// its files cannot be written: whoever indexes must not go on with another segmenter then.
//
// Functions of this package called before Open, or after it failed, load with the defaults and fall back to the
// plain segmenter, which Info reports.
func Open(cfg Config) (Info, error) {
	engineOnce.Do(func() { engineVal, engineErr = load(cfg) })
	return engineVal.info, engineErr
}

// Check does what [Open] does with files, and loads nothing: it says which segmenter would be at work, and fails where
// Open would because the dictionaries cannot be written. Words is left out.
func Check(cfg Config) (Info, error) {
	i := Info{Segmenter: cutterName, Fallback: noCgo}
	if noCgo != "" {
		return i, nil
	}
	raw := map[string][]byte{}
	for _, n := range []string{dictWords, dictHMM, dictUser} {
		b, err := unpack(n)
		if err != nil {
			return i, err // the binary itself is broken
		}
		raw[n] = b
	}
	var err error
	if i.Dir, err = placeDicts(cfg, raw); err != nil {
		i.Segmenter, i.Fallback = plainName, err.Error()
		return i, fmt.Errorf("open gojieba: %w", err)
	}
	return i, nil
}

func eng() *engine {
	engineOnce.Do(func() { engineVal, engineErr = load(Config{}) })
	return engineVal
}

// load never returns a nil engine; the error is about gojieba alone, since embedded data cannot be missing.
func load(cfg Config) (*engine, error) {
	e := &engine{stop: map[string]bool{}, common: map[string]float64{}}
	raw := map[string][]byte{}
	for _, n := range []string{dictWords, dictHMM, dictUser, dictIDF} {
		b, err := unpack(n)
		if err != nil {
			panic(err) // the binary itself is broken
		}
		raw[n] = b
	}
	lex, err := newLexicon(raw[dictWords], raw[dictUser], raw[dictIDF])
	if err != nil {
		panic(err)
	}
	e.lex = lex
	if e.t2s, err = opencc.New("t2s"); err != nil {
		panic(err)
	}
	e.trad = traditional(e.t2s)
	for _, n := range []string{"stop_zh", "stop_en"} {
		for w := range strings.FieldsSeq(list(n)) {
			e.stop[w] = true
		}
	}
	e.loadCommon(list("common_en"))
	e.topics = loadTopics(list("topics"))
	e.names = map[string]map[string]bool{}
	for line := range strings.Lines(list("names")) {
		if name, words, ok := strings.Cut(line, ":"); ok {
			set := map[string]bool{}
			for w := range strings.FieldsSeq(words) {
				set[w] = true
			}
			e.names[name] = set
		}
	}
	c, dir, err := newCutter(cfg, raw, lex)
	e.cut, e.info = c, Info{Segmenter: cutterName, Dir: dir, Words: lex.n}
	if c == nil {
		e.cut, e.info.Segmenter = &plain{lex: lex}, plainName
		e.info.Fallback = noCgo
		if err != nil {
			e.info.Fallback = err.Error()
			err = fmt.Errorf("open gojieba: %w", err)
		}
	}
	return e, err
}

// list is an embedded word list without its comment lines.
func list(name string) string {
	b, err := dictFS.ReadFile("dict/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "#") {
			out.WriteString(line)
		}
	}
	return out.String()
}
