package main

import (
	"bufio"
	"bytes"
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
	c := &cobra.Command{
		Use: "publish [FILE]", Short: "Publish turns from a file or standard input, one JSON object a line",
		Long: help("publish"), Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := e.client()
			if err != nil {
				return err
			}
			src, size := e.in, int64(-1)
			if len(args) == 1 && args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return usage(err)
				}
				defer f.Close()
				if st, err := f.Stat(); err == nil {
					size = st.Size()
				}
				src = f
			}
			p := publisher{env: e, client: cl, bar: e.bar(size)}
			if err := p.all(cmd.Context(), src); err != nil {
				return errors.Join(p.report(), err) // what became of the lines before
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
	total  schema.BatchReply
}

func (p *publisher) all(ctx context.Context, src io.Reader) error {
	r := bufio.NewReaderSize(src, 1<<20)
	var piece bytes.Buffer
	first, line := 1, 0
	for {
		b, long, err := readLine(r)
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return fmt.Errorf("read input: %w", err)
		}
		if long {
			if piece.Len() > 0 {
				if err := p.send(ctx, piece.Bytes(), first, line); err != nil {
					return err
				}
				piece.Reset()
			}
			line++
			first = line + 1
			p.total.Rejected = append(p.total.Rejected, schema.Rejected{Line: line, Error: schema.WireError{
				Code: schema.CodeTooLarge, Message: fmt.Sprintf("the line is over %d bytes and was not sent", longestLine),
			}})
		}
		// A long line goes alone: were it over the server's limit, it would take the others with it.
		if piece.Len() > 0 && (piece.Len()+len(b) > publishBytes || line-first+1 >= publishLines) {
			if err := p.send(ctx, piece.Bytes(), first, line); err != nil {
				return err
			}
			first = line + 1
			piece.Reset()
		}
		if len(b) > 0 {
			line++
			piece.Write(b)
		}
		if end {
			if piece.Len() == 0 {
				return nil
			}
			return p.send(ctx, piece.Bytes(), first, line)
		}
	}
}

// readLine reads a line with its end. One that is longer than any server takes is passed over, in memory for a moment
// at a time: input without a line break would fill it otherwise.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > longestLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// send publishes the lines from first to last.
func (p *publisher) send(ctx context.Context, body []byte, first, last int) error {
	out, err := p.client.PublishBatch(ctx, bytes.NewReader(body))
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
	p.total.Accepted = append(p.total.Accepted, out.Accepted...)
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
		again, forgotten := 0, 0
		for _, a := range p.total.Accepted {
			if a.Duplicate {
				again++
			}
			if a.Forgotten {
				forgotten++
			}
		}
		fmt.Fprintf(p.out, "accepted %d, of them %d known already; rejected %d\n", len(p.total.Accepted), again, len(p.total.Rejected))
		if forgotten > 0 {
			fmt.Fprintf(p.out, "  %d of them were forgotten since, and are not remembered: to say them again takes other ids\n", forgotten)
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
	what := fmt.Sprintf("%d of %d lines were rejected", n, n+len(p.total.Accepted))
	if slices.ContainsFunc(p.total.Rejected, func(r schema.Rejected) bool { return !r.Error.Code.Info().Retry }) {
		return errors.New(what)
	}
	return schema.Retryable(schema.CodeUnavailable, 0, errLater, "%s", what)
}

// errLater tells what to do where nothing but an outage kept lines out.
var errLater = errors.New("nothing is wrong with them: publish the same again later, lines with an id count once")
