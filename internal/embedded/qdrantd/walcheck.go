package qdrantd

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The engine ends the replay of a log at the first chunk that is not valid, taking it for a tail torn by a crash. It
// looks for later chunks that prove otherwise, but only from the next block of 32 KiB on, so a flipped bit in the last
// block would cost what follows it in silence. checkLogs closes that gap before the engine gets to see the files: a
// valid chunk behind the bad one that says "synced up to beyond the bad one" means damage, not a torn tail. store.seal
// sees to it that there is such a chunk behind the last record.
//
// The format is that of pebble/record, "wal sync" chunks (types 9 to 12): crc 4, length 2, type 1, log number 4, synced
// offset 8, payload. The older types (5 to 8) have no synced offset.

const (
	logBlock      = 32 << 10
	oldHeader     = 11
	syncHeader    = 19
	firstOldType  = 5
	firstSyncType = 9
	lastSyncType  = 12
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC is the checksum of a chunk as the format holds it.
func maskedCRC(b []byte) uint32 {
	crc := crc32.Checksum(b, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// logChunk reads the chunk at offset at of log number num. synced is 0 where it does not say.
func logChunk(b []byte, at int, num uint32) (next int, synced uint64, ok bool) {
	end := min((at/logBlock+1)*logBlock, len(b))
	if at+oldHeader > end {
		return 0, 0, false
	}
	header := oldHeader
	switch t := b[at+6]; {
	case t < firstOldType || t > lastSyncType || binary.LittleEndian.Uint32(b[at+7:]) != num:
		return 0, 0, false
	case t >= firstSyncType:
		header = syncHeader
	}
	next = at + header + int(binary.LittleEndian.Uint16(b[at+4:]))
	if next > end || at+header > end {
		return 0, 0, false
	}
	if maskedCRC(b[at+6:next]) != binary.LittleEndian.Uint32(b[at:]) {
		return 0, 0, false
	}
	if header == syncHeader {
		synced = binary.LittleEndian.Uint64(b[at+11:])
	}
	return next, synced, true
}

// checkLog says where a log is damaged, and where it ends.
func checkLog(b []byte, num uint32) (end int, err error) {
	at := 0
	for at < len(b) {
		next, _, ok := logChunk(b, at, num)
		if !ok {
			// Too little room for a header: the next chunk is in the next block.
			if rest := logBlock - at%logBlock; rest < syncHeader && at+rest < len(b) {
				if _, _, ok := logChunk(b, at+rest, num); ok {
					at += rest
					continue
				}
			}
			break
		}
		at = next
	}
	for later := at + 1; later < len(b); later++ {
		if _, synced, ok := logChunk(b, later, num); ok && synced > uint64(at) {
			return at, fmt.Errorf("damaged at offset %d: it had been synced up to %d", at, synced)
		}
	}
	return at, nil
}

// endsWell reports whether what stands behind the last chunk of log number num is no torn write: the mark that the
// engine sets when it closes a log, an empty chunk of the next number, or what an older log left in a file that is
// used again.
func endsWell(b []byte, end int, num uint32) bool {
	if end+oldHeader > len(b) {
		return false
	}
	n := binary.LittleEndian.Uint32(b[end+7:])
	if n == num+1 && binary.LittleEndian.Uint64(b[end:]) == firstOldType<<48|uint64(n&0xff)<<56 {
		return true
	}
	_, _, ok := logChunk(b, end, n)
	return ok && n < num
}

// checkLogs checks every write-ahead log in dir.
func checkLogs(dir string, log *slog.Logger) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		return err
	}
	for _, f := range files {
		num, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(f), ".log"), 10, 64)
		if err != nil {
			continue // not one of the engine's
		}
		b, err := os.ReadFile(f)
		if err != nil {
			return fmt.Errorf("check log: %w", err)
		}
		end, err := checkLog(b, uint32(num))
		if err != nil {
			return fmt.Errorf("check log %s: %w", f, err)
		}
		if tail := strings.Trim(string(b[end:]), "\x00"); tail != "" && !endsWell(b, end, uint32(num)) {
			log.Warn("the log has a torn tail, which is cut", "file", f, "offset", end, "bytes", len(tail))
		}
	}
	return nil
}
