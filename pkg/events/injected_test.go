package events

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
)

func openInjected(t testing.TB, ctx context.Context, js jetstream.JetStream, ttl time.Duration) *Injected {
	t.Helper()
	x, err := OpenInjected(ctx, js, ttl)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Blocks that several processes record at once are all kept, each turn and question once, and conversations apart.
func TestInjectionsOfManyProcesses(t *testing.T) {
	ctx, srv, _ := ensured(t)
	var wg sync.WaitGroup
	for range 4 {
		x := openInjected(t, ctx, eventstest.JetStream(t, srv), time.Hour)
		wg.Go(func() {
			for i := range 10 {
				in := Injection{Turn: fmt.Sprint(i), Ask: "q", Held: []string{"m"}}
				for _, conversation := range []string{"c.1", "会话 *>"} {
					if err := x.AddInjection(ctx, "acme", "ann", conversation, in); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	x := openInjected(t, ctx, eventstest.JetStream(t, srv), time.Hour)
	for _, conversation := range []string{"c.1", "会话 *>"} {
		ins, err := x.Injections(ctx, "acme", "ann", conversation)
		if err != nil || len(ins) != 10 {
			t.Errorf("%s: %d records, %v, want 10", conversation, len(ins), err)
		}
	}
	for _, k := range [][3]string{{"acme", "ann", "c"}, {"acme", "bob", "c.1"}, {"other", "ann", "c.1"}} {
		if ins, err := x.Injections(ctx, k[0], k[1], k[2]); err != nil || len(ins) != 0 {
			t.Errorf("%v: %v, %v", k, ins, err)
		}
	}
}

// A record goes when its time is over, counted from its last block, and the conversation may begin anew.
func TestInjectionsExpire(t *testing.T) {
	ctx, _, js := ensured(t)
	x := openInjected(t, ctx, js, time.Second)
	for round := range 2 {
		for turn := range 2 {
			in := Injection{Turn: fmt.Sprint(turn), Ask: "q", Held: []string{"m"}}
			if err := x.AddInjection(ctx, "acme", "ann", "c", in); err != nil {
				t.Fatal(err)
			}
		}
		if ins, err := x.Injections(ctx, "acme", "ann", "c"); err != nil || len(ins) > 2 {
			t.Fatalf("round %d: %v, %v", round, ins, err)
		}
		eventstest.Eventually(t, 30*time.Second, "the record is still there", func() bool {
			ins, err := x.Injections(ctx, "acme", "ann", "c")
			return err == nil && len(ins) == 0
		})
	}
}

// The oldest blocks leave a record that is full.
func TestInjectionsAreBounded(t *testing.T) {
	ctx, _, js := ensured(t)
	x := openInjected(t, ctx, js, time.Hour)
	for i := range maxInjections + 3 {
		if err := x.AddInjection(ctx, "acme", "ann", "c", Injection{Turn: fmt.Sprint(i), Ask: "q"}); err != nil {
			t.Fatal(err)
		}
	}
	ins, err := x.Injections(ctx, "acme", "ann", "c")
	if err != nil || len(ins) != maxInjections || ins[0].Turn != "3" {
		t.Errorf("%d records from turn %s, %v", len(ins), ins[0].Turn, err)
	}
}
