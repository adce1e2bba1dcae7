package stacktest

import (
	"net/http"
	"sync"
	"testing"
	"time"
)

// Lag is what a busy machine adds to the time of an answer: how long the least that a process can be asked takes, looked
// at all the time. A test that bounds the time of answers adds it to its bound, so that it fails by what it tests alone.
type Lag struct {
	mu    sync.Mutex
	looks []look
}

type look struct {
	ended time.Time
	took  time.Duration
}

const (
	lagEvery = 20 * time.Millisecond
	lagLooks = 4096
)

// NewLag looks how long /healthz of url takes until the test ends.
func NewLag(t testing.TB, url string) *Lag {
	l := &Lag{}
	stop, done := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(stop); <-done })
	c := &http.Client{Timeout: Patience()}
	go func() {
		defer close(done)
		tick := time.NewTicker(lagEvery)
		defer tick.Stop()
		for due := time.Now(); ; due = time.Now().Add(lagEvery) { // from when it should have begun
			if res, err := c.Get(url + "/healthz"); err == nil {
				_ = res.Body.Close()
			}
			l.note(time.Since(due))
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	}()
	return l
}

func (l *Lag) note(took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looks = append(l.looks, look{time.Now(), max(took, 0)})
	l.looks = l.looks[max(0, len(l.looks)-lagLooks):]
}

// Since is the longest look that was under way at start or later, with the one that is under way now.
func (l *Lag) Since(start time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	var most time.Duration
	for i := len(l.looks) - 1; i >= 0 && l.looks[i].ended.After(start); i-- {
		most = max(most, l.looks[i].took)
	}
	if n := len(l.looks); n > 0 {
		most = max(most, time.Since(l.looks[n-1].ended)-lagEvery)
	}
	return most
}
