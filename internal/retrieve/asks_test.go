package retrieve

import (
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A turn that holds its answer is not one that asks, however its reply closes; nor does it give to the turn after it.
func TestAsks_OnlyWhatIsNotAnsweredInItself(t *testing.T) {
	for _, tc := range []struct {
		name, query string
		asks        bool
		segs        []schema.Segment
	}{
		{"a question alone", "harbour crane", true, []schema.Segment{said("Who repaired the harbour crane?")}},
		{"a question alone zh", "港口吊车", true, []schema.Segment{said("港口的吊车是谁修的？")}},
		{"answered, closed politely", "harbour crane", false, []schema.Segment{said("Who repaired the harbour crane?"), replied("Ana repaired the harbour crane in May. Anything else?")}},
		{"answered, closed politely zh", "港口吊车", false, []schema.Segment{said("港口的吊车是谁修的？"), replied("港口的吊车五月由小陈修好了。还需要我帮您做什么吗？")}},
		{"told, asked back", "harbour crane", false, []schema.Segment{said("Ana repaired the harbour crane."), replied("Good to know. Shall I note the date?")}},
		{"told, asked back zh", "港口吊车", false, []schema.Segment{said("港口的吊车小陈修好了。"), replied("好的，需要我记下日期吗？")}},
		{"looked up by a tool", "harbour crane", false, []schema.Segment{said("Who repaired the harbour crane?"), printed("tool:0", "jobs", "harbour crane repaired by Ana")}},
		{"looked up by a tool zh", "港口吊车", false, []schema.Segment{said("港口的吊车是谁修的？"), printed("tool:0", "jobs", "港口吊车 维修 小陈")}},
		{"a reply alone", "harbour crane", false, []schema.Segment{replied("The harbour crane was repaired. Anything else?")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.turn("a", user, "c1", "2026-05-01T09:00:00Z", tc.segs...)
			w.turn("b", user, "c1", "2026-05-01T09:01:00Z", said("The weather was fine. 天气很好。"))
			r := w.query(schema.Query{Query: tc.query, Explain: true, Limit: 5})
			if len(r.Items) != 2 {
				t.Fatalf("items: %s", contents(r.Items))
			}
			for _, it := range r.Items {
				parts := it.Explain.Parts
				switch it.Source.Event {
				case "a":
					if (parts["asks"] < 0) != tc.asks {
						t.Errorf("asks %v: %v", tc.asks, parts)
					}
				case "b":
					if (parts["answers"] > 0) != tc.asks {
						t.Errorf("the next turn, asks %v: %v", tc.asks, parts)
					}
				}
			}
		})
	}
}
