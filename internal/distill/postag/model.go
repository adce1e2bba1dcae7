package postag

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

//go:embed data/model.tsv.zst
var packed []byte

// weight is what a feature adds to the score of a tag, in thousandths.
type weight struct {
	tag uint32
	add int32
}

// slot is a place of the hash table of features: the weights from..to belong to the feature.
type slot struct {
	key      uint64 // 0: empty
	from, to uint32
}

// model is the tagger's knowledge. It is never changed once it is loaded.
type model struct {
	tags    []string
	hashes  []uint64 // of the tags
	byTag   map[string]uint32
	certain map[string]uint32 // words that have one tag wherever they stand
	slots   []slot
	weights []weight
}

// tableBits makes the table of features at most six tenths full.
const tableBits = 17

// load reads the embedded model. The bytes are part of the program: that they cannot be read is a fault of the build.
func load() *model {
	m, err := read(packed)
	if err != nil {
		panic(err)
	}
	return m
}

func read(packed []byte) (*model, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("open decompressor: %w", err)
	}
	defer r.Close()
	raw, err := r.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack model of parts of speech: %w", err)
	}
	m := &model{byTag: map[string]uint32{}, certain: map[string]uint32{}, slots: make([]slot, 1<<tableBits)}
	for _, t := range [...]string{start1, start2} { // they stand before the first word and are never given
		m.tag(t)
	}
	sc := bufio.NewScanner(bytes.NewReader(raw))
	for n := 1; sc.Scan(); n++ {
		if err := m.line(strings.Split(sc.Text(), "\t")); err != nil {
			return nil, fmt.Errorf("read model of parts of speech: line %d: %w", n, err)
		}
	}
	return m, sc.Err()
}

// line reads "word<TAB>the word<TAB>its tag" or "feature<TAB>kind<TAB>a<TAB>b<TAB>tag:thousandths …".
func (m *model) line(f []string) error {
	switch {
	case len(f) == 3 && f[0] == "word":
		m.certain[f[1]] = m.tag(f[2])
		return nil
	case len(f) == 5 && f[0] == "feature":
		k, ok := kinds[f[1]]
		if !ok {
			return fmt.Errorf("unknown feature %q", f[1])
		}
		a, b := hash(f[2]), uint64(0)
		if k == tagTag || k == tagWord {
			b = hash(f[3])
		}
		s := m.find(feature(k, a, b))
		if s.key != 0 {
			return fmt.Errorf("feature %q twice, or two of one hash", f[1:4])
		}
		*s = slot{key: feature(k, a, b), from: uint32(len(m.weights))}
		for w := range strings.FieldsSeq(f[4]) {
			i := strings.LastIndexByte(w, ':')
			if i < 0 {
				return fmt.Errorf("weight %q without a value", w)
			}
			add, err := strconv.ParseInt(w[i+1:], 10, 32)
			if err != nil {
				return fmt.Errorf("weight %q: %w", w, err)
			}
			m.weights = append(m.weights, weight{m.tag(w[:i]), int32(add)})
		}
		s.to = uint32(len(m.weights))
		return nil
	}
	return fmt.Errorf("%d fields", len(f))
}

// tag is the number of a tag, a new one where it is new.
func (m *model) tag(name string) uint32 {
	if n, ok := m.byTag[name]; ok {
		return n
	}
	n := uint32(len(m.tags))
	m.tags, m.hashes, m.byTag[name] = append(m.tags, name), append(m.hashes, hash(name)), n
	return n
}

// find is the slot of a feature: its own, or the empty one where it would stand.
func (m *model) find(key uint64) *slot {
	for i := key >> (64 - tableBits); ; i = (i + 1) & (1<<tableBits - 1) {
		if s := &m.slots[i]; s.key == key || s.key == 0 {
			return s
		}
	}
}
