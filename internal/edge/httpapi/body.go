package httpapi

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A body has to come at a least rate: what it takes longer than slack beyond that ends it, and so does a pause of
// slack. Time spent otherwise than on reading does not count.
const (
	leastRate = 16 << 10 // bytes a second
	slack     = 10 * time.Second
)

// answerLimit is how long an answer may take to be written once the body is in.
const answerLimit = 5 * time.Minute

// paced is the body as it comes over the line.
type paced struct {
	body  io.Reader
	ctl   *http.ResponseController
	now   func() time.Time
	n     int64
	spent time.Duration
}

// Read implements io.Reader. Its deadline needs a connection; a recorder of a test has none.
func (p *paced) Read(b []byte) (int, error) {
	left := slack + time.Duration(p.n)*time.Second/leastRate - p.spent
	if left <= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	start := p.now()
	_ = p.ctl.SetReadDeadline(start.Add(min(left, slack)))
	n, err := p.body.Read(b)
	p.n += int64(n)
	p.spent += p.now().Sub(start)
	if err == io.EOF { // from here on the connection is watched for its end, which has no time limit
		_ = p.ctl.SetReadDeadline(time.Time{})
		_ = p.ctl.SetWriteDeadline(p.now().Add(answerLimit))
	}
	return n, err
}

// limited ends in an error after left bytes, which counts them unpacked.
type limited struct {
	r     io.Reader
	limit int64
	left  int64
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left < 0 {
		return 0, &http.MaxBytesError{Limit: l.limit}
	}
	if int64(len(b)) > l.left+1 { // one more than allowed tells the end from too much
		b = b[:l.left+1]
	}
	n, err := l.r.Read(b)
	if l.left -= int64(n); l.left < 0 {
		return n - 1, &http.MaxBytesError{Limit: l.limit}
	}
	return n, err
}

// unpacking is where reading a packed body fails for the packing's sake.
type unpacking struct{ r *gzip.Reader }

func (u unpacking) Read(b []byte) (int, error) {
	n, err := u.r.Read(b)
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) {
		err = schema.Invalid("Content-Encoding", "the body is not whole gzip")
	}
	return n, err
}

// ndjson are the media types of many JSON values, one a line.
var ndjson = []string{"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-jsonlines"}

// media is the media type of a body: many says that it is NDJSON. Without a header it is taken for JSON.
func media(r *http.Request, manyTaken bool) (many bool, err error) {
	h := r.Header.Values("Content-Type")
	if len(h) == 0 {
		return false, nil
	}
	mt, params, parseErr := mime.ParseMediaType(h[0])
	if cs := strings.ToLower(params["charset"]); parseErr == nil && len(h) == 1 && (cs == "" || cs == "utf-8" || cs == "us-ascii") {
		switch {
		case mt == "application/json", strings.HasPrefix(mt, "application/") && strings.HasSuffix(mt, "+json"):
			return false, nil
		case manyTaken && slices.Contains(ndjson, mt):
			return true, nil
		}
	}
	want := "application/json in UTF-8"
	if manyTaken {
		want += ", or application/x-ndjson for many"
	}
	return false, &schema.Error{Code: schema.CodeMediaType, Field: "Content-Type", Message: "is not " + want}
}

// open is the body of a request, unpacked, at its rate and within limit bytes. Nothing of it is read here but the
// head of what is packed.
func (s *server) open(w http.ResponseWriter, r *http.Request, limit int) (io.Reader, error) {
	var enc []string
	for _, h := range r.Header.Values("Content-Encoding") {
		for e := range strings.SplitSeq(h, ",") {
			if e = strings.ToLower(strings.TrimSpace(e)); e != "" && e != "identity" {
				enc = append(enc, e)
			}
		}
	}
	if r.ContentLength > int64(limit) {
		return nil, readError(&http.MaxBytesError{Limit: int64(limit)})
	}
	line := &paced{body: http.MaxBytesReader(w, r.Body, int64(limit)), ctl: http.NewResponseController(w), now: time.Now}
	switch {
	case len(enc) == 0:
		return &limited{line, int64(limit), int64(limit)}, nil
	case len(enc) == 1 && (enc[0] == "gzip" || enc[0] == "x-gzip"):
		z, err := gzip.NewReader(line)
		if err != nil {
			if errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.EOF) {
				err = schema.Invalid("Content-Encoding", "the body is not gzip")
			}
			return nil, readError(err)
		}
		return &limited{unpacking{z}, int64(limit), int64(limit)}, nil
	}
	return nil, &schema.Error{Code: schema.CodeMediaType, Field: "Content-Encoding", Message: "is not gzip or identity"}
}

// firstRead is the room that a body gets to begin with; it doubles as the body comes.
const firstRead = 4 << 10

// slurp reads a whole body of at most most bytes, or a little more, into memory that h takes.
func slurp(ctx context.Context, src io.Reader, h *hold, most int) ([]byte, error) {
	if err := h.take(ctx, firstRead); err != nil {
		return nil, err
	}
	b := make([]byte, 0, firstRead)
	for {
		n, err := src.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, readError(err)
		}
		if len(b) == cap(b) {
			room := 2 * cap(b)
			if cap(b) <= most { // one byte more than there is, to see the end
				room = min(room, most+1)
			}
			if err := h.take(ctx, room-cap(b)); err != nil {
				return nil, err
			}
			b = append(make([]byte, 0, room), b...)
		}
	}
}

// most is how long a body can be: as long as it says, where that is believed, else the limit.
func most(r *http.Request, limit int) int {
	if r.ContentLength < 0 || r.Header.Get("Content-Encoding") != "" {
		return limit
	}
	return int(min(r.ContentLength, int64(limit)))
}

// whole is a body that was read already.
type whole struct {
	bytes.Reader
	b []byte
}

func newWhole(b []byte) *whole { return &whole{*bytes.NewReader(b), b} }

// Close implements io.Closer.
func (*whole) Close() error { return nil }

// body is the body that was read before the handler was called.
func body(r *http.Request) []byte {
	if w, ok := r.Body.(*whole); ok {
		return w.b
	}
	return nil
}

// readError turns a failed read of a body into an answer.
func readError(err error) error {
	var tooBig *http.MaxBytesError
	var known *schema.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &tooBig):
		return &schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf("the body is over its limit of %d bytes", tooBig.Limit), Err: err}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return schema.Retryable(schema.CodeSlowBody, 0, err, "the body comes more slowly than %d bytes a second", leastRate)
	}
	return &schema.Error{Code: schema.CodeInvalid, Message: "the body ended early", Err: err}
}
