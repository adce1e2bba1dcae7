package events

import (
	"context"
	"fmt"
	"sync"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// CoalescerConfig bounds the batches of a [Coalescer].
type CoalescerConfig[I any] struct {
	MaxItems int         // items a call takes at most; default 64
	MaxBytes int         // sum of Size a call takes at most, but one item always goes; 0 for no bound
	Size     func(I) int // bytes of an item; required with MaxBytes
	Parallel int         // calls at a time; default 1

	// Bisect says whether a failed batch may hold one bad item among good ones. The default is every permanent
	// error but a denied one, which is about the caller and not about an item.
	Bisect func(error) bool
}

// Coalescer turns many concurrent calls for one item into few calls for many. It does not wait for a batch to
// fill: a call that finds a free worker goes at once, alone; what comes while all workers are busy goes together
// in the next call. So it adds nothing to the latency at low load and needs no timer.
//
// A batch that fails permanently is cut in halves until the bad items fail alone, at most 2n−1 calls for n
// items; one that fails with any other error fails for all its items, which are tried again by whoever called.
// A panic of the call counts as a permanent error. Safe for concurrent use.
type Coalescer[I, O any] struct {
	cfg CoalescerConfig[I]
	do  func(context.Context, []I) ([]O, error)

	mu      sync.Mutex
	queue   []*call[I, O]
	workers int
	closed  bool
	wg      sync.WaitGroup
}

// call is one item under way.
type call[I, O any] struct {
	in   I
	size int
	ctx  context.Context // of the caller
	done chan struct{}   // closed once out and err are set
	out  O
	err  error
}

// NewCoalescer returns a Coalescer over do, which answers each item of its argument, in order. do's context ends
// when no caller of the batch waits any more; it is called by at most Parallel goroutines at a time.
func NewCoalescer[I, O any](cfg CoalescerConfig[I], do func(ctx context.Context, items []I) ([]O, error)) (*Coalescer[I, O], error) {
	switch {
	case do == nil:
		return nil, fmt.Errorf("create coalescer: the call is missing")
	case cfg.MaxItems < 0 || cfg.MaxBytes < 0 || cfg.Parallel < 0:
		return nil, fmt.Errorf("create coalescer: bounds must not be negative")
	case cfg.MaxBytes > 0 && cfg.Size == nil:
		return nil, fmt.Errorf("create coalescer: MaxBytes needs Size")
	}
	if cfg.MaxItems == 0 {
		cfg.MaxItems = 64
	}
	if cfg.Parallel == 0 {
		cfg.Parallel = 1
	}
	if cfg.Bisect == nil {
		cfg.Bisect = func(err error) bool { return schema.IsPermanent(err) && schema.CodeOf(err) != schema.CodeDenied }
	}
	return &Coalescer[I, O]{cfg: cfg, do: do}, nil
}

// Do answers one item. It blocks until the batch that took the item was answered, or ctx ends; an item whose
// caller has left before its batch was cut is not sent. After Close it returns [ErrClosed].
func (c *Coalescer[I, O]) Do(ctx context.Context, in I) (O, error) {
	var zero O
	if err := ctx.Err(); err != nil {
		return zero, err
	}
	k := &call[I, O]{in: in, ctx: ctx, done: make(chan struct{})}
	if c.cfg.MaxBytes > 0 {
		k.size = c.cfg.Size(in)
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return zero, ErrClosed
	}
	c.queue = append(c.queue, k)
	if c.workers < c.cfg.Parallel {
		c.workers++
		c.wg.Go(c.work)
	}
	c.mu.Unlock()
	select {
	case <-k.done:
		return k.out, k.err
	case <-ctx.Done():
		return zero, ctx.Err()
	}
}

// Close takes no more items and waits until those taken were answered. It is idempotent.
func (c *Coalescer[I, O]) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.wg.Wait()
}

// work runs batches until the queue is empty.
func (c *Coalescer[I, O]) work() {
	for {
		batch := c.cut()
		if batch == nil {
			return
		}
		ctx, leave := waitedFor(batch)
		c.run(ctx, batch)
		leave()
	}
}

// cut takes the next batch; nil where there is none, and then the worker is gone.
func (c *Coalescer[I, O]) cut() []*call[I, O] {
	c.mu.Lock()
	defer c.mu.Unlock()
	var batch []*call[I, O]
	bytes, n := 0, 0
	for _, k := range c.queue {
		if k.ctx.Err() == nil {
			if len(batch) == c.cfg.MaxItems || c.cfg.MaxBytes > 0 && len(batch) > 0 && bytes+k.size > c.cfg.MaxBytes {
				break
			}
			batch = append(batch, k)
			bytes += k.size
		}
		n++
	}
	clear(c.queue[:n])
	c.queue = c.queue[n:]
	if batch == nil {
		c.queue = nil
		c.workers--
	}
	return batch
}

// waitedFor is a context that ends when the callers of the batch have all left.
func waitedFor[I, O any](batch []*call[I, O]) (context.Context, func()) {
	// The values of the first caller go along: its span stands for the batch.
	ctx, cancel := context.WithCancel(context.WithoutCancel(batch[0].ctx))
	var mu sync.Mutex
	left := len(batch)
	stops := make([]func() bool, len(batch))
	for i, k := range batch {
		stops[i] = context.AfterFunc(k.ctx, func() {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// run answers a batch, in halves where it must.
func (c *Coalescer[I, O]) run(ctx context.Context, batch []*call[I, O]) {
	out, err := c.call(ctx, batch)
	if err != nil && len(batch) > 1 && c.cfg.Bisect(err) && ctx.Err() == nil {
		c.run(ctx, batch[:len(batch)/2])
		c.run(ctx, batch[len(batch)/2:])
		return
	}
	for i, k := range batch {
		if k.err = err; err == nil {
			k.out = out[i]
		}
		close(k.done)
	}
}

func (c *Coalescer[I, O]) call(ctx context.Context, batch []*call[I, O]) (out []O, err error) {
	items := make([]I, len(batch))
	for i, k := range batch {
		items[i] = k.in
	}
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, recovered(p)
		}
	}()
	if out, err = c.do(ctx, items); err != nil {
		return nil, err
	}
	if len(out) != len(items) {
		return nil, schema.Retryable(schema.CodeInternal, 0, nil, "batch call answered %d of %d items", len(out), len(items))
	}
	return out, nil
}
