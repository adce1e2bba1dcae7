//go:build chaos

package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// publisher offers jobs to an ingester that dies now and then, each until it is answered, and notes every answer.
type publisher struct {
	url     func() string // of HTTP
	connect string        // the configuration file that tells where NATS is
	gate    func(published int) bool
	deaf    atomic.Bool // what is answered from now on counts for nothing
	rests   atomic.Bool // nothing more comes before a process has died, or at all

	mu        sync.Mutex
	acked     map[string]uint64 // sequence by tenant and id
	again     int               // turns that were answered as known
	slipped   int               // turns that were known and appended once more
	published int               // turns answered
	failures  int               // requests without an answer
}

// errDeaf ends a run whose answers count for nothing any more.
var errDeaf = errors.New("the power is cut")

// publishers is how many requests are under way at a time.
const publishers = 4

// run offers jobs in order and returns once all were answered.
func (p *publisher) run(ctx context.Context, jobs []*job) error {
	work := make(chan *job)
	errs := make(chan error, publishers)
	var wg sync.WaitGroup
	for range publishers {
		wg.Go(func() {
			for j := range work {
				if err := p.until(ctx, j); err != nil {
					errs <- err
					return
				}
				close(j.done)
				p.mu.Lock()
				p.published += j.weight
				p.mu.Unlock()
			}
		})
	}
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	p.rests.Store(false)
feed:
	for _, j := range jobs {
		for !p.gate(p.count()) {
			p.rests.Store(true)
			if !rest(ctx) {
				break feed
			}
		}
		p.rests.Store(false)
		select {
		case work <- j:
		case <-ended:
			break feed
		case <-ctx.Done():
			break feed
		}
	}
	close(work)
	<-ended
	p.rests.Store(true)
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(append(all, ctx.Err())...)
}

func (p *publisher) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.published
}

// rest waits a moment between two tries; false where ctx has ended.
func rest(ctx context.Context) bool {
	t := time.NewTimer(50 * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// until offers j until it is answered; an answer that no further try can change for the better is an error.
func (p *publisher) until(ctx context.Context, j *job) error {
	for _, n := range j.needs {
		select {
		case <-n.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for {
		try, cancel := context.WithTimeout(ctx, 20*time.Second)
		err := p.once(try, j)
		cancel()
		if p.deaf.Load() {
			return errDeaf
		}
		if err == nil || schema.IsPermanent(err) {
			return err
		}
		p.mu.Lock()
		p.failures++
		p.mu.Unlock()
		if !rest(ctx) {
			return errors.Join(ctx.Err(), err)
		}
	}
}

func (p *publisher) once(ctx context.Context, j *job) error {
	if j.broken != nil {
		return p.appendBroken(ctx, j.broken)
	}
	cl, err := client.NewHTTP(p.url(), client.WithTenant(j.tenant))
	if err != nil {
		return err
	}
	switch {
	case j.memory != nil:
		w, err := cl.Remember(ctx, *j.memory)
		return p.note(j.tenant, w.Event, w.Seq, w.Duplicate, err)
	case j.pin != nil:
		w, err := cl.Pin(ctx, *j.pin)
		return p.note(j.tenant, w.Event, w.Seq, w.Duplicate, err)
	case j.forget != nil:
		_, err := cl.Forget(ctx, *j.forget)
		return err
	}
	lines := make([][]byte, len(j.turns))
	for i, e := range j.turns {
		lines[i] = e.body
	}
	r, err := cl.PublishBatch(ctx, bytes.NewReader(bytes.Join(lines, []byte("\n"))))
	if err != nil {
		return err
	}
	for _, a := range r.Accepted {
		if err := p.note(j.tenant, a.ID, a.Seq, a.Duplicate, nil); err != nil {
			return err
		}
	}
	for _, x := range r.Rejected {
		switch x.Error.Code {
		case schema.CodeUnavailable, schema.CodeTimeout, schema.CodeOverloaded:
			err = schema.Retryable(x.Error.Code, 0, nil, "line %d: %s", x.Line, x.Error.Message)
		default:
			return schema.Permanent(x.Error.Code, nil, "line %d of %d: %s", x.Line, len(j.turns), x.Error.Message)
		}
	}
	return err
}

// note keeps what the server has promised, which it must never take back.
func (p *publisher) note(tenant, id string, seq uint64, again bool, err error) error {
	if err != nil {
		return err
	}
	if p.deaf.Load() {
		return errDeaf
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if was, ok := p.acked[key(tenant, id)]; ok && was != seq {
		if !again && seq > was { // beyond the log's window while the index was away: the projection drops it, and the ledger counts it
			p.slipped++
			return nil
		}
		return schema.Permanent(schema.CodeInternal, nil, "%s was acknowledged at %d, and is at %d", id, was, seq)
	}
	if again {
		p.again++
	}
	p.acked[key(tenant, id)] = seq
	return nil
}

// appendBroken appends what no build can read, as an ingester of another build might.
func (p *publisher) appendBroken(ctx context.Context, e *event) error {
	log, closing, err := openLog(ctx, p.connect)
	if err != nil {
		return err
	}
	defer closing()
	out := log.Append(ctx, []schema.Event{{
		Envelope: schema.Envelope{ID: e.id, Op: schema.OpTurn, Tenant: e.tenant, User: "u0", At: day, Accepted: day, Class: schema.ClassUser},
		Body:     e.body,
	}})
	return p.note(e.tenant, e.id, out[0].Seq, out[0].Duplicate, out[0].Err)
}

// openLog opens the log of the servers that a configuration file tells of.
func openLog(ctx context.Context, connect string) (log *events.Log, closing func(), err error) {
	cfg, err := config.Load(connect, nil, nil)
	if err != nil { // it is written anew at a start
		return nil, nil, schema.Retryable(schema.CodeUnavailable, 0, err, "the servers do not say where they are")
	}
	nc, err := nats.Connect(cfg.NATS.URL)
	if err != nil {
		return nil, nil, schema.Retryable(schema.CodeUnavailable, 0, err, "NATS does not answer")
	}
	js, err := events.OpenJetStream(nc)
	if err == nil {
		log, err = events.OpenLog(ctx, js)
	}
	if err != nil {
		nc.Close()
		return nil, nil, fmt.Errorf("open the log: %w", err)
	}
	return log, nc.Close, nil
}
