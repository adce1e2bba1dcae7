//go:build chaos

package crash

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Variables of the environment.
const (
	Variable = "SILTSTONE_TEST_CRASH"
	Sabotage = "SILTSTONE_TEST_SABOTAGE"
)

// Reached begins the line that a process writes when it dies at a point; the point follows.
const Reached = "crash point reached: "

// arming is what one point is armed with.
type arming struct {
	left atomic.Int64 // times that the process may still come by
	id   string       // or the event that kills it; "" for any
}

// armed reads the environment once.
var armed = sync.OnceValue(func() map[Point]*arming {
	m, err := parse(os.Getenv(Variable))
	if err != nil {
		panic(err)
	}
	return m
})

func parse(s string) (map[Point]*arming, error) {
	m := map[Point]*arming{}
	for part := range strings.SplitSeq(s, ",") {
		if part == "" {
			continue
		}
		a := &arming{}
		name, id, by := strings.Cut(part, "@")
		if a.id = id; !by {
			var n string
			name, n, _ = strings.Cut(part, ":")
			times, err := strconv.ParseInt(n, 10, 64)
			if err != nil || times < 1 {
				return nil, fmt.Errorf("%s: %q is neither name:n nor name@id", Variable, part)
			}
			a.left.Store(times)
		}
		if !slices.Contains(All, Point(name)) {
			return nil, fmt.Errorf("%s: there is no point %q", Variable, name)
		}
		m[Point(name)] = a
	}
	return m, nil
}

// At is a point that the process comes by. It does not return where that is what it was armed for.
func At(p Point) {
	if a := armed()[p]; a != nil && a.id == "" && a.left.Add(-1) == 0 {
		die(p)
	}
}

// With is a point that the process comes by with the event of an id.
func With(p Point, id string) {
	a := armed()[p]
	if a == nil || a.id == "" {
		At(p)
	} else if a.id == id {
		die(p)
	}
}

// die ends the process as the kernel does, at once.
func die(p Point) {
	_, _ = os.Stderr.WriteString(Reached + string(p) + "\n")
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {} // until the signal comes
}

// AckFirst reports whether messages are to be acknowledged before they are worked on.
func AckFirst() bool { return sabotage() == "ack-first" }

var sabotage = sync.OnceValue(func() string { return os.Getenv(Sabotage) })
