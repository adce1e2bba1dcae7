package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// limit is the time that a reply may take: the time limit of a query, and some for the way there. What a busy machine adds
// to it is looked at meanwhile.
const limit = 5*time.Second + 1500*time.Millisecond

// world is a process over servers of its own that can be killed, with memories of ann's and of wang's, and what is
// answered while all is well.
type world struct {
	t        *testing.T
	c        *stacktest.Tenant
	lag      *stacktest.Lag
	embedder *stacktest.Embedder
	vectors  *stacktest.Server
	redis    *stacktest.Server

	questions []schema.Query
	whole     []string // the answer to each
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, redis: stacktest.RedisServer(t), vectors: stacktest.VectorServer(t), embedder: stacktest.NewEmbedder(t)}
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Qdrant.Addr, cfg.Qdrant.Listen = w.vectors.Addr, ""
	cfg.Redis.URL, cfg.Redis.Listen = "redis://"+w.redis.Addr, ""
	cfg.Embed.URL, cfg.Embed.Model, cfg.Embed.Dim, cfg.Embed.Timeout = w.embedder.URL, "test", stacktest.Dim, time.Second
	cfg.Pipeline.AckWait = 2 * time.Second
	w.c = stacktest.Up(t, cfg).As(t, "outages")
	w.lag = stacktest.NewLag(t, w.c.Stack.URL)

	wang := func(id, in string) schema.Turn {
		x := turn(id, in)
		x.User, x.Conversation = "wang", "c-2"
		return x
	}
	w.c.Put(turn("rule", "Never deploy on Fridays."), turn("like", "I prefer charts over tables."), turn("cello", "My cello was built in Cremona."),
		wang("zh-rule", "绝对不要在周五发布。"), wang("zh-home", "我现在住在成都。"))
	for _, q := range []schema.Query{{User: "ann", Query: "Where was the cello built?"}, {User: "ann", Query: "May I deploy?"}, {User: "wang", Query: "我住在哪里？"}} {
		q.Now, q.Limit = day, 20
		w.questions = append(w.questions, q)
	}
	var replies []schema.Reply
	for i := range w.questions {
		r := w.c.Ask(w.questions[i])
		replies = append(replies, r)
		if len(r.Degraded) > 0 || len(r.Items) == 0 {
			t.Fatalf("all is well, and the reply is degraded %v with %d items", r.Degraded, len(r.Items))
		}
		w.whole = append(w.whole, written(t, r))
	}
	if bad := lacks(replies[0], replies[2]); bad != "" {
		t.Fatal("all is well, but ", bad)
	}
	return w
}

// written is all of a reply but how long it took.
func written(t testing.TB, r schema.Reply) string {
	r.TookMS = 0
	b, err := json.Marshal(r)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

// wellAgain waits until every question is answered as before, with nothing degraded.
func (w *world) wellAgain(what string) {
	w.t.Helper()
	for i := range w.questions {
		stacktest.Eventually(w.t, "answers as before after "+what, func() error {
			r, err := w.c.Query(w.t.Context(), w.questions[i])
			if err != nil {
				return err
			}
			if got := written(w.t, r); got != w.whole[i] {
				return fmt.Errorf("degraded %v:\n%s\nwas\n%s", r.Degraded, got, w.whole[i])
			}
			return nil
		})
	}
}

// cachedAgain waits until Redis holds, for both users, what stands and what was remembered lately.
func (w *world) cachedAgain() {
	w.t.Helper()
	stacktest.Eventually(w.t, "Redis to be filled again", func() error {
		es, err := w.redis.Cached()
		if err != nil {
			return err
		}
		for _, x := range []struct{ kind, text string }{{":standing:", "Fridays"}, {":standing:", "周五发布"}, {":recent-items:", "Cremona"}, {":recent-items:", "成都"}} {
			if !slices.ContainsFunc(es, func(e stacktest.Entry) bool {
				return strings.Contains(e.Where, x.kind) && strings.Contains(e.Text, x.text)
			}) {
				return fmt.Errorf("%q is in no key of the kind %s", x.text, x.kind)
			}
		}
		return nil
	})
}

// load is what goes on meanwhile: somebody publishes, others ask.
type load struct {
	published, asked, degraded atomic.Int64
	stop                       func()
}

// begin publishes and asks until stop. Every reply must come in time, and be the one of before or say what it lacks; every turn must be
// accepted.
func (w *world) begin() *load {
	l := &load{}
	ctx, cancel := context.WithCancel(w.t.Context())
	var wg sync.WaitGroup
	l.stop = func() { cancel(); wg.Wait() }
	w.t.Cleanup(l.stop)
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			x := turn(fmt.Sprint("load-", i), fmt.Sprintf("The crane number %d stands in yard %d. 起重机在第%d个院子里。", i, i%17, i%17))
			x.User, x.Conversation = fmt.Sprint("user-", i%5), ""
			if _, err := w.c.Publish(ctx, x); err != nil && ctx.Err() == nil {
				w.t.Errorf("publish: %v", err)
			} else if err == nil {
				l.published.Add(1)
			}
			select {
			case <-time.After(30 * time.Millisecond): // a pace, not a wait for something
			case <-ctx.Done():
			}
		}
	})
	for n := range w.questions {
		wg.Go(func() {
			for ctx.Err() == nil {
				start := time.Now()
				r, err := w.c.Query(ctx, w.questions[n])
				switch took := time.Since(start); {
				case ctx.Err() != nil:
					return
				case err != nil:
					w.t.Errorf("query: %v", err)
				case took > limit+w.lag.Since(start):
					w.t.Errorf("a reply took %s, where the machine adds %s", took, w.lag.Since(start))
				case len(r.Degraded) > 0:
					l.degraded.Add(1)
				case written(w.t, r) != w.whole[n]:
					w.t.Errorf("a reply is another one and does not say that it is degraded:\n%s\nwas\n%s", written(w.t, r), w.whole[n])
				}
				l.asked.Add(1)
			}
		})
	}
	return l
}

// Servers that can go away.
const (
	noEmbedder = 1 << iota
	noVectors
	noRedis
)

func (w *world) each(down int, act func(bit int)) {
	for _, bit := range []int{noEmbedder, noVectors, noRedis} {
		if down&bit != 0 {
			act(bit)
		}
	}
}

func (w *world) kill(bit int) {
	switch bit {
	case noEmbedder:
		w.embedder.Stop()
	case noVectors:
		w.vectors.Kill()
	case noRedis:
		w.redis.Kill()
	}
}

func (w *world) revive(bit int) {
	switch bit {
	case noEmbedder:
		w.embedder.Start()
	case noVectors:
		w.vectors.Start()
	case noRedis:
		w.redis.Start()
	}
}

// TestD1D11_ServersGoAndComeBackUnderLoad kills the embedder, the vector server and Redis, alone and together, while
// turns are published and questions asked.
func TestD1D11_ServersGoAndComeBackUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	w := newWorld(t)
	l := w.begin()
	for _, x := range []struct {
		name  string
		down  int
		marks []string                                  // that must be among what is degraded
		holds func(ann, wang schema.Reply) (bad string) // "" where the replies hold what they must
	}{
		{"the embedder", noEmbedder, []string{"embedder"}, func(ann, wang schema.Reply) string { // words find it, and all else is there
			return lacks(ann, wang)
		}},
		{"the vector server", noVectors, []string{"vectors"}, func(ann, wang schema.Reply) string { // pins, and recent memories
			return lacks(ann, wang)
		}},
		{"Redis", noRedis, nil, func(ann, wang schema.Reply) string { // pins come from the vector server: nothing is missing
			if got := written(t, ann); got != w.whole[0] {
				return "ann's answer is\n" + got + "\nwas\n" + w.whole[0]
			}
			return lacks(ann, wang)
		}},
		{"the embedder and the vector server", noEmbedder | noVectors, []string{"vectors"}, func(ann, wang schema.Reply) string {
			return lacks(ann, wang)
		}},
		{"the embedder and Redis", noEmbedder | noRedis, []string{"embedder"}, func(ann, wang schema.Reply) string {
			return lacks(ann, wang)
		}},
		{"the vector server and Redis", noVectors | noRedis, []string{"vectors", "pins"}, nothing},
		{"all three", noEmbedder | noVectors | noRedis, []string{"vectors", "pins"}, nothing},
	} {
		t.Log("without", x.name)
		w.each(x.down, w.kill)
		stacktest.Eventually(t, "the replies without "+x.name, func() error {
			var got [2]schema.Reply
			for i, n := range []int{0, 2} {
				q := w.questions[n]
				if x.down&noEmbedder != 0 {
					q.Query += " " + x.name // the vectors of what was asked before are kept
				}
				start := time.Now()
				r, err := w.c.Query(t.Context(), q)
				if took, lag := time.Since(start), w.lag.Since(start); took > limit+lag {
					t.Errorf("without %s: took %s, where the machine adds %s", x.name, took, lag)
				}
				if err != nil {
					return err
				}
				for _, m := range x.marks {
					if !slices.Contains(r.Degraded, m) {
						return fmt.Errorf("degraded is %v, without %s", r.Degraded, m)
					}
				}
				if r.Hint != "" && len(r.Degraded) > 0 {
					t.Errorf("without %s: a search that failed says %q", x.name, r.Hint)
				}
				got[i] = r
			}
			if bad := x.holds(got[0], got[1]); bad != "" {
				return errors.New(bad)
			}
			return nil
		})
		w.each(x.down, w.revive)
		w.wellAgain("without " + x.name)
		w.cachedAgain() // by itself: the next outage finds it there
	}
	w.emptied(l)
	l.stop()
	ledger := w.c.Settle().Ledger
	stacktest.Balanced(t, ledger)
	if want := uint64(l.published.Load()) + 5; ledger.Dead > 0 || ledger.Accepted < want || ledger.Indexed+ledger.Duplicate != ledger.Accepted {
		t.Errorf("%d turns were accepted, the ledger is %+v", want, ledger)
	}
	w.wellAgain("it all")
	t.Logf("%d turns accepted and indexed, %d questions asked meanwhile, %d of the replies said that they were degraded", l.published.Load(), l.asked.Load(), l.degraded.Load())
	if l.degraded.Load() == 0 || l.published.Load() < 50 {
		t.Error("there was no load to speak of, or no outage")
	}
}

// emptied empties Redis again and again while questions are under way, which must not show; and it looks what Redis was
// asked by what runs all the time.
func (w *world) emptied(l *load) {
	w.t.Helper()
	if err := w.redis.CountCalls(); err != nil {
		w.t.Fatal(err)
	}
	before := l.degraded.Load()
	for range 25 {
		if err := w.redis.Flush(); err != nil {
			w.t.Fatal(err)
		}
		seen := l.asked.Load()
		stacktest.Eventually(w.t, "a question after Redis was emptied", func() error {
			if l.asked.Load() < seen+2 {
				return errors.New("none was answered")
			}
			return nil
		})
	}
	if n := l.degraded.Load() - before; n > 0 {
		w.t.Errorf("%d replies are degraded because Redis was emptied", n)
	}
	calls, err := w.redis.Calls()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range []string{"scan", "keys", "hscan", "sscan", "zscan", "smembers"} {
		if calls[c] > 0 {
			w.t.Errorf("%s was called %d times while questions were answered and turns indexed", c, calls[c])
		}
	}
	if calls["hmget"] == 0 || calls["flushall"] != 25 {
		w.t.Errorf("the server counts no calls: %v", calls)
	}
	w.cachedAgain()
}

// lacks says what ann's and wang's replies lack of what they must hold.
func lacks(ann, wang schema.Reply) string {
	for _, x := range []struct {
		r           schema.Reply
		rule, found string
	}{{ann, "Fridays", "Cremona"}, {wang, "周五发布", "成都"}} {
		if !strings.Contains(x.r.Block, x.rule) {
			return fmt.Sprintf("%q is not in the block (degraded %v):\n%s", x.rule, x.r.Degraded, x.r.Block)
		}
		if _, ok := stacktest.Find(x.r.Items, x.found); !ok {
			return fmt.Sprintf("%q is not among %d items (degraded %v)", x.found, len(x.r.Items), x.r.Degraded)
		}
	}
	return ""
}

// nothing says what stands in replies that must be empty.
func nothing(ann, wang schema.Reply) string {
	if len(ann.Items)+len(wang.Items) > 0 || ann.Block+wang.Block != "" {
		return fmt.Sprintf("%d and %d items, blocks\n%s\n%s", len(ann.Items), len(wang.Items), ann.Block, wang.Block)
	}
	return ""
}
