package embed

import (
	"fmt"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// tableFile is a table as tools/embedtable writes it, read in place: nothing is parsed or copied at the start, and the
// pages that are never asked for are never loaded. All numbers are little-endian. The header is 64 bytes:
//
//	0  magic "SILTTAB1"   8  dim u16    10 log2 of the slots u16   12 rows u32 (words, then n-gram buckets)
//	16 words u32          20 n-gram buckets u32 (a power of two)   24 pages u32   28 longest Chinese word in runes u32
//	32 offsets u32 of:    index and pages, slots, offs, text, scales, vectors   56 size of the file u32   60 version u32
//
// The sections follow in this order, each at a multiple of 64:
//
//	index    256 bytes before the pages: for each high byte of a rune below U+10000 its page
//	pages    256 entries of 4 bytes each: the folded rune u16 (0: itself), class u8, 0
//	slots    row+1 in the low 18 bits, the hash's top 14 bits above; 0 is empty; open addressing, linear
//	offs     words+1 offsets u32 into text, which holds the folded words one behind the other
//	scales   a u16 a row: what its vector is multiplied with, frequency weight included
//	vectors  dim u8 a row, 128 more than the number
//
// Folding is data too: case, width, accents of Latin letters, traditional characters and combining marks do not
// depend on the Unicode version that a Go release knows.
type tableFile struct {
	b                       string
	dim, rows, words, grams int
	mask                    uint32
	maxHan                  int
	index, pages            string
	slots, offs, text       string
	scales, vectors         string
	version                 uint32
}

const (
	tableMagic  = "SILTTAB1"
	tableHeader = 64
	rowBits     = 18
)

// openTable checks the header and that every section lies in the file. It reads a hundred bytes.
func openTable(b string) (*tableFile, error) {
	bad := func(why string) error {
		return schema.Permanent(schema.CodeCorrupt, nil, "read embedding table: %s", why)
	}
	if len(b) < tableHeader || b[:8] != tableMagic {
		return nil, bad("no table")
	}
	t := &tableFile{
		b: b, dim: int(u16(b, 8)), rows: int(u32(b, 12)), words: int(u32(b, 16)), grams: int(u32(b, 20)),
		maxHan: int(u32(b, 28)), version: u32(b, 60),
	}
	bits := u16(b, 10)
	pages := int(u32(b, 24))
	if int(u32(b, 56)) != len(b) {
		return nil, bad("cut short")
	}
	if t.dim < 8 || t.dim%8 != 0 || t.dim > maxTableDim || bits > 24 || t.rows >= 1<<rowBits || t.words+t.grams != t.rows ||
		t.grams < 1 || t.grams&(t.grams-1) != 0 || t.maxHan < 1 || t.maxHan > maxHanWord || pages < 1 || pages > 256 {
		return nil, bad("sizes out of bounds")
	}
	t.mask = 1<<bits - 1
	at, misplaced := tableHeader, false
	section := func(offset, size int) string {
		at = (at + 63) / 64 * 64
		if int(u32(b, offset)) != at || size > len(b)-at {
			misplaced = true
			return ""
		}
		s := b[at : at+size]
		at += size
		return s
	}
	head := section(32, 256+pages*1024)
	t.slots = section(36, 4<<bits)
	if t.offs = section(40, 4*(t.words+1)); misplaced {
		return nil, bad("a section lies elsewhere")
	}
	t.text = section(44, int(u32(t.offs, 4*t.words)))
	t.scales = section(48, 2*t.rows)
	if t.vectors = section(52, t.dim*t.rows); misplaced || at != len(b) {
		return nil, bad("a section lies elsewhere")
	}
	t.index, t.pages = head[:256], head[256:]
	return t, nil
}

// check reads all of the file: what openTable takes on trust. For tests.
func (t *tableFile) check() error {
	for i := range 256 {
		if 1024*(int(t.index[i])+1) > len(t.pages) {
			return fmt.Errorf("page of %02x lies outside", i)
		}
	}
	for i := range t.words {
		w := t.word(i)
		if w == "" || len(w) > maxWord || !utf8.ValidString(w) {
			return fmt.Errorf("word %d is %q", i, w)
		}
		if got := t.find([]byte(w)); got != i {
			return fmt.Errorf("word %d, %q, is found at %d", i, w, got)
		}
	}
	for i := 0; i < len(t.slots); i += 4 {
		if e := u32(t.slots, i); int(e&(1<<rowBits-1)) > t.words {
			return fmt.Errorf("slot %d names row %d", i/4, e&(1<<rowBits-1))
		}
	}
	return nil
}

func (t *tableFile) word(i int) string { return t.text[u32(t.offs, 4*i):u32(t.offs, 4*i+4)] }

// find is the row of a folded word, -1 where there is none.
func (t *tableFile) find(w []byte) int { return t.findHash(w, hashWord(w)) }

func (t *tableFile) findHash(w []byte, h uint32) int {
	for i := h & t.mask; ; i = (i + 1) & t.mask {
		e := u32(t.slots, int(4*i))
		if e == 0 {
			return -1
		}
		if (e^h)>>rowBits == 0 {
			if row := int(e&(1<<rowBits-1)) - 1; t.word(row) == string(w) {
				return row
			}
		}
	}
}

// hashWord is FNV-1a of 32 bits.
func hashWord(w []byte) uint32 {
	h := uint32(fnvOffset)
	for i := 0; i < len(w); i++ {
		h = (h ^ uint32(w[i])) * fnvPrime
	}
	return mix(h)
}

const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

// mix spreads FNV's top bits, which serve as the fingerprint.
func mix(h uint32) uint32 {
	h ^= h >> 15
	h *= 0x2c1b3c6d
	return h ^ h>>13
}

// class of a rune, from the pages.
type class uint8

const (
	classBreak  class = iota // white space, punctuation, symbols: ends a word
	classLetter              // letters of every script but Han
	classDigit
	classHan
	classDrop   // combining marks of Latin letters, variation selectors, joiners: as if they were not there
	classSymbol // emoji: a word each
	classApostrophe
	classMask  class = 15
	classUpper class = 16 // added to a letter that was a capital
)

// rune folds r and says what it is.
func (t *tableFile) rune(r rune) (rune, class) {
	if r >= 0x10000 {
		switch {
		case r >= 0x1F3FB && r <= 0x1F3FF: // skin tones
			return r, classDrop
		case r >= 0x1F000 && r < 0x1FB00:
			return r, classSymbol
		case r >= 0x20000 && r < 0x40000:
			return r, classHan
		}
		return r, classLetter
	}
	at := 1024*int(t.index[r>>8]) + 4*int(r&255)
	e := u32(t.pages, at)
	if f := rune(e & 0xFFFF); f != 0 {
		r = f
	}
	return r, class(e >> 16)
}

func u64(b string) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func u16(b string, i int) uint16 { return uint16(b[i]) | uint16(b[i+1])<<8 }

func u32(b string, i int) uint32 {
	return uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24
}
