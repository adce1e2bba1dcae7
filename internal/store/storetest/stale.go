package storetest

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/internal/store/redis"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// breaker is a dialer that can cut the line between one process and the server.
type breaker struct {
	dial func(ctx context.Context, network, addr string) (net.Conn, error)

	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func (b *breaker) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cut {
		return nil, errors.New("the line is cut")
	}
	c, err := b.dial(ctx, network, addr)
	if err == nil {
		b.conns = append(b.conns, c)
	}
	return c, err
}

func (b *breaker) set(cut bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cut = cut; cut {
		for _, c := range b.conns {
			_ = c.Close()
		}
		b.conns = nil
	}
}

// process is one Siltstone process with its line to the server.
type process struct {
	store *redis.Store
	line  *breaker
}

func newProcess(t interface{ Fatal(...any) }, o redis.Options) process {
	var line breaker
	if line.dial = o.Dial; o.Dial == nil {
		line.dial = (&net.Dialer{Timeout: time.Second}).DialContext
	}
	o.Dial, o.Rest, o.Timeout = line.Dial, time.Nanosecond, 2*time.Second
	s, err := redis.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return process{s, &line}
}

// testStale runs readers and writers of two processes step by step in drawn orders: asking the cache, reading the
// truth, filling, changing the truth, invalidating, with lines cut and the server emptied in between. Whatever the
// order, once an invalidation was made nobody is served what was true before it; and while one could not be made,
// its own process is not.
func testStale(t *testing.T, srv CacheServer) {
	rapid.Check(t, func(t *rapid.T) {
		ps := [2]process{newProcess(t, srv.Options), newProcess(t, srv.Options)}
		defer func() {
			for _, p := range ps {
				_ = p.store.Close()
			}
		}()
		ctx := context.Background()
		own := schema.Owner("stale", strconv.FormatInt(time.Now().UnixNano(), 36))

		truth := 0         // what the vector store holds
		var due [2]int     // what each process has asked to be invalidated: nothing older may be served by it
		type read struct { // a reader between asking and filling
			process int
			ver     string
			value   int // -1 until the truth was read
		}
		var readers []*read
		check := func(p int) {
			mems, hit, ver, err := ps[p].store.Standing(ctx, cacheGen, own)
			if err != nil {
				return // the line is cut: nothing is served
			}
			if !hit {
				if len(readers) < 4 && ver != "" {
					readers = append(readers, &read{p, ver, -1})
				}
				return
			}
			got, _ := strconv.Atoi(mems[0].Content)
			floor := due[p]
			if other := 1 - p; pendingOf(ps[other]) == 0 {
				floor = max(floor, due[other])
			}
			if got < floor {
				t.Fatalf("process %d was served the truth of %d, invalidated at %d", p, got, floor)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"ask": func(t *rapid.T) { check(rapid.IntRange(0, 1).Draw(t, "process")) },
			"read": func(t *rapid.T) {
				if len(readers) == 0 {
					t.Skip()
				}
				readers[rapid.IntRange(0, len(readers)-1).Draw(t, "reader")].value = truth
			},
			"fill": func(t *rapid.T) {
				if len(readers) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(readers)-1).Draw(t, "reader")
				r := readers[i]
				if r.value < 0 {
					t.Skip()
				}
				_ = ps[r.process].store.FillStanding(ctx, cacheGen, own, r.ver, []schema.Memory{{Content: strconv.Itoa(r.value)}})
				if rapid.Bool().Draw(t, "done") { // else it fills once more later, as a repeated command does
					readers = append(readers[:i], readers[i+1:]...)
				}
			},
			"write": func(t *rapid.T) { truth++ },
			"invalidate": func(t *rapid.T) {
				p := rapid.IntRange(0, 1).Draw(t, "process")
				due[p] = truth
				_ = ps[p].store.InvalidateStanding(ctx, cacheGen, own)
			},
			"cut or mend": func(t *rapid.T) {
				ps[rapid.IntRange(0, 1).Draw(t, "process")].line.set(rapid.Bool().Draw(t, "cut"))
			},
			"empty": func(t *rapid.T) { _ = ps[rapid.IntRange(0, 1).Draw(t, "process")].store.DropGeneration(ctx, cacheGen) },
			"void": func(t *rapid.T) { // a writer begins, and makes void what was cached before
				o := srv.Options
				o.Fresh = true
				p := newProcess(t, o)
				defer p.store.Close()
				if _, hit, _, err := p.store.Standing(ctx, cacheGen, own); err != nil || hit {
					t.Fatalf("a fresh process: hit %v, %v", hit, err)
				}
			},
			"": func(t *rapid.T) { check(0); check(1) },
		})
	})
}

func pendingOf(p process) int {
	n, all := p.store.Pending()
	if all {
		n++
	}
	return n
}
