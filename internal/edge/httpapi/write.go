package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A batch is handed on in pieces of at most so many lines and bytes, while the rest is still being read.
const (
	pieceLines = 1000
	pieceBytes = 8 << 20
)

// waitLimit bounds ?wait=indexed.
const waitLimit = 30 * time.Second

// postEvents accepts one turn, or many as NDJSON.
func (s *server) postEvents(w http.ResponseWriter, r *http.Request) {
	t, err := tenant(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	wait := r.URL.Query().Get("wait")
	if wait != "" && wait != "indexed" {
		s.fail(w, r, schema.Invalid("wait", "%q is not indexed", wait))
		return
	}
	if mt, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); strings.Contains(mt, "ndjson") || strings.Contains(mt, "jsonl") {
		s.postBatch(w, r, t, wait)
		return
	}
	raw, err := s.body(r, s.MaxTurn)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	acc, errs := s.Publisher.Publish(r.Context(), t, [][]byte{raw})
	if errs[0] != nil {
		s.fail(w, r, errs[0])
		return
	}
	acc[0].Indexed = s.waited(r.Context(), wait, acc[0].Seq)
	reply(w, http.StatusAccepted, acc[0])
}

// waited waits, where that was asked for, until everything up to seq is searchable; nil where it was not asked for.
// What is accepted stays accepted: a wait that takes too long is answered with false, not with an error.
func (s *server) waited(ctx context.Context, wait string, seq uint64) *bool {
	if wait == "" || s.Status == nil || seq == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	done := s.Status.Wait(ctx, seq) == nil
	return &done
}

// body reads a whole body of at most limit bytes.
func (s *server) body(r *http.Request, limit int) ([]byte, error) {
	var b bytes.Buffer // doubles as it grows, which leaves far less behind than io.ReadAll's quarters
	b.Grow(int(min(max(r.ContentLength, 0), int64(limit), 256<<10)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(r.Body, int64(limit)+1))
	if err == nil && b.Len() > limit {
		err = &http.MaxBytesError{Limit: int64(limit)}
	}
	return b.Bytes(), readError(err)
}

// readError turns a failed read of a body into an answer.
func readError(err error) error {
	var tooBig *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooBig):
		return &schema.Error{Code: schema.CodeTooLarge, Message: "the body is over its limit", Err: err}
	}
	return &schema.Error{Code: schema.CodeInvalid, Message: "the body ended early", Err: err}
}

// postBatch reads NDJSON line by line: a bad line is rejected by its number and touches no other.
func (s *server) postBatch(w http.ResponseWriter, r *http.Request, t, wait string) {
	b := &batch{server: s, ctx: r.Context(), tenant: t, out: schema.BatchReply{Accepted: []schema.Accepted{}, Rejected: []schema.Rejected{}}}
	lines := bufio.NewReaderSize(r.Body, 64<<10)
	var failed error
	for n := 1; ; n++ {
		line, tooLong, err := readLine(lines, s.MaxTurn)
		if err != nil && !errors.Is(err, io.EOF) {
			failed = readError(err)
			break
		}
		switch {
		case tooLong:
			b.reject(n, &schema.Error{Code: schema.CodeTooLarge, Message: "the line is over the limit of a turn"})
		case len(bytes.TrimSpace(line)) > 0:
			b.add(n, line)
		}
		if err != nil {
			break
		}
	}
	b.flush()
	// What was accepted stays accepted: a body that broke off is answered with what became of its lines.
	if failed != nil && len(b.out.Accepted) == 0 && len(b.out.Rejected) == 0 {
		s.fail(w, r, failed)
		return
	}
	if failed != nil {
		b.reject(b.last+1, failed)
	}
	slices.SortStableFunc(b.out.Rejected, func(x, y schema.Rejected) int { return x.Line - y.Line })
	b.out.Indexed = s.waited(r.Context(), wait, b.maxSeq)
	reply(w, http.StatusAccepted, b.out)
}

// batch gathers lines into pieces and their answers into one reply.
type batch struct {
	*server
	ctx    context.Context
	tenant string
	out    schema.BatchReply
	raws   [][]byte
	nums   []int
	bytes  int
	last   int
	maxSeq uint64
}

func (b *batch) add(n int, line []byte) {
	b.raws, b.nums, b.bytes, b.last = append(b.raws, line), append(b.nums, n), b.bytes+len(line), n
	if len(b.raws) >= pieceLines || b.bytes >= pieceBytes {
		b.flush()
	}
}

func (b *batch) reject(n int, err error) {
	b.last = max(b.last, n)
	b.out.Rejected = append(b.out.Rejected, schema.Rejected{Line: n, Error: wire(err)})
}

func (b *batch) flush() {
	if len(b.raws) == 0 {
		return
	}
	acc, errs := b.Publisher.Publish(b.ctx, b.tenant, b.raws)
	for i := range acc {
		if errs[i] != nil {
			b.reject(b.nums[i], errs[i])
			continue
		}
		b.out.Accepted = append(b.out.Accepted, acc[i])
		b.maxSeq = max(b.maxSeq, acc[i].Seq)
	}
	b.raws, b.nums, b.bytes = nil, nil, 0
}

// readLine returns one line without its end; tooLong where it had more than limit bytes, which are skipped.
func readLine(r *bufio.Reader, limit int) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
		}
		if len(line) > limit+2 {
			line, tooLong = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			return line, tooLong, err
		}
	}
}

// postForget makes turns and memories go.
func (s *server) postForget(w http.ResponseWriter, r *http.Request) {
	f, t, err := request[schema.Forget](s, r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out, err := s.Forgetter.Forget(r.Context(), t, f)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	reply(w, http.StatusAccepted, out)
}

// putTool sets a tool's policy for the tenant.
func (s *server) putTool(w http.ResponseWriter, r *http.Request) {
	p, t, err := request[schema.ToolPolicy](s, r)
	if err == nil {
		name := r.PathValue("name")
		if p.Name != "" && p.Name != name {
			err = schema.Invalid("name", "differs from the name in the path")
		}
		p.Name = name
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	def, err := s.Tools.SetTool(r.Context(), t, p)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, def)
}

// putSettings replaces what a user has switched.
func (s *server) putSettings(w http.ResponseWriter, r *http.Request) {
	set, t, err := request[schema.Settings](s, r)
	if err == nil {
		err = s.Settings.SetSettings(r.Context(), t, r.URL.Query().Get("user"), set)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, set)
}

// maxRequest bounds the bodies that are not turns.
const maxRequest = 1 << 20

// request reads the tenant and strictly decodes the body.
func request[T any](s *server, r *http.Request) (v T, t string, err error) {
	if t, err = tenant(r); err != nil {
		return v, t, err
	}
	b, err := s.body(r, maxRequest)
	if err != nil {
		return v, t, err
	}
	v, err = schema.Decode[T](b)
	return v, t, err
}
