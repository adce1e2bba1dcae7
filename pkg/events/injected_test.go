package events

import (
	"context"
	"fmt"
	"strings"
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
	const ttl = 2 * time.Second
	x := openInjected(t, ctx, js, ttl)
	for round := range 2 {
		if err := x.AddInjection(ctx, "acme", "ann", "c", Injection{Turn: "1", Ask: "q", Held: []string{"m"}}); err != nil {
			t.Fatal(err)
		}
		info, err := js.Stream(ctx, "KV_"+BucketState)
		if err != nil {
			t.Fatal(err)
		}
		record := func() *jetstream.RawStreamMsg {
			m, err := info.GetLastMsgForSubject(ctx, "$KV."+BucketState+"."+keyInjected("acme", "ann", "c"))
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		first := record()
		if err := x.AddInjection(ctx, "acme", "ann", "c", Injection{Turn: "2", Ask: "q", Held: []string{"n"}}); err != nil {
			t.Fatal(err)
		}
		// The second block is a new message with the whole time before it, and holds both.
		second := record()
		if second.Sequence <= first.Sequence || second.Header.Get(jetstream.MsgTTLHeader) != ttl.String() {
			t.Errorf("round %d: the second block is message %d with ttl %q, after %d", round, second.Sequence, second.Header.Get(jetstream.MsgTTLHeader), first.Sequence)
		}
		if n := strings.Count(string(second.Data), `"t":`); n != 2 {
			t.Errorf("round %d: the record holds %d blocks: %s", round, n, second.Data)
		}
		eventstest.Eventually(t, patience, "the record is gone", func() bool {
			ins, err := x.Injections(ctx, "acme", "ann", "c")
			return err == nil && len(ins) == 0
		})
	}
}

// A block without a question is one more, and leaves those with one alone.
func TestInjectionsWithoutAQuestionAreAllKept(t *testing.T) {
	ctx, _, js := ensured(t)
	x := openInjected(t, ctx, js, time.Hour)
	for _, in := range []Injection{{Turn: "1", Held: []string{"a"}}, {Turn: "1", Held: []string{"b"}}, {Turn: "1", Ask: "q"}, {Turn: "1", Ask: "q", Held: []string{"c"}}} {
		if err := x.AddInjection(ctx, "acme", "ann", "c", in); err != nil {
			t.Fatal(err)
		}
	}
	ins, err := x.Injections(ctx, "acme", "ann", "c")
	if err != nil || len(ins) != 3 || ins[1].Held[0] != "b" || len(ins[2].Held) != 0 {
		t.Errorf("%+v, %v", ins, err)
	}
}

// A lost race is one on a single server and on a replicated stream, however the write was made.
func TestLostRaces(t *testing.T) {
	for code, want := range map[jetstream.ErrorCode]bool{10071: true, 10164: true, 10077: false} {
		if got := lostRace(fmt.Errorf("write: %w", &jetstream.APIError{ErrorCode: code, Code: 400})); got != want {
			t.Errorf("code %d: %t, want %t", code, got, want)
		}
	}
	if lostRace(nil) {
		t.Error("no error is a lost race")
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
