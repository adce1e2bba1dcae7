package embedded

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/disk/disktest"
)

// withStream makes a stream to publish to.
func withStream(t *testing.T, s *Stack) jetstream.JetStream {
	t.Helper()
	nc, err := s.NATS()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, _, err := stream(t.Context(), nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// A write that fails for want of space leaves the server's stream refusing all later ones. The guard says so while it
// lasts, waits for space, and starts the server again: clients find it, and what was acknowledged is there.
func TestStreamsThatCouldNotBeWrittenAreMended(t *testing.T) {
	disk := disktest.Small(t, "160m")
	s := start(t, Options{Dir: filepath.Join(disk, "data"), Listen: Listen{NATS: "127.0.0.1:0"}})
	s.guard.close() // it looks when it is told to: not between the filling and the write
	js := withStream(t, s)
	url := s.nats.URL()
	var acked []uint64
	publish := func(limit time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		ack, err := js.Publish(ctx, "log", make([]byte, 8<<10))
		if err == nil {
			acked = append(acked, ack.Sequence)
		}
		return err
	}
	if err := publish(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	free := disktest.Fill(t, disk, 0)
	if err := publish(time.Second); err == nil {
		t.Fatal("stored on a full disk")
	}
	if s.guard.look(); !errors.Is(s.guard.fault, ErrFull) || s.nats.Broken() == nil {
		t.Fatalf("on a full disk: %v, %v", s.guard.fault, s.nats.Broken())
	}
	free()
	// What this test shows: without a restart the stream takes nothing, whatever space there is.
	if err := publish(time.Second); err == nil {
		t.Fatal("the server has mended itself: the guard's restart is of no use any more")
	}
	s.guard.ctx = t.Context() // close has ended its own
	if s.guard.look(); s.guard.fault != nil {
		t.Fatalf("with space again: %v", s.guard.fault)
	}
	for end := time.Now().Add(20 * time.Second); publish(time.Second) != nil; {
		if time.Now().After(end) {
			t.Fatal("nothing is stored after the restart")
		}
	}
	if got := s.nats.URL(); got != url {
		t.Errorf("it listens on %s, and on %s before", got, url)
	}
	st, err := js.Stream(t.Context(), "LOG")
	if err != nil {
		t.Fatal(err)
	}
	for _, seq := range acked {
		if _, err := st.GetMsg(t.Context(), seq); err != nil {
			t.Errorf("entry %d was acknowledged: %v", seq, err)
		}
	}
}

// The streams refuse, with an answer and at once, before the disk is full, and take more once there is space.
func TestStreamsKeepTheReserveFree(t *testing.T) {
	disk := disktest.Small(t, "160m")
	s := start(t, Options{Dir: filepath.Join(disk, "data")})
	js := withStream(t, s)
	body := make([]byte, 512<<10)
	var api *jetstream.APIError
	for i := 0; ; i++ {
		if _, err := js.Publish(t.Context(), "log", body); errors.As(err, &api) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if i > 400 {
			t.Fatal("more than the disk holds was stored")
		}
	}
	if api.ErrorCode != 10002 || s.nats.Broken() != nil {
		t.Errorf("refused with %v; broken %v", api, s.nats.Broken())
	}
	space, err := s.nats.Bound()
	if err != nil || space.Free < space.Reserve()/2 || space.Free > 2*space.Reserve() {
		t.Errorf("%d MiB are free, %v", space.Free>>20, err)
	}
	for end := time.After(20 * time.Second); ; {
		changed, fault := s.Fault()
		if errors.Is(fault, ErrLow) {
			break
		}
		select {
		case <-changed:
		case <-end:
			t.Fatal("nobody says that the disk is nearly full")
		}
	}
	st, err := js.Stream(t.Context(), "LOG")
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	for end := time.After(20 * time.Second); ; { // nothing is published meanwhile: it would fill the disk again before anybody looks
		changed, fault := s.Fault()
		if fault == nil {
			break
		}
		select {
		case <-changed:
		case <-end:
			t.Fatalf("the doors stay shut with space again: %v", fault)
		}
	}
	if _, err := js.Publish(t.Context(), "log", body); err != nil {
		t.Errorf("nothing is taken with space again: %v", err)
	}
}
