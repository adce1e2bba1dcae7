package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A backfill sends little at a time and waits until little is left of it, so that a live turn never has more than about
// backfillAhead of its turns before it.
const (
	backfillLines = 100 // of a request
	backfillAhead = 200 // turns that may wait for a stage while more is sent
	backfillLook  = 100 * time.Millisecond
	backfillAgain = time.Second // between two tries of one request
)

// progressSuffix names, after the file itself, where a backfill notes how far it is.
const progressSuffix = ".progress"

// backfill publishes turns of the past.
type backfill struct {
	on   bool
	rate float64 // turns a second; 0: no bound of its own

	pub   *publisher
	file  *os.File
	next  time.Time // by rate
	blind bool      // the token may not ask how far the server is
}

// progress of a file. The turns before it are in the log, or were refused.
type backfillProgress struct {
	Line int    `json:"line"`
	Read int64  `json:"read"`
	Mark string `json:"mark"` // of what lies before, see markOf
}

// open makes p publish f as a backfill, from where an earlier one was broken off.
func (b *backfill) open(p *publisher, f *os.File) error {
	b.pub, b.file = p, f
	p.most, p.edit, p.post, p.sent = backfillLines, datedLine, b.post, b.note
	text, err := os.ReadFile(f.Name() + progressSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var at backfillProgress
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	if err != nil {
		return usage(fmt.Errorf("%s%s cannot be read: remove it to begin anew, which publishes nothing twice: %w", f.Name(), progressSuffix, err))
	}
	mark, err := markOf(f, at.Read)
	if err != nil {
		return fmt.Errorf("read what was published before: %w", err)
	}
	if mark != at.Mark {
		return usage(fmt.Errorf("%s is another file than the one that was broken off: remove %s%s to begin anew, which publishes nothing twice", f.Name(), f.Name(), progressSuffix))
	}
	if _, err := f.Seek(at.Read, io.SeekStart); err != nil {
		return fmt.Errorf("go on in %s: %w", f.Name(), err)
	}
	p.line, p.read = at.Line, at.Read
	fmt.Fprintf(p.err, "going on after line %d of %s\n", at.Line, f.Name())
	return nil
}

// marked is how much of a file's beginning, and of what lies before a place in it, tells whether it is the same.
const marked = 64 << 10

// markOf hashes the beginning of f and what lies before read.
func markOf(f io.ReaderAt, read int64) (string, error) {
	n := min(read, marked)
	h := sha256.New()
	for _, from := range []int64{0, read - n} {
		if _, err := io.Copy(h, io.NewSectionReader(f, from, n)); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// note keeps how far it is, in one step: a break leaves the note before or this one.
func (b *backfill) note(line int, read int64) error {
	mark, err := markOf(b.file, read)
	if err != nil {
		return fmt.Errorf("note how far it is: %w", err)
	}
	text, err := json.Marshal(backfillProgress{line, read, mark})
	if err != nil {
		return fmt.Errorf("note how far it is: %w", err)
	}
	name := b.file.Name() + progressSuffix
	if err := os.WriteFile(name+".new", text, 0o600); err != nil {
		return fmt.Errorf("note how far it is: %w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return fmt.Errorf("note how far it is: %w", err)
	}
	return nil
}

// done forgets how far it was: all of it is published.
func (b *backfill) done() error {
	if !b.on {
		return nil
	}
	if err := os.Remove(b.file.Name() + progressSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("all is published: %w", err)
	}
	return nil
}

// post publishes one piece once there is room for it, and again until the server has taken or refused each line for
// good: each has an id.
func (b *backfill) post(ctx context.Context, body []byte) (out schema.BatchReply, err error) {
	if err := b.yield(ctx, bytes.Count(body, []byte("\n"))); err != nil {
		return out, err
	}
	err = await(ctx, backfillAgain, time.Now(), b.pub.err, func() (bool, error) {
		if out, err = b.pub.client.PublishBatch(ctx, bytes.NewReader(body)); err != nil {
			return false, err
		}
		for _, r := range out.Rejected {
			if r.Error.Code.Info().Retry {
				return false, schema.Retryable(r.Error.Code, 0, nil, "%s", r.Error.Message)
			}
		}
		return true, nil
	})
	return out, err
}

// yield waits until little waits in the pipeline, and until the rate allows n more turns.
func (b *backfill) yield(ctx context.Context, n int) error {
	if b.rate > 0 {
		select {
		case <-time.After(time.Until(b.next)):
		case <-ctx.Done():
			return ctx.Err()
		}
		b.next = time.Now().Add(time.Duration(float64(n) / b.rate * float64(time.Second)))
	}
	if b.blind {
		return nil
	}
	return await(ctx, backfillLook, time.Now(), b.pub.err, func() (bool, error) {
		st, err := b.pub.client.Status(ctx)
		if schema.CodeOf(err) == schema.CodeDenied {
			b.blind = true
			fmt.Fprintln(b.pub.err, "the token may not ask for the status (scope query): the backfill cannot make way for live turns; --rate bounds it")
			return true, nil
		}
		for _, s := range st.Stages {
			if s.Pending+uint64(s.AckPending) > backfillAhead {
				return false, err
			}
		}
		return err == nil, err
	})
}

// datedLine is a line with its own time and with an id: its own, or one made of the line, so that publishing it again
// changes nothing. What is no turn at all is left for the server to refuse.
func datedLine(line []byte) ([]byte, *schema.WireError) {
	var t struct{ ID, At json.RawMessage }
	if err := json.Unmarshal(line, &t); err != nil {
		return line, nil
	}
	if len(t.At) == 0 || string(t.At) == "null" {
		return nil, &schema.WireError{Code: schema.CodeInvalid, Field: "at", Message: "is missing: a turn of the past has a time of its own"}
	}
	switch string(t.ID) {
	case "":
	case `""`, "null": // the server would draw one, and another the next time
		return nil, &schema.WireError{Code: schema.CodeInvalid, Field: "id", Message: "is empty: leave it out, and the turn gets one"}
	default:
		return line, nil
	}
	sum := sha256.Sum256(bytes.TrimSpace(line))
	open := bytes.IndexByte(line, '{') + 1
	return fmt.Appendf(nil, `%s"id":"backfill-%x",%s`, line[:open], sum[:16], line[open:]), nil
}
