package retrieve

import (
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Archiving does not change whether a turn goes with its facts: the length of what was said decides, as it did before.
func TestA9_AnArchivedTurnIsSupersededWhereTheTurnWas(t *testing.T) {
	for name, x := range map[string]struct {
		said  int64 // characters of the input
		shown bool
	}{"a page of which a sentence was read": {2000, true}, "a sentence": {40, false}, "nothing but a tool's output": {0, false}} {
		w := newWorld(t)
		w.turn("e-x", user, "c1", "2026-03-01T10:00:00Z", schema.Segment{
			Key: "archive", Kind: schema.SegArchive, Class: schema.ClassUser, Text: "The storage unit is B-14, says a document of some length.\n" + strings.Repeat("unit, ", 40),
		})
		w.store.points[schema.Events][schema.EventUUID(tenant, "e-x")].Payload[schema.KeySegments].([]map[string]any)[0][schema.KeySaid] = x.said
		now := w.fact("y", schema.TypeFact, "storage unit is C-3")
		w.fact("x", schema.TypeFact, "storage unit is B-14", func(m *schema.Memory) { m.Status, m.SupersededBy = schema.StatusSuperseded, now.ID })
		got := contents(w.query(schema.Query{Query: "storage unit"}).Items)
		if strings.Contains(got, "says a document") != x.shown {
			t.Errorf("%s: shown are %s", name, got)
		}
	}
}
