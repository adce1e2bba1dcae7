package app

import (
	"context"
	"fmt"
	"time"

	"github.com/siltstone-ai/siltstone/internal/decide"
	"github.com/siltstone-ai/siltstone/internal/distill"
	"github.com/siltstone-ai/siltstone/internal/embed"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Pairs tells which of two memories, written by one user one after the other, is kept as a duplicate, as decide would
// decide it. Nothing runs and nothing is kept. Safe for concurrent use.
type Pairs struct{ table *embed.Table }

// NewPairs opens the dictionaries and the built-in table.
func NewPairs() (*Pairs, error) {
	if _, err := text.Open(text.Config{}); err != nil {
		return nil, fmt.Errorf("open dictionaries: %w", err)
	}
	t, err := embed.NewTable()
	if err != nil {
		return nil, err
	}
	return &Pairs{t}, nil
}

// Merged reports whether of two memories that say a and b one is a duplicate.
func (p *Pairs) Merged(a, b string) bool {
	ms := make([]schema.Memory, 2)
	for i, s := range [...]string{a, b} {
		ms[i] = distill.Complete(schema.Memory{
			ID: string(rune('a' + i)), Tenant: "eval", User: "u", Type: schema.TypeFact, Content: s, Rule: schema.RuleOutright + string(schema.OpMemory),
			ObservedAt: time.Unix(int64(i), 0).UTC(), Source: schema.Source{Class: schema.ClassUser, Seq: uint64(i + 1)},
		})
	}
	for _, m := range decide.Settle(ms) {
		if m.Status == schema.StatusDuplicate {
			return true
		}
	}
	return false
}

// Cosine is how near a and b are by the built-in table.
func (p *Pairs) Cosine(a, b string) (float64, error) {
	vs, err := p.table.Embed(context.Background(), []string{a, b}, schema.EmbedPassage)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, x := range vs[0] { // both of length 1
		sum += float64(x) * float64(vs[1][i])
	}
	return sum, nil
}
