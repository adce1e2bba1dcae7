package upkeep

import (
	"context"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

type entries map[schema.Op]uint64

func (e entries) Count(_ context.Context, _ string, op schema.Op) (uint64, error) { return e[op], nil }

type letters map[string]uint64

func (l letters) CountByStage(context.Context, string) (map[string]uint64, error) { return l, nil }

// An event of several parts is dropped by what says most.
func TestB2_APolicyIsNamedBeforeALack(t *testing.T) {
	for want, parts := range map[string][]string{"no_memory": {"empty", "no_memory"}, "not_ingested": {"aborted", "not_ingested", "empty"}, "empty": {"something new"}} {
		var ds []map[string]any
		for _, p := range parts {
			ds = append(ds, map[string]any{"reason": p})
		}
		if got := DroppedBy(ds); got != want {
			t.Errorf("%v: dropped by %q, want %q", parts, got, want)
		}
	}
}

func TestB2_LedgerAddsUp(t *testing.T) {
	m := sample()
	put := func(id string, o schema.Outcome) {
		m.points[schema.Events][id] = map[string]any{schema.KeyTenant: "acme", schema.KeyOutcome: string(o)}
	}
	put("1", schema.OutcomeDropped)
	put("2", schema.OutcomeDead)
	put("3", schema.OutcomeConflict)
	put("4", schema.OutcomeDuplicate)
	put("5", schema.OutcomeForgotten)
	put("6", schema.OutcomeOpen) // no stage has settled it
	m.points[schema.Events]["7"] = map[string]any{schema.KeyTenant: "else", schema.KeyOutcome: string(schema.OutcomeDead)}
	l, why, err := Ledger(t.Context(), m, entries{schema.OpTurn: 11, schema.OpPin: 1}, letters{"vectorize": 1}, 1, "acme", []string{"clean"})
	if err != nil {
		t.Fatal(err)
	}
	want := schema.Ledger{Accepted: 12, Indexed: 4, Duplicate: 2, Dropped: 1, Dead: 1, Forgotten: 1, Pending: 3}
	if l != want {
		t.Errorf("ledger %+v, want %+v", l, want)
	}
	if why.Conflict != 1 || why.Dead["vectorize"] != 1 || len(why.Dropped) != 1 || why.Dropped[ReasonEmpty] != 1 {
		t.Errorf("reasons %+v", why)
	}
}
