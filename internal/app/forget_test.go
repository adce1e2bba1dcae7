package app

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A request to forget is written down whatever becomes of its count: a user who has said more than can be read within a
// request must not be one whose memory cannot be made to go.
func TestE3_ForgetIsWrittenDownThoughItCannotBeCounted(t *testing.T) {
	block := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	away := errors.New("away")
	for _, c := range []struct {
		name    string
		last    error
		settle  func(context.Context) error
		reach   func(context.Context) error
		dry     bool
		written bool
		matched int
		partial bool
		err     error
	}{
		{name: "all well", written: true, matched: 3},
		{name: "reading never ends", reach: block, written: true, partial: true},
		{name: "the index is away", reach: func(context.Context) error { return away }, written: true, partial: true},
		{name: "the end of the log cannot be asked for", last: away, written: true, partial: true},
		{name: "the log is not settled", settle: block, written: true, matched: 3, partial: true},
		{name: "dry run", dry: true, matched: 3},
		{name: "dry run, not settled", dry: true, settle: block, matched: 3, partial: true},
		{name: "dry run, the index is away", dry: true, reach: func(context.Context) error { return away }, err: away},
		{name: "dry run, reading never ends", dry: true, reach: block, err: context.DeadlineExceeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			then := func(ctx context.Context, fn func(context.Context) error) error {
				if fn == nil {
					return nil
				}
				return fn(ctx)
			}
			written, loaded := false, false
			r := &forgets{
				last:   func(context.Context, string) (uint64, error) { return 9, c.last },
				settle: func(ctx context.Context, _ int, _ uint64) error { return then(ctx, c.settle) },
				active: func() int { return 1 },
				reach: func(ctx context.Context, _ int, _ string, _ schema.Forget, reading time.Duration) (upkeep.Reached, error) {
					if err := then(ctx, c.reach); err != nil {
						return upkeep.Reached{}, err
					}
					if c.dry != (reading == 0) {
						t.Errorf("reading is given %v", reading)
					}
					return upkeep.Reached{Events: []string{"a", "b"}, Memories: []string{"m"}}, nil
				},
				write: func(ctx context.Context, _ string, _ schema.Forget) (schema.Accepted, error) {
					written = true
					return schema.Accepted{ID: "job"}, ctx.Err()
				},
				load: func(ctx context.Context) error {
					loaded = written
					return ctx.Err()
				},
				note: func(context.Context, string, schema.Job) error { return away },
				wait: 100 * time.Millisecond, limit: 200 * time.Millisecond, log: slog.New(slog.DiscardHandler),
			}
			out, err := r.Forget(ctx, "acme", schema.Forget{User: "lin", Match: "x", DryRun: c.dry})
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if written != c.written || loaded != c.written || out.Matched != c.matched || out.Partial != c.partial || (out.Job != "") != c.written {
				t.Errorf("written %v, loaded %v, answer %+v", written, loaded, out)
			}
			if c.dry && err == nil && len(out.Events)+len(out.Memories) != 3 {
				t.Errorf("named are %v and %v", out.Events, out.Memories)
			}
		})
	}
}

// Of a request that has little time left, half is kept for writing it down.
func TestCountingLeavesTimeForWriting(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	r := &forgets{
		last:   func(ctx context.Context, _ string) (uint64, error) { <-ctx.Done(); return 0, ctx.Err() },
		active: func() int { return 1 },
		write: func(ctx context.Context, _ string, _ schema.Forget) (schema.Accepted, error) {
			return schema.Accepted{ID: "job"}, ctx.Err()
		},
		load:  func(ctx context.Context) error { return ctx.Err() },
		note:  func(context.Context, string, schema.Job) error { return nil },
		limit: time.Hour, log: slog.New(slog.DiscardHandler),
	}
	if out, err := r.Forget(ctx, "acme", schema.Forget{User: "lin", All: true}); err != nil || !out.Partial || out.Job != "job" {
		t.Errorf("%+v, %v", out, err)
	}
}
