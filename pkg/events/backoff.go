package events

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// Backoff says how long a message waits before its next delivery: Min·2^(n−1), at most Max, of which the share
// Jitter is drawn at random, so that messages which failed together do not come back together. Zero fields take
// the defaults of [DefaultBackoff].
type Backoff struct {
	Min    time.Duration
	Max    time.Duration
	Jitter float64        // 0–1: the delay lies in [d·(1−Jitter), d]; negative for none
	Rand   func() float64 // uniform in [0,1), safe for concurrent use; [Seeded] gives one that tests can repeat
}

// DefaultBackoff waits 500 ms, 1 s, 2 s … 60 s, each less up to a fifth of itself.
func DefaultBackoff() Backoff {
	return Backoff{Min: 500 * time.Millisecond, Max: time.Minute, Jitter: 0.2}
}

// Delay is the wait after delivery number n (1 for the first).
func (b Backoff) Delay(n uint64) time.Duration {
	b = b.withDefaults()
	d := float64(b.Min) * math.Pow(2, float64(max(n, 1)-1))
	if d > float64(b.Max) {
		d = float64(b.Max)
	}
	if b.Jitter > 0 {
		d -= d * b.Jitter * b.Rand()
	}
	return time.Duration(d)
}

func (b Backoff) withDefaults() Backoff {
	d := DefaultBackoff()
	if b.Min <= 0 {
		b.Min = d.Min
	}
	if b.Max <= 0 {
		b.Max = d.Max
	}
	b.Max = max(b.Max, b.Min)
	if b.Jitter == 0 {
		b.Jitter = d.Jitter
	}
	b.Jitter = min(b.Jitter, 1)
	if b.Rand == nil {
		b.Rand = rand.Float64
	}
	return b
}

// Seeded is a source of uniform numbers in [0,1) that gives the same row for the same seed. It is safe for
// concurrent use.
func Seeded(seed uint64) func() float64 {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(seed, seed))
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return r.Float64()
	}
}
