package qdrantd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/siltstone-ai/siltstone/internal/atomicfile"
)

// The engine's list of its tables is a file of edits (MANIFEST-…). Reading it, too, the engine ends at the first chunk that
// is not valid and takes that for a tail torn by a crash; the tables of the edits behind would be missing without a word,
// and be deleted. So a file of our own says how far the list was synced (recordList, after every change of the tables), and
// checkList wants it to be whole up to there. Damage of an edit within a moment of its sync looks like a torn tail.
//
// The list's format is that of pebble/record, chunks of types 1 to 4: crc 4, length 2, type 1, payload.

const (
	listRecord   = "tables.synced"
	chunkHeader  = 7
	firstOfTypes = 1
	lastOfTypes  = 4
)

// wholeList is the length of the valid chunks at the front of a list.
func wholeList(b []byte) (end int) {
	for at := 0; at+chunkHeader <= len(b); {
		block := min((at/logBlock+1)*logBlock, len(b))
		if block-at < chunkHeader { // too little room for a header: the next chunk is in the next block
			at = block
			continue
		}
		next := at + chunkHeader + int(binary.LittleEndian.Uint16(b[at+4:]))
		if t := b[at+6]; t < firstOfTypes || t > lastOfTypes || next > block || maskedCRC(b[at+6:next]) != binary.LittleEndian.Uint32(b[at:]) {
			return end
		}
		at, end = next, next
	}
	return end
}

// recordList syncs the list of tables in dir and writes down how long it is.
func recordList(dir string) (err error) {
	desc, err := pebble.Peek(dir, vfs.Default)
	if err != nil || !desc.Exists {
		return err
	}
	f, err := os.OpenFile(desc.ManifestFilename, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := f.Sync(); err != nil { // another edit may have been written and not be synced yet
		return err
	}
	line := fmt.Sprintf("%s %d", filepath.Base(desc.ManifestFilename), info.Size())
	line += fmt.Sprintf(" %08x\n", crc32.Checksum([]byte(line), castagnoli))
	return atomicfile.Write(filepath.Join(dir, listRecord), []byte(line))
}

// checkList checks the list of tables in dir, before the engine gets to see it.
func checkList(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, listRecord))
	if errors.Is(err, fs.ErrNotExist) { // a store that is new, or older than the record
		return nil
	}
	if err != nil {
		return fmt.Errorf("check the list of tables: %w", err)
	}
	var list string
	var synced int
	var crc uint32
	if n, err := fmt.Sscanf(string(b), "%s %d %08x\n", &list, &synced, &crc); n != 3 || err != nil ||
		crc != crc32.Checksum(fmt.Appendf(nil, "%s %d", list, synced), castagnoli) || fmt.Sprintf("%s %d %08x\n", list, synced, crc) != string(b) {
		return fmt.Errorf("check the list of tables: %s is damaged", listRecord)
	}
	desc, err := pebble.Peek(dir, vfs.Default)
	if err != nil {
		return fmt.Errorf("check the list of tables: %w", err)
	}
	if !desc.Exists {
		return errors.New("check the list of tables: there is none, though there was one")
	}
	if filepath.Base(desc.ManifestFilename) != list { // begun anew just before a crash
		return nil
	}
	if b, err = os.ReadFile(desc.ManifestFilename); err != nil {
		return fmt.Errorf("check the list of tables: %w", err)
	}
	if end := wholeList(b); end < synced {
		return fmt.Errorf("list of tables %s: damaged at offset %d: it had been synced up to %d", list, end, synced)
	}
	return nil
}
