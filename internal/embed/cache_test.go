package embed_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/siltstone-ai/siltstone/internal/embed"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// picky refuses a call for good where one of its texts is "poison", once it may answer.
type picky struct {
	gate  chan struct{}
	mu    sync.Mutex
	calls int
	err   error
}

func (p *picky) Dim() int      { return 1 }
func (p *picky) Model() string { return "picky" }

func (p *picky) Embed(_ context.Context, texts []string, _ schema.EmbedKind) ([][]float32, error) {
	p.mu.Lock()
	p.calls++
	p.mu.Unlock()
	<-p.gate
	if slices.Contains(texts, "poison") {
		return nil, p.err
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = []float32{float32(len(t))}
	}
	return out, nil
}

// A call that is refused for one of its texts says nothing of the others: whoever wants one of those, too, embeds it
// itself. An outage is everybody's, and is not asked about again by all who wait.
func TestCacheSharesNoRefusal(t *testing.T) {
	for _, c := range []struct {
		err     error
		refused bool // the one who shares a text as well
		calls   int
	}{
		{schema.Permanent(schema.CodeInvalid, nil, "refused with 400"), false, 3},
		{schema.Retryable(schema.CodeUnavailable, 0, nil, "down"), true, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			in := &picky{gate: make(chan struct{}), err: c.err}
			cache := embed.NewCache(in, 1<<20)
			var wg sync.WaitGroup
			wg.Go(func() {
				if _, err := cache.Embed(t.Context(), []string{"poison", "Noted."}, schema.EmbedPassage); schema.CodeOf(err) != schema.CodeOf(c.err) {
					t.Errorf("the poisoned call got %v", err)
				}
			})
			synctest.Wait()
			wg.Go(func() {
				got, err := cache.Embed(t.Context(), []string{"fine", "Noted."}, schema.EmbedPassage)
				switch {
				case c.refused && schema.CodeOf(err) != schema.CodeOf(c.err):
					t.Errorf("in an outage the other got %v", err)
				case !c.refused && (err != nil || got[0][0] != 4 || got[1][0] != 6):
					t.Errorf("the other got %v, %v", got, err)
				}
			})
			synctest.Wait()
			close(in.gate)
			wg.Wait()
			if in.calls != c.calls {
				t.Errorf("%d calls, want %d", in.calls, c.calls)
			}
		})
	}
}
