// Package embeddertest checks the promises that every embedder makes. A new provider's test calls [Run].
package embeddertest

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/embed"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Texts is what hostile and ordinary input looks like.
var Texts = []string{
	"The cat sat on the mat.", "猫坐在垫子上。", "", " ", "!!!", "🙂🙂", "\x00", "\xff\xfe broken", "a",
	"在/srv/scripts/deploy.py 里把 port 改成 8317", strings.Repeat("长文本 long text ", 2000), "的", "the",
}

// Run checks e: dimension, finite numbers, unit length, a batch gives what single calls give, order, no texts, an
// ended context, and concurrent use (with -race).
func Run(t *testing.T, e embed.Embedder) {
	t.Helper()
	t.Run("unit vectors", func(t *testing.T) {
		vs := must(t, e, Texts)
		for i, v := range vs {
			if len(v) != e.Dim() {
				t.Fatalf("text %d: %d dimensions instead of %d", i, len(v), e.Dim())
			}
			n := 0.0
			for _, x := range v {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					t.Fatalf("text %d: %v is not finite", i, x)
				}
				n += float64(x) * float64(x)
			}
			if math.Abs(n-1) > 1e-5 {
				t.Errorf("text %d: length² %v instead of 1", i, n)
			}
		}
	})
	t.Run("batch is single", func(t *testing.T) {
		vs := must(t, e, Texts)
		for i, s := range Texts {
			if c := cosine(vs[i], must(t, e, []string{s})[0]); c < 1-1e-5 {
				t.Errorf("text %d: alone it has cosine %v to itself in a batch", i, c)
			}
		}
		if c := cosine(vs[0], vs[1]); c > 0.999 {
			t.Errorf("two different texts have cosine %v", c)
		}
	})
	t.Run("none", func(t *testing.T) {
		if vs, err := e.Embed(t.Context(), nil, schema.EmbedQuery); err != nil || len(vs) != 0 {
			t.Errorf("no texts gave %d vectors, %v", len(vs), err)
		}
	})
	t.Run("ended context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := e.Embed(ctx, []string{"never seen before"}, schema.EmbedPassage)
		if !errors.Is(err, context.Canceled) || schema.IsPermanent(err) {
			t.Errorf("error %v, want one that is context.Canceled and not permanent", err)
		}
	})
	t.Run("concurrent", func(t *testing.T) {
		want := must(t, e, Texts)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				vs, err := e.Embed(t.Context(), Texts, schema.EmbedPassage)
				if err != nil {
					t.Error(err)
					return
				}
				for i := range vs {
					if cosine(vs[i], want[i]) < 1-1e-5 {
						t.Errorf("text %d differs", i)
					}
					vs[i][0] = 42 // ours to change
				}
			})
		}
		wg.Wait()
	})
	if e.Model() == "" {
		t.Error("the model has no name")
	}
}

func must(t *testing.T, e embed.Embedder, texts []string) [][]float32 {
	t.Helper()
	vs, err := e.Embed(t.Context(), texts, schema.EmbedPassage)
	if err != nil {
		t.Fatal(err)
	}
	if len(vs) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(vs), len(texts))
	}
	return vs
}

func cosine(a, b []float32) float64 {
	s := 0.0
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}
