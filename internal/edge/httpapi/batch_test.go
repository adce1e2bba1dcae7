package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// counting counts what it is handed, and what of it is at hand at once.
type counting struct {
	fake
	mu   sync.Mutex
	got  []string
	fail func(n int) error // of the n-th call
	call int
}

func (c *counting) Publish(ctx context.Context, tenant string, raws [][]byte) ([]schema.Accepted, []error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.call++
	acc, errs := c.fake.Publish(ctx, tenant, raws)
	for i, r := range raws {
		if c.fail != nil && c.fail(c.call) != nil {
			errs[i] = c.fail(c.call)
		}
		if errs[i] == nil {
			c.got = append(c.got, string(r))
		}
	}
	return acc, errs
}

func batchOf(t testing.TB, cfg Config, body string) schema.BatchReply {
	t.Helper()
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w := call(h, "POST", "/v1/events", body, "Content-Type", "application/x-ndjson")
	var r schema.BatchReply
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != 202 {
		t.Fatalf("%d %v: %.300s", w.Code, err, w.Body)
	}
	return r
}

// Whatever the lines are, each is accepted with its bytes or rejected by its number, once, in order.
func TestBatchAccountsForEveryLine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := &counting{}
		cfg := edgeOf(&c.fake)
		cfg.Publisher, cfg.MaxTurn, cfg.MaxBatch, cfg.MaxBuffer = c, 20<<10, 8<<20, 1<<20
		n := rapid.IntRange(0, 60).Draw(rt, "lines")
		var body strings.Builder
		var want []string
		bad := map[int]schema.Code{}
		for i := 1; i <= n; i++ {
			end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "end")
			line := ""
			switch rapid.IntRange(0, 5).Draw(rt, "kind") {
			case 0:
				line = rapid.SampledFrom([]string{"", " ", "\t"}).Draw(rt, "blank")
			case 1:
				line = rapid.SampledFrom([]string{`{"user":"u"}`, "x", `{"user":"u","input":"x","z":1}`}).Draw(rt, "bad")
				bad[i] = schema.CodeInvalid
			case 2:
				line = strings.Repeat("y", cfg.MaxTurn+1+rapid.IntRange(0, 40_000).Draw(rt, "over"))
				bad[i] = schema.CodeTooLarge
			default:
				line = fmt.Sprintf(`{"id":"%d-\"\\","user":"u","input":"%s"}`, i, strings.Repeat("é", rapid.IntRange(1, 9_000).Draw(rt, "size")))
				want = append(want, line)
			}
			body.WriteString(line)
			if i < n || rapid.Bool().Draw(rt, "ended") {
				body.WriteString(end)
			}
		}
		r := batchOf(t, cfg, body.String())
		if len(r.Accepted) != len(want) || len(c.got) != len(want) {
			rt.Fatalf("%d of %d good lines are accepted, %d handed on", len(r.Accepted), len(want), len(c.got))
		}
		for i, w := range want {
			if c.got[i] != w {
				rt.Fatalf("line %d is handed on with other bytes", i)
			}
			if turn, _ := schema.Decode[schema.Turn]([]byte(w)); r.Accepted[i].ID != turn.ID || r.Accepted[i].Seq != uint64(i+1) {
				rt.Fatalf("accepted[%d] is %+v", i, r.Accepted[i])
			}
		}
		if len(r.Rejected) != len(bad) {
			rt.Fatalf("rejected %+v, want %v", r.Rejected, bad)
		}
		last := 0
		for _, x := range r.Rejected {
			if bad[x.Line] != x.Error.Code || x.Line <= last {
				rt.Fatalf("rejected %+v, want %v", r.Rejected, bad)
			}
			last = x.Line
		}
	})
}

func TestBatchRepliesAreBounded(t *testing.T) {
	cfg := edgeOf(&fake{})
	cfg.MaxBatch, cfg.MaxBuffer = 32<<20, 64<<20
	r := batchOf(t, cfg, strings.Repeat("x\n", 1_000_000))
	if len(r.Accepted) != 0 || len(r.Rejected) < maxRejected || len(r.Rejected) > maxRejected+pieceLines+1 {
		t.Fatalf("%d accepted, %d rejected", len(r.Accepted), len(r.Rejected))
	}
	if last := r.Rejected[len(r.Rejected)-1]; last.Error.Code != schema.CodeTooLarge || last.Line != len(r.Rejected) {
		t.Errorf("the last one is %+v of %d", last, len(r.Rejected))
	}
	// Many good ones: up to the most lines of a batch.
	line := `{"user":"u","input":"x"}` + "\n"
	r = batchOf(t, cfg, strings.Repeat(line, maxLines+5))
	if len(r.Accepted) != maxLines || len(r.Rejected) != 1 || r.Rejected[0].Line != maxLines+1 {
		t.Errorf("%d accepted, rejected %+v", len(r.Accepted), r.Rejected)
	}
	if r = batchOf(t, cfg, strings.Repeat(line, maxLines)); len(r.Accepted) != maxLines || len(r.Rejected) != 0 {
		t.Errorf("%d accepted of exactly the most, rejected %+v", len(r.Accepted), r.Rejected)
	}
}

// A port that takes no more in the middle ends nothing that was accepted, and every line is answered.
func TestBatchGoesOnWherePiecesFail(t *testing.T) {
	c := &counting{fail: func(n int) error {
		if n == 2 {
			return schema.Retryable(schema.CodeOverloaded, 0, nil, "full")
		}
		return nil
	}}
	cfg := edgeOf(&c.fake)
	cfg.Publisher = c
	r := batchOf(t, cfg, strings.Repeat(`{"user":"u","input":"x"}`+"\n", 3*pieceLines))
	if len(r.Accepted) != 2*pieceLines || len(r.Rejected) != pieceLines {
		t.Fatalf("%d accepted, %d rejected", len(r.Accepted), len(r.Rejected))
	}
}

// All memory that bodies took is given back, whatever became of them.
func TestBodiesGiveTheirMemoryBack(t *testing.T) {
	c := &counting{fail: func(n int) error {
		if n%3 == 0 {
			return schema.Retryable(schema.CodeUnavailable, 0, nil, "down")
		}
		return nil
	}}
	cfg := edgeOf(&c.fake)
	cfg.Publisher, cfg.MaxTurn, cfg.MaxBatch, cfg.MaxBuffer, cfg.MaxOpen = c, 3<<20, 16<<20, 12<<20, 64
	srv, err := newServer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := srv.root(routes)
	big := []byte(`{"user":"u","input":"` + strings.Repeat("b", 2<<20) + `"}` + "\n")
	small := bytes.Repeat([]byte(`{"user":"u","input":"x"}`+"\n"), 3000)
	bodies := []string{string(big), string(small), string(big) + string(small) + string(big), strings.Repeat("z", 4<<20), "", string(small[:100])}
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			ct := []string{"application/json", "application/x-ndjson"}[i%2]
			if w := call(h, "POST", "/v1/events", bodies[i%len(bodies)], "Content-Type", ct); w.Code >= 500 && w.Code != 503 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	wg.Wait()
	s := srv.bounds
	if len(s.open) != 0 || len(s.work) != 0 || len(s.bytes.big) != 0 || !s.bytes.small.TryAcquire(int64(12<<20-2*(3<<20))) {
		t.Errorf("open %d, work %d, big %d, or bytes are held", len(s.open), len(s.work), len(s.bytes.big))
	}
}
