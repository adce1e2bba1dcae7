package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Lines go to the server in requests of at most so many lines and bytes.
const (
	publishLines = 1000
	publishBytes = 8 << 20
	longestLine  = 64 << 20 // far over the default limit of a turn
)

func publishCommand(e *env) *cobra.Command {
	var wait bool
	var b backfill
	c := &cobra.Command{
		Use: "publish [FILE]", Short: "Publish turns from a file or standard input, one JSON object a line",
		Long: help("publish"), Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			named := len(args) == 1 && args[0] != "-"
			switch {
			case b.on && !named:
				return usage(errors.New("--backfill needs a file: it goes on there after a break"))
			case b.rate < 0 || b.rate > 0 && !b.on:
				return usage(errors.New("--rate is a number of turns a second, for --backfill"))
			}
			cl, err := e.client()
			if err != nil {
				return err
			}
			p := publisher{env: e, client: cl, post: func(ctx context.Context, body []byte) (schema.BatchReply, error) {
				return cl.PublishBatch(ctx, bytes.NewReader(body))
			}}
			src, size := e.in, int64(-1)
			if named {
				f, err := os.Open(args[0])
				if err != nil {
					return usage(err)
				}
				defer f.Close()
				if st, err := f.Stat(); err == nil {
					if st.IsDir() {
						return usage(fmt.Errorf("%s: is a directory: name a file of turns, one JSON object a line", args[0]))
					}
					size = st.Size()
				}
				if b.on {
					if err := b.open(&p, f); err != nil {
						return err
					}
				}
				src = f
			}
			p.bar = e.bar(size - p.read)
			if err := p.all(cmd.Context(), src); err != nil {
				return errors.Join(p.report(), err) // what became of the lines before
			}
			if err := b.done(); err != nil {
				return err
			}
			if wait {
				if err := waitIdle(cmd.Context(), e.err, cl); err != nil {
					return err
				}
			}
			return p.report()
		},
	}
	c.Flags().BoolVar(&wait, "wait", false, "return only when everything is settled and searchable")
	c.Flags().BoolVar(&b.on, "backfill", false, "turns of the past with their own times, from a file: makes way for live turns, and goes on where it was broken off")
	c.Flags().Float64Var(&b.rate, "rate", 0, "with --backfill: turns a second at most; 0: as fast as live turns allow")
	return c
}

// bar is a progress bar on a terminal and nothing elsewhere.
func (e *env) bar(size int64) *progressbar.ProgressBar {
	f, ok := e.err.(*os.File)
	if !ok || e.json || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return progressbar.NewOptions64(size, progressbar.OptionSetWriter(f), progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("publishing"), progressbar.OptionClearOnFinish(), progressbar.OptionShowCount())
}

// publisher sends lines in pieces and remembers what became of them by their number in the whole input.
type publisher struct {
	*env
	client *client.HTTP
	bar    *progressbar.ProgressBar
	post   func(ctx context.Context, body []byte) (schema.BatchReply, error)

	most int                                                        // lines of a request; 0: publishLines
	edit func(line []byte) (sent []byte, refused *schema.WireError) // nil: lines are sent as they are
	sent func(line int, read int64) error                           // told after a request how far it is; nil: nobody

	line int   // of the input that are dealt with
	read int64 // bytes of them

	accepted, again, forgotten int
	total                      schema.BatchReply // Accepted for JSON only
}

func (p *publisher) all(ctx context.Context, src io.Reader) error {
	r := bufio.NewReaderSize(src, 1<<20)
	most := cmp.Or(p.most, publishLines)
	var piece bytes.Buffer
	first := p.line + 1 // of the piece
	flush := func() error {
		if piece.Len() > 0 {
			if err := p.send(ctx, piece.Bytes(), first, p.line); err != nil {
				return err
			}
			piece.Reset()
		}
		first = p.line + 1
		if p.sent == nil {
			return nil
		}
		return p.sent(p.line, p.read)
	}
	for {
		b, n, err := readLine(r)
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return fmt.Errorf("read input: %w", err)
		}
		var refused *schema.WireError
		switch {
		case n > longestLine:
			refused = &schema.WireError{Code: schema.CodeTooLarge, Message: fmt.Sprintf("the line is over %d bytes and was not sent", longestLine)}
		case p.edit != nil && len(bytes.TrimSpace(b)) > 0:
			b, refused = p.edit(b)
		}
		// A long line goes alone: were it over the server's limit, it would take the others with it.
		if refused != nil || piece.Len() > 0 && (piece.Len()+len(b) > publishBytes || p.line-first+1 >= most) {
			if err := flush(); err != nil {
				return err
			}
		}
		p.read += n
		switch {
		case refused != nil:
			p.line++
			first = p.line + 1
			p.total.Rejected = append(p.total.Rejected, schema.Rejected{Line: p.line, Error: *refused})
		case len(b) > 0:
			p.line++
			piece.Write(b)
		}
		if end {
			return flush()
		}
	}
}

// readLine reads a line with its end, of n bytes. One that is longer than any server takes is passed over, in memory for
// a moment at a time: input without a line break would fill it otherwise.
func readLine(r *bufio.Reader) (line []byte, n int64, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if n += int64(len(part)); n > longestLine {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, n, err
		}
	}
}

// send publishes the lines from first to last.
func (p *publisher) send(ctx context.Context, body []byte, first, last int) error {
	out, err := p.post(ctx, body)
	var e *schema.Error
	switch {
	case err == nil:
	case first == last && errors.As(err, &e) && e.Code == schema.CodeTooLarge:
		out.Rejected = []schema.Rejected{{Line: 1, Error: schema.WireError{Code: e.Code, Message: e.Message}}}
	default:
		before := ""
		if first > 1 {
			before = " (those before are in)"
		}
		return fmt.Errorf("publish lines %d to %d%s: %w", first, last, before, err)
	}
	for i := range out.Rejected {
		out.Rejected[i].Line += first - 1
	}
	p.accepted += len(out.Accepted)
	for _, a := range out.Accepted {
		if a.Duplicate {
			p.again++
		}
		if a.Forgotten {
			p.forgotten++
		}
	}
	if p.json {
		p.total.Accepted = append(p.total.Accepted, out.Accepted...)
	}
	p.total.Rejected = append(p.total.Rejected, out.Rejected...)
	if p.bar != nil {
		_ = p.bar.Add(len(body)) // a bar that cannot be drawn is no reason to stop
	}
	return nil
}

// report prints what became of the lines; rejected ones make the command fail.
func (p *publisher) report() error {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
	if p.json {
		if err := printJSON(p.out, p.total); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(p.out, "accepted %d, of them %d known already; rejected %d\n", p.accepted, p.again, len(p.total.Rejected))
		if p.forgotten > 0 {
			fmt.Fprintf(p.out, "  %d of them were forgotten since, and are not remembered: to say them again takes other ids\n", p.forgotten)
		}
		for _, r := range p.total.Rejected {
			at := string(r.Error.Code)
			if r.Error.Field != "" {
				at += ": " + r.Error.Field
			}
			fmt.Fprintf(p.out, "  line %d: %s: %s\n", r.Line, at, r.Error.Message)
		}
	}
	n := len(p.total.Rejected)
	if n == 0 {
		return nil
	}
	what := fmt.Sprintf("%d of %d lines were rejected", n, n+p.accepted)
	if slices.ContainsFunc(p.total.Rejected, func(r schema.Rejected) bool { return !r.Error.Code.Info().Retry }) {
		return errors.New(what)
	}
	return schema.Retryable(schema.CodeUnavailable, 0, errLater, "%s", what)
}

// errLater tells what to do where nothing but an outage kept lines out.
var errLater = errors.New("nothing is wrong with them: publish the same again later, lines with an id count once")
