package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// users is how many share the turns of a flood.
const users = 50

// flood is turn number i: a text, a fact and a triple with a word of its own.
func flood(i int) schema.Turn {
	x := turn("f"+itoa(i), "The pump zq"+itoa(i)+"w listens on port "+itoa(10000+i)+". 水泵很安静。")
	x.User = "u" + itoa(i%users)
	return x
}

// publisher publishes the numbers from its channel in batches and remembers which were acknowledged.
type publisher struct {
	mu    sync.Mutex
	acked map[int]uint64
}

func (p *publisher) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.acked)
}

// send publishes one batch of numbers; an error leaves it open whether they are in.
func (p *publisher) send(ctx context.Context, cl *client.HTTP, numbers []int) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, i := range numbers {
		if err := e.Encode(flood(i)); err != nil {
			return err
		}
	}
	r, err := cl.PublishBatch(ctx, &b)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range r.Accepted {
		var i int
		if _, err := fmt.Sscanf(a.ID, "f%d", &i); err != nil {
			return err
		}
		p.acked[i] = a.Seq
	}
	if len(r.Rejected) > 0 {
		return fmt.Errorf("rejected: %+v", r.Rejected[0])
	}
	return nil
}

// publish sends all numbers in batches from a few clients at once, until one fails.
func (p *publisher) publish(ctx context.Context, cl *client.HTTP, numbers []int) {
	const batch, clients = 50, 4
	work := make(chan []int)
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for ns := range work {
				if p.send(ctx, cl, ns) != nil {
					return // the server is gone
				}
			}
		})
	}
	for at := 0; at < len(numbers); at += batch {
		select {
		case work <- numbers[at:min(at+batch, len(numbers))]:
		case <-ctx.Done():
		}
	}
	close(work)
	wg.Wait()
}

// searchableOnce fails the test for every number that is not found exactly once, as a turn and as a fact.
func searchableOnce(t *testing.T, c *stacktest.Tenant, numbers []int) {
	t.Helper()
	work := make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range work {
				word := "zq" + itoa(i) + "w"
				r, err := c.Query(t.Context(), schema.Query{User: "u" + itoa(i%users), Query: word, Now: day, Render: "none", Limit: 30})
				if err != nil {
					t.Errorf("query for %d: %v", i, err)
					continue
				}
				turns, facts := 0, 0
				for _, it := range r.Items {
					if strings.Contains(it.Content, word) {
						if it.Type == schema.TypeEpisode {
							turns++
						} else {
							facts++
						}
					}
				}
				if turns != 1 || facts != 1 {
					t.Errorf("turn %d is found %d times as a turn and %d times as a fact", i, turns, facts)
				}
			}
		})
	}
	for _, i := range numbers {
		if t.Failed() {
			break
		}
		work <- i
	}
	close(work)
	wg.Wait()
}

func numbers(from, to int) []int {
	var out []int
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

func (p *publisher) all() (acked []int, most uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, seq := range p.acked {
		acked = append(acked, i)
		most = max(most, seq)
	}
	return acked, most
}

func TestB4_WhatWasAcknowledgedBeforeAKillIsSearchableOnce(t *testing.T) {
	n := 5000
	if testing.Short() {
		n = 800
	}
	dir := filepath.Join(t.TempDir(), "data")
	p := &publisher{acked: map[int]uint64{}}

	child := stacktest.Spawn(t, dir)
	cl, err := child.Bare("kill")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); p.publish(ctx, cl, numbers(0, n)) }()
	stacktest.Eventually(t, "a good part to be acknowledged", func() error {
		if p.count() < n/4 {
			return fmt.Errorf("%d are", p.count())
		}
		return nil
	})
	child.Kill(t)
	cancel()
	<-done
	acked, last := p.all()
	if len(acked) >= n {
		t.Fatal("everything was acknowledged before the kill, so nothing is shown")
	}

	// It is killed again while it catches up.
	child = stacktest.Spawn(t, dir)
	c := child.As(t, "kill")
	stacktest.Eventually(t, "some of it to be settled", func() error {
		st, err := c.Status(t.Context())
		if err == nil && st.Floor == 0 {
			err = fmt.Errorf("the floor is %d of %d", st.Floor, st.LastSeq)
		}
		return err
	})
	child.Kill(t)

	child = stacktest.Spawn(t, dir)
	c = child.As(t, "kill")
	st := c.Settle()
	stacktest.Balanced(t, st.Ledger)
	if st.Ledger.Accepted < uint64(len(acked)) || st.LastSeq < last || st.Ledger.Indexed != st.Ledger.Accepted {
		t.Errorf("acknowledged were %d up to %d, the ledger is %+v up to %d", len(acked), last, st.Ledger, st.LastSeq)
	}
	searchableOnce(t, c, acked)
	if t.Failed() {
		return
	}

	// The client cannot know what became of those without an answer and sends everything again, and a few more:
	// nothing is doubled.
	if cl, err = child.Bare("kill"); err != nil {
		t.Fatal(err)
	}
	more := min(n, slices.Max(acked)+300)
	p.publish(t.Context(), cl, numbers(0, more))
	if got := p.count(); got != more {
		t.Fatalf("%d of %d are acknowledged at last", got, more)
	}
	if l := c.Settle().Ledger; l != (schema.Ledger{Accepted: uint64(more), Indexed: uint64(more)}) {
		t.Errorf("the ledger is %+v, want all %d indexed", l, more)
	}
	searchableOnce(t, c, numbers(more-400, more))
}

func TestSIGTERMDrainsInTimeAndLosesNothing(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 400
	}
	dir := filepath.Join(t.TempDir(), "data")
	p := &publisher{acked: map[int]uint64{}}
	child := stacktest.Spawn(t, dir)
	cl, err := child.Bare("term")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); p.publish(ctx, cl, numbers(0, n)) }()
	stacktest.Eventually(t, "a good part to be acknowledged", func() error {
		if p.count() < n/3 {
			return fmt.Errorf("%d are", p.count())
		}
		return nil
	})
	took, err := child.Terminate(t)
	if err != nil || took > 20*time.Second {
		t.Errorf("it ended after %s: %v", took, err)
	}
	cancel()
	<-done
	acked, _ := p.all()
	child = stacktest.Spawn(t, dir)
	c := child.As(t, "term")
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Accepted < uint64(len(acked)) || l.Indexed != l.Accepted {
		t.Errorf("acknowledged were %d, the ledger is %+v", len(acked), l)
	}
	searchableOnce(t, c, acked)
	if took, err := child.Terminate(t); err != nil || took > 10*time.Second {
		t.Errorf("with nothing in hand it ended after %s: %v", took, err)
	}
}

func TestASecondStartOnOneDataDirectoryIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	child := stacktest.Spawn(t, dir)
	c := child.As(t, "twice")
	c.Put(turn("t", "My kettle is blue."))
	s, err := stacktest.Start(stacktest.Config(dir))
	if err == nil {
		_ = s.Stop()
		t.Fatal("it starts")
	}
	if msg := err.Error(); !strings.Contains(msg, dir) || !strings.Contains(msg, "is in use by process "+itoa(child.PID())) {
		t.Errorf("it is refused with %q", msg)
	}
	c.Put(turn("u", "My teapot is red."))
	if l := c.Settle().Ledger; l.Indexed != 2 {
		t.Errorf("the first one has suffered: %+v", l)
	}
	child.Kill(t) // the lock goes with the process
	if s, err = stacktest.Start(stacktest.Config(dir)); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}
