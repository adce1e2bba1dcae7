package app

import (
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Whoever is refused is told to come again when as much should be settled as is too much, by the rate of late.
func TestLagTellsWhenToComeAgain(t *testing.T) {
	at := time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		most   uint64
		looks  [][2]uint64 // floor and last, a second apart
		again  uint64
		refuse bool
		after  time.Duration
	}{
		"no bound":            {0, [][2]uint64{{0, 1 << 40}}, 0, false, 0},
		"below":               {100, [][2]uint64{{10, 109}}, 0, false, 0},
		"at it, rate unknown": {100, [][2]uint64{{10, 110}}, 0, true, time.Minute},
		"nothing is settled":  {100, [][2]uint64{{10, 110}, {10, 110}}, 0, true, time.Minute},
		"slow":                {100, [][2]uint64{{10, 110}, {20, 219}}, 0, true, 10 * time.Second},
		"fast":                {100, [][2]uint64{{0, 500}, {400, 510}}, 0, true, time.Second},
		"never so long":       {100, [][2]uint64{{0, 500}, {1, 1 << 40}}, 0, true, time.Minute},
		"read again":          {100, [][2]uint64{{0, 500}, {400, 500}, {0, 500}}, 0, true, time.Minute},
		"floor ahead":         {100, [][2]uint64{{500, 400}}, 0, false, 0},
		"a log read again":    {100, [][2]uint64{{0, 1 << 40}, {10, 1<<40 + 99}}, 1 << 40, false, 0},
		"and as much is new":  {100, [][2]uint64{{0, 1 << 40}, {10, 1<<40 + 100}}, 1 << 40, true, time.Second},
		"it was long ago":     {100, [][2]uint64{{600, 700}}, 500, true, time.Minute},
	} {
		l := &lag{most: c.most}
		for i, x := range c.looks {
			l.note(1, x[0], c.again, x[1], at.Add(time.Duration(i)*time.Second))
		}
		err := l.refusal()
		if (err != nil) != c.refuse || err != nil && (schema.CodeOf(err) != schema.CodeOverloaded || schema.RetryAfter(err) != c.after) {
			t.Errorf("%s: %v after %s, want %v after %s", name, err, schema.RetryAfter(err), c.refuse, c.after)
		}
	}
}
