package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A batch is handed on in pieces of at most so many lines, or as soon as one has so many bytes, while the rest is
// still being read.
const (
	pieceLines = 1000
	pieceBytes = 1 << 20
)

// Bounds of what one batch is answered with. The lines behind one that is over them are not read: the last entry of
// rejected says from which line on.
const (
	maxLines    = 200_000
	maxRejected = 10_000
)

// postBatch reads NDJSON line by line: a bad line is rejected by its number and touches no other.
func (s *server) postBatch(w http.ResponseWriter, r *http.Request, t, wait string) {
	src, err := s.open(w, r, s.MaxBatch)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	b := &batch{server: s, ctx: r.Context(), tenant: t, hold: s.bounds.bytes.hold()}
	defer b.close()
	err = b.read(bufio.NewReaderSize(src, 16<<10))
	if err == nil {
		err = b.flush()
	}
	// What was accepted stays accepted: a body that broke off is answered with what became of its lines.
	if err != nil {
		if b.accepted == 0 && len(b.rejected) == 0 {
			s.fail(w, r, err)
			return
		}
		b.refuse(b.settled+1, err)
		if schema.CodeOf(err) == schema.CodeSlowBody {
			w.Header().Set("Connection", "close")
		} else {
			_, _ = io.Copy(io.Discard, src) // or a client that writes first and reads then would miss the reply
		}
	}
	b.reply(w, s.waited(r.Context(), wait, b.maxSeq))
}

// batch gathers lines into pieces and their answers into one reply.
type batch struct {
	*server
	ctx    context.Context
	tenant string
	hold   *hold

	piece   []byte // the lines at hand, one after the other
	ends    []int  // where each of them ends in piece
	nums    []int  // their numbers
	settled int    // the last line whose fate is known, as are those of all before

	out      []byte // the accepted ones, as they stand in the reply
	outHeld  int64  // memory taken for out
	accepted int
	rejected []schema.Rejected
	maxSeq   uint64
}

// read takes the lines of src in. Its error ends the batch: it is about the line after the last one settled, and
// about those behind it.
func (b *batch) read(src *bufio.Reader) error {
	for n := 1; ; n++ {
		if n > maxLines {
			if _, err := src.Peek(1); errors.Is(err, io.EOF) {
				return nil
			}
			return b.end(&schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf("a batch has at most %d lines; send this one and those behind it in another", maxLines)})
		}
		tooLong, err := b.line(src)
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return b.end(readError(err))
		}
		if err := b.add(n, tooLong); err != nil {
			return err
		}
		if last {
			return nil
		}
	}
}

// line appends the next line to the piece; tooLong where it has more bytes than a turn may, which are skipped.
func (b *batch) line(src *bufio.Reader) (tooLong bool, err error) {
	start := b.start()
	for {
		part, err := src.ReadSlice('\n')
		if !tooLong && len(b.piece)-start+len(part) > b.MaxTurn+2 {
			b.hold.free(start)
			b.piece, tooLong = b.piece[:start], true
		}
		if !tooLong {
			if merr := b.room(len(part)); merr != nil {
				return false, merr
			}
			start = b.start() // making room may have handed on what stood before
			b.piece = append(b.piece, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			line := bytes.TrimSuffix(bytes.TrimSuffix(b.piece[start:], []byte("\n")), []byte("\r"))
			b.piece = b.piece[:start+len(line)]
			return tooLong || len(line) > b.MaxTurn, err
		}
	}
}

// start is where the line that is being read begins in the piece.
func (b *batch) start() int {
	if len(b.ends) == 0 {
		return 0
	}
	return b.ends[len(b.ends)-1]
}

// room takes memory for n bytes more. Where none is free, the whole lines at hand are handed on first, which frees
// theirs: batches that wait for one another would wait for ever.
func (b *batch) room(n int) error {
	if b.hold.try(n) {
		return nil
	}
	if len(b.ends) > 0 {
		if err := b.flush(); err != nil {
			return err
		}
	}
	return b.hold.take(b.ctx, n)
}

// close gives back all memory.
func (b *batch) close() {
	b.hold.free(0)
	b.bounds.bytes.small.Release(b.outHeld)
}

// add settles line n, the last one that was read, or keeps it for the piece.
func (b *batch) add(n int, tooLong bool) error {
	start := b.start()
	switch {
	case tooLong, len(bytes.TrimSpace(b.piece[start:])) == 0:
		b.piece = b.piece[:start]
		if tooLong {
			if err := b.flush(); err != nil {
				return err
			}
			b.refuse(n, &schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf("the line is over the limit of a turn, %d bytes", b.MaxTurn)})
		}
		if len(b.ends) == 0 {
			b.settled = n
		}
	default:
		b.ends, b.nums = append(b.ends, len(b.piece)), append(b.nums, n)
	}
	if len(b.ends) >= pieceLines || len(b.piece) >= pieceBytes {
		return b.flush()
	}
	return b.tooMany()
}

// tooMany ends a batch that is nothing but faults.
func (b *batch) tooMany() error {
	if len(b.rejected) < maxRejected {
		return nil
	}
	return &schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf("over %d lines are refused: this one and those behind it are not looked at", maxRejected)}
}

// end hands on the whole lines at hand before err ends the batch.
func (b *batch) end(err error) error {
	b.piece = b.piece[:b.start()]
	if ferr := b.flush(); ferr != nil {
		return ferr
	}
	return err
}

func (b *batch) refuse(n int, err error) {
	b.rejected = append(b.rejected, schema.Rejected{Line: n, Error: schema.Wire(err)})
}

// flush hands on the whole lines at hand. The beginning of a line that is being read stays.
func (b *batch) flush() error {
	if len(b.ends) == 0 {
		return nil
	}
	raws := make([][]byte, len(b.ends))
	from := 0
	for i, end := range b.ends {
		raws[i] = b.piece[from:end:end]
		from = end
	}
	rest := bytes.Clone(b.piece[from:])
	acc, errs, err := b.publish(b.ctx, b.tenant, raws, b.hold, true)
	if err != nil {
		// Lines without an answer are answered by the error; what became of them is open.
		b.settled = b.nums[0] - 1
		b.piece, b.ends, b.nums = nil, nil, nil
		return err
	}
	for i := range acc {
		if errs[i] != nil {
			b.refuse(b.nums[i], errs[i])
			continue
		}
		b.maxSeq = max(b.maxSeq, acc[i].Seq)
		b.accept(acc[i])
	}
	full := !b.holdOut()
	b.settled = b.nums[len(b.nums)-1]
	// A new piece, not the old one's memory: what was handed on may still be on its way.
	b.piece, b.ends, b.nums = rest, b.ends[:0], b.nums[:0]
	b.hold.free(len(rest))
	if full {
		return errBuffer()
	}
	return b.tooMany()
}

// accept adds a line to the reply.
func (b *batch) accept(a schema.Accepted) {
	if b.accepted > 0 {
		b.out = append(b.out, ',')
	}
	b.accepted++
	b.out = append(b.out, `{"id":`...)
	b.out = appendID(b.out, a.ID)
	b.out = append(b.out, `,"seq":`...)
	b.out = strconv.AppendUint(b.out, a.Seq, 10)
	if a.Duplicate {
		b.out = append(b.out, `,"duplicate":true`...)
	}
	if a.Forgotten {
		b.out = append(b.out, `,"forgotten":true`...)
	}
	b.out = append(b.out, '}')
}

// appendID writes an id as JSON. Ids hold no control characters, see [schema.CheckID].
func appendID(out []byte, id string) []byte {
	out = append(out, '"')
	for i := range len(id) {
		if id[i] == '"' || id[i] == '\\' {
			out = append(out, '\\')
		}
		out = append(out, id[i])
	}
	return append(out, '"')
}

// holdOut takes the memory of the reply, false where there is none left.
func (b *batch) holdOut() bool {
	more := int64(cap(b.out)) - b.outHeld
	if more <= 0 {
		return true
	}
	if !b.bounds.bytes.small.TryAcquire(more) {
		return false
	}
	b.outHeld += more
	return true
}

// reply writes a schema.BatchReply whose accepted part is encoded already.
func (b *batch) reply(w http.ResponseWriter, indexed *bool) {
	slices.SortStableFunc(b.rejected, func(x, y schema.Rejected) int { return x.Line - y.Line })
	tail, _ := json.Marshal(struct { // plain data
		Rejected []schema.Rejected `json:"rejected"`
		Indexed  *bool             `json:"indexed,omitempty"`
	}{append([]schema.Rejected{}, b.rejected...), indexed})
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusAccepted)
	for _, p := range [][]byte{[]byte(`{"accepted":[`), b.out, []byte("],"), tail[1:], []byte("\n")} {
		if _, err := w.Write(p); err != nil {
			return // the client has gone: nobody is left to tell
		}
	}
}
