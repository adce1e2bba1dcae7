package retrieve

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// apart puts questions and statements at fixed cosines: one within a language, another across.
type apart struct {
	same, cross float64
	short       bool
}

func (a apart) Embed(_ context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error) {
	var out [][]float32
	for _, s := range texts {
		v := make([]float32, 4)
		own, other := 0, 1
		if text.Lang(s) == "zh" {
			own, other = 1, 0
		}
		if kind == schema.EmbedQuery {
			v[own] = 1
		} else {
			v[own], v[other] = float32(a.same), float32(a.cross)
		}
		out = append(out, v)
	}
	if a.short {
		out = out[1:]
	}
	return out, nil
}

func TestCalibrateMeasuresWhereUnrelatedTextsLie(t *testing.T) {
	cfg := rank.Defaults()
	if err := Calibrate(t.Context(), apart{same: .75, cross: .5}, &cfg); err != nil {
		t.Fatal(err)
	}
	if math.Abs(cfg.Dense.Mean-.75) > 1e-6 || math.Abs(cfg.CrossMean-.5) > 1e-6 || cfg.Dense.Dev != 1e-3 {
		t.Errorf("mean %v, across %v, deviation %v", cfg.Dense.Mean, cfg.CrossMean, cfg.Dense.Dev)
	}
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
	if err := Calibrate(t.Context(), apart{short: true}, &cfg); err == nil {
		t.Error("an embedder that gives too few vectors is believed")
	}
	w := newWorld(t)
	w.store.embedErr = errors.New("down")
	before := rank.Defaults()
	if err := Calibrate(t.Context(), w.store, &before); err == nil || before.Dense.Mean != rank.Defaults().Dense.Mean {
		t.Error("a server that is down is no measure")
	}
}

// TestCalibrateKnowsTheTable: the defaults are what is measured of the built-in table.
func TestCalibrateKnowsTheTable(t *testing.T) {
	w := newWorld(t)
	got, want := rank.Defaults(), rank.Defaults()
	if err := Calibrate(t.Context(), w.store, &got); err != nil {
		t.Fatal(err)
	}
	t.Logf("mean %.3f, deviation %.3f, across %.3f", got.Dense.Mean, got.Dense.Dev, got.CrossMean)
	if math.Abs(got.Dense.Mean-want.Dense.Mean) > .1 || math.Abs(got.CrossMean-want.CrossMean) > .1 || got.Dense.Dev < want.Dense.Dev/2 || got.Dense.Dev > 2*want.Dense.Dev {
		t.Errorf("measured mean %.3f, deviation %.3f, across %.3f", got.Dense.Mean, got.Dense.Dev, got.CrossMean)
	}
}
