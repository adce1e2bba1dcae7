package events

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const (
	crashEnv    = "SILT_EVENTS_CRASH_URL"
	crashEvents = 20
	crashID     = "e7"
)

// TestCrashHelper is the worker of TestPitfall09_CrashLoop: it dies of one event.
func TestCrashHelper(t *testing.T) {
	url := os.Getenv(crashEnv)
	if url == "" {
		t.Skip("runs as a child of TestPitfall09_CrashLoop")
	}
	js, err := OpenJetStream(eventstest.Dial(t, url))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, js: js, logs: &logLines{}}
	r.route(HandlerConfig{MaxDeliver: 3}, RouterConfig{}, func(_ context.Context, ev schema.Event) error {
		if ev.ID == crashID {
			os.Exit(3)
		}
		return nil
	})
	r.settled(StreamLog, rigDurable, crashEvents)
}

// An event that kills the process ends in the dead letters, and it alone: not those that were in the process with
// it each time.
func TestPitfall09_CrashLoop(t *testing.T) {
	t.Parallel()
	s := eventstest.Server(t)
	js, err := OpenJetStream(eventstest.Conn(t, s))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, js, jetstream.ConsumerConfig{AckWait: 300 * time.Millisecond})
	r.append(crashEvents)
	crashes := 0
	for {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCrashHelper$", "-test.timeout=30s")
		cmd.Env = append(os.Environ(), crashEnv+"="+s.ClientURL())
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err == nil {
			break
		}
		if !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Fatalf("worker: %v\n%s", err, out)
		}
		if crashes++; crashes > 10 {
			t.Fatal("the event keeps killing workers")
		}
	}
	const deliver = 3 // MaxDeliver
	if least, most := deliver+guilty/provenRun, deliver+guilty/blindRun; crashes < least || crashes > most {
		t.Errorf("%d crashes, want %d to %d", crashes, least, most)
	}
	if ls := r.letters(); len(ls) != 1 || ls[0].Event.ID != crashID {
		t.Errorf("dead letters %+v, want %s alone", ls, crashID)
	}
	kv, err := js.KeyValue(t.Context(), BucketRetries)
	if err != nil {
		t.Fatal(err)
	}
	if keys, err := kv.ListKeys(t.Context()); err != nil {
		t.Error(err)
	} else if k, left := <-keys.Keys(); left {
		t.Errorf("account %s is left", k)
	}
}

// life is one process that works on the rig's log while every event of it is suspected: it passes events until one of them
// ends it, which is played by cutting the router off with its handler inside. It returns which one that was, "" where all
// are settled.
func (r *rig) life(n int, deadly func(passed int, id string) bool) (of string) {
	r.t.Helper()
	end := make(chan string, 1)
	var mu sync.Mutex
	passed := 0
	router := r.route(HandlerConfig{}, RouterConfig{Suspects: func(schema.Event) bool { return true }}, func(ctx context.Context, ev schema.Event) error {
		mu.Lock()
		dies := deadly(passed, ev.ID)
		passed++
		mu.Unlock()
		if dies {
			end <- ev.ID
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	eventstest.Eventually(r.t, patience, "the life to end", func() bool {
		select {
		case of = <-end:
			return true
		default:
			return r.info(StreamLog, rigDurable).AckFloor.Stream == uint64(n)
		}
	})
	cut, stop := context.WithCancel(r.t.Context())
	stop()
	if err := router.Close(cut); err != nil {
		r.t.Fatal(err)
	}
	return of
}

// What ends processes whatever they work on is no event's fault: it falls on one after the other, and none is dead, however
// often it happens.
func TestDeathsAtAnyEventConvictNone(t *testing.T) {
	t.Parallel()
	const n = 2
	const lives = n * (guilty/blindRun + 1) // each has had more than makes one alone dead
	r := startRig(t, jetstream.ConsumerConfig{})
	r.append(n)
	died := map[string]int{}
	for range lives {
		died[r.life(n, func(int, string) bool { return true })]++
	}
	for i := range n {
		if id := fmt.Sprint("e", i); died[id] != lives/n {
			t.Errorf("%s has ended %d lives, want %d: %v", id, died[id], lives/n, died)
		}
	}
	if of := r.life(n, func(int, string) bool { return false }); of != "" {
		t.Errorf("%s has ended the last life", of)
	}
	if ls := r.letters(); len(ls) != 0 {
		t.Errorf("dead letters %+v", ls)
	}
	r.noAccounts()
}

// An event that ends every process is dead, however many others die now and then and however few there are beside it.
func TestTheEventThatEndsProcessesIsConvicted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ events, most int }{{1, guilty}, {8, guilty}} {
		t.Run(fmt.Sprint(c.events, " events"), func(t *testing.T) {
			t.Parallel()
			r := startRig(t, jetstream.ConsumerConfig{})
			r.append(c.events)
			lives := 0
			for r.life(c.events, func(_ int, id string) bool { return id == "e0" }) != "" {
				if lives++; lives > c.most {
					t.Fatal("it is never convicted")
				}
			}
			if ls := r.letters(); len(ls) != 1 || ls[0].Event.ID != "e0" {
				t.Errorf("dead letters %+v, want e0", ls)
			}
			t.Logf("%d lives", lives)
		})
	}
}

// Events that end processes are dead though there are several, as soon as others pass beside them.
func TestSeveralEventsThatEndProcessesAreConvicted(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	evs := 2
	r.append(2)
	const alone = guilty / blindRun * 2
	lives := 0
	for ; ; lives++ {
		if lives >= alone { // both weigh enough by now, and neither more than the other
			r.put(testEvent(fmt.Sprint("more", evs), []byte("{}")))
			evs++
		}
		if r.life(evs, func(_ int, id string) bool { return id == "e0" || id == "e1" }) == "" {
			break
		}
		if ls := r.letters(); lives < alone && len(ls) != 0 {
			t.Fatalf("dead after %d lives: %+v", lives+1, ls)
		}
		if lives > alone+4 { // a run that proves it and a conviction each
			t.Fatal("they are never convicted")
		}
	}
	ls := r.letters()
	if len(ls) != 2 || ls[0].Event.ID == ls[1].Event.ID || strings.HasPrefix(ls[0].Event.ID+ls[1].Event.ID, "more") {
		t.Errorf("dead letters %+v, want e0 and e1", ls)
	}
	t.Logf("%d lives", lives)
}

// Where others pass in the same processes, half as many runs are enough.
func TestRunsBesideEventsThatPassProveMore(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	evs := 1
	r.append(1)
	lives := 0
	for {
		for range 3 {
			r.put(testEvent(fmt.Sprint("more", evs), []byte("{}")))
			evs++
		}
		if r.life(evs, func(_ int, id string) bool { return id == "e0" }) == "" {
			break
		}
		if lives++; lives > guilty {
			t.Fatal("it is never convicted")
		}
	}
	// In the first life it may come first, when nothing has passed yet.
	if least, most := guilty/provenRun, guilty/provenRun+1; lives < least || lives > most {
		t.Errorf("%d lives, want %d or %d", lives, least, most)
	}
}

// A suspect waits for its turn behind those against which less speaks, and no longer than it is let.
func TestLineup(t *testing.T) {
	t.Parallel()
	h := &handler{}
	var l lineup
	if err := l.enter(t.Context(), 0, &h.passed); err != nil {
		t.Fatal(err)
	}
	turns := make(chan int, 3)
	for i, weight := range []int{2, 0, 1} {
		go func() {
			if err := l.enter(t.Context(), weight, &h.passed); err != nil {
				t.Error(err)
			}
			turns <- weight
		}()
		eventstest.Eventually(t, patience, "it waits", func() bool {
			l.mu.Lock()
			defer l.mu.Unlock()
			return len(l.waiting) == i+1
		})
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if err := l.enter(gone, 0, &h.passed); err == nil {
		t.Error("one enters whose time is over")
	}
	for _, want := range []int{0, 1, 2} {
		l.leave()
		select {
		case got := <-turns:
			if got != want {
				t.Errorf("%d runs, want %d", got, want)
			}
		case <-time.After(patience):
			t.Fatal("nobody runs")
		}
		if want == 0 {
			h.passed.Add(1) // what follows waits for nothing else
		}
	}
}

// What an event waits before its next try grows with tries that somebody answered for, not with processes that died.
func TestDeathsMakeNobodyWaitLonger(t *testing.T) {
	t.Parallel()
	const deaths = 4
	r := startRig(t, jetstream.ConsumerConfig{AckWait: 200 * time.Millisecond})
	r.append(1)
	for range deaths {
		r.abandon(1)
	}
	var mu sync.Mutex
	tries := 0
	fail := []error{
		schema.Retryable(schema.CodeUnavailable, 0, nil, "away for a moment"), // waited out in place
		schema.Retryable(schema.CodeInternal, 0, nil, "given back"),
	}
	r.route(HandlerConfig{MaxDeliver: 20, Backoff: Backoff{Min: 50 * time.Millisecond, Max: time.Hour, Rand: Seeded(1), Jitter: -1}}, RouterConfig{}, func(_ context.Context, ev schema.Event) error {
		mu.Lock()
		defer mu.Unlock()
		if tries++; tries <= len(fail) {
			return fail[tries-1]
		}
		return nil
	})
	r.settled(StreamLog, rigDurable, 1)
	lines := r.logs.String()
	if !strings.Contains(lines, "delay=50ms") {
		t.Errorf("the event comes again after another time than the first try waits:\n%s", lines)
	}
	r.noAccounts()
}
