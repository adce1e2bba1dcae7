package app

import (
	"context"
	"testing"
	"time"
)

type touched []int

func (t *touched) Touch(_ context.Context, gen int, _ string, _ []string, _ time.Time) error {
	*t = append(*t, gen)
	return nil
}

// An access time that comes after its generation was switched away from, and perhaps pruned, is not written.
func TestLateAccessTimesBringNoGenerationBack(t *testing.T) {
	to, active := &touched{}, 1
	a := activeTouches{to, func() int { return active }}
	for range 2 {
		if err := a.Touch(t.Context(), 1, "o", []string{"m"}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		active = 2
	}
	if len(*to) != 1 {
		t.Errorf("%d were written, want the one before the switch", len(*to))
	}
}
