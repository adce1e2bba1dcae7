package natsapi

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
)

// waiters is a world whose index comes to what it was asked for when it is told.
type waiters struct {
	world
	waiting atomic.Int32
	free    chan struct{}
}

func (w *waiters) Wait(ctx context.Context, _ uint64) error {
	w.waiting.Add(1)
	defer w.waiting.Add(-1)
	select {
	case <-w.free:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Who waits for the index keeps nobody from work: neither slots nor bytes are held. How many may wait is bounded.
func TestWaitingHoldsNoSlotAndNoBytes(t *testing.T) {
	w := &waiters{free: make(chan struct{})}
	s, nc := all(t, &w.world, func(c *Config) { c.Requests, c.Bytes, c.Status = 2, 1000, w })
	body := []byte(`{"user":"u","input":"` + strings.Repeat("x", 700) + `"}`)
	answers := make(chan *nats.Msg, 2*waitersPerSlot)
	for i := range 2 * waitersPerSlot {
		go func() {
			r, _ := nc.RequestMsg(&nats.Msg{Subject: "silt.ingest", Data: body, Header: nats.Header{headerWait: {"indexed"}}}, 10*time.Second)
			answers <- r
		}()
		eventstest.Eventually(t, 5*time.Second, "one more waits", func() bool { return w.waiting.Load() == int32(i+1) })
	}
	if n := s.used.Load(); n != 0 {
		t.Errorf("who waits holds %d bytes", n)
	}
	if st := s.Stats("silt-ingest"); st.Working != 0 {
		t.Errorf("who waits holds %d slots", st.Working)
	}
	if r := send(t, nc, "silt.ingest", string(body)); r.Header.Get(micro.ErrorCodeHeader) != "429" {
		t.Errorf("one more than may be open is answered with %v %s", r.Header, r.Data)
	}
	close(w.free)
	for range 2 * waitersPerSlot {
		if r := <-answers; r == nil || !strings.Contains(string(r.Data), `"indexed":true`) {
			t.Errorf("a waiter is answered with %v", r)
		}
	}
	eventstest.Eventually(t, 5*time.Second, "all places are free again", func() bool {
		r := send(t, nc, "silt.ingest", string(body))
		return r.Header.Get(micro.ErrorCodeHeader) == ""
	})
}

// A claimed body is counted, and refused, before it is read.
func TestAClaimIsCountedBeforeItIsRead(t *testing.T) {
	w := &claimed{}
	s, nc := all(t, &w.world, func(c *Config) { c.Bytes, c.MaxTurn, c.Claims = 1000, 5000, w })
	w.size = 5001
	if r := send(t, nc, "silt.ingest", "@", "Silt-Claim", "x"); r.Header.Get(micro.ErrorCodeHeader) != "413" || w.reads.Load() != 0 {
		t.Errorf("a claim over the limit of a turn is answered with %v after %d reads", r.Header, w.reads.Load())
	}
	w.size = 1001
	if !s.more(&request{}, 10) { // somebody else is at work
		t.Fatal("no room")
	}
	if r := send(t, nc, "silt.ingest", "@", "Silt-Claim", "x"); r.Header.Get(micro.ErrorCodeHeader) != "429" || w.reads.Load() != 0 {
		t.Errorf("a claim beyond the budget is answered with %v after %d reads", r.Header, w.reads.Load())
	}
	s.less(&request{bytes: 10})
	if r := send(t, nc, "silt.ingest", "@", "Silt-Claim", "x"); r.Header.Get(micro.ErrorCodeHeader) != "" || w.reads.Load() != 1 {
		t.Errorf("a claim that is alone is answered with %v %s", r.Header, r.Data)
	}
	eventstest.Eventually(t, 5*time.Second, "the budget is whole again", func() bool { return s.used.Load() == 0 })
}

// claimed is a world with one claimed body.
type claimed struct {
	world
	size  int64
	reads atomic.Int32
}

func (c *claimed) Size(context.Context, map[string][]string) (int64, error) { return c.size, nil }

func (c *claimed) Resolve(context.Context, map[string][]string, []byte) ([]byte, error) {
	c.reads.Add(1)
	return []byte(`{"user":"u","input":"` + strings.Repeat("x", int(c.size)-30) + `"}`), nil
}
