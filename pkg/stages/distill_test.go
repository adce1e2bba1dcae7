package stages

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func distillEvent(t *testing.T, segs ...schema.Segment) (schema.Event, schema.Result) {
	t.Helper()
	body, err := json.Marshal(schema.Cleaned{Conversation: "c1", Segments: segs})
	if err != nil {
		t.Fatal(err)
	}
	ev := schema.Event{Envelope: schema.Envelope{Version: schema.Version, Op: schema.OpCleaned, Tenant: "t", User: "u", ID: "e", UUID: schema.EventUUID("t", "e"), At: day0, Seq: 7}, Body: body}
	res, err := runDistill(t.Context(), ev)
	if err != nil {
		t.Fatal(err)
	}
	return ev, res
}

func TestDistill_PublishesFactsAndWritesTriples(t *testing.T) {
	ev, res := distillEvent(t, userSays("I live in Porto. My sister Ana works at Borealis."),
		schema.Segment{Key: "tool.0", Kind: schema.SegTool, Tool: "cfg", Class: schema.ClassTool, Text: "[source: cfg] server_port = 8080\n"})
	if !res.Done || len(res.Events) != 1 || res.Events[0].Op != schema.OpFact || res.Events[0].Class != schema.ClassTool {
		t.Fatalf("%+v", res.Events)
	}
	c, err := schema.DecodeStored[schema.Candidates](schema.OpFact, schema.Version, res.Events[0].Body)
	if err != nil || len(c.Facts) != 4 { // what she is called, too
		t.Fatalf("%v, %+v", err, c)
	}
	for _, f := range c.Facts {
		if f.ID != "" || f.Status != "" || f.Source.UUID != ev.UUID || f.Conversation != "c1" || f.Group == "" || f.ContentHash == "" {
			t.Errorf("%+v", f)
		}
	}
	ids := map[string]bool{}
	state := false
	for _, w := range res.Writes {
		switch w.Collection {
		case schema.Triples:
			tr := schema.TripleFrom(w.Point.ID, w.Point.Payload)
			if ids[w.Point.ID] || tr.Sentence == "" || tr.Source.Seg == "" || w.Point.Sparse == nil || w.Owner != schema.Owner("t", "u") {
				t.Errorf("%+v", w)
			}
			ids[w.Point.ID] = true
		case schema.Events:
			state = w.Kind == schema.WriteSetPayload && w.Payload["facts"] == int64(4) && w.Payload["done_decide"] == nil
		}
	}
	if len(ids) < 3 || !state {
		t.Errorf("triples %d, state written %v", len(ids), state)
	}
}

func TestDistill_MarksDecideDoneWhereNothingIsStated(t *testing.T) {
	_, res := distillEvent(t, userSays("What time is it in Lima?"))
	if len(res.Events) != 0 || len(res.Writes) != 1 || res.Writes[0].Payload["done_decide"] != true {
		t.Errorf("%+v", res)
	}
}

func TestDistill_SameEventSameResult(t *testing.T) {
	segs := []schema.Segment{userSays("I live in Porto, I love tea and my cat is called Miso. Remind me to call Ana tomorrow. 我对芒果过敏。")}
	_, a := distillEvent(t, segs...)
	_, b := distillEvent(t, segs...)
	if !reflect.DeepEqual(a, b) {
		t.Error("two runs differ")
	}
}

func BenchmarkDistill1KB(b *testing.B) {
	text := strings.Repeat("I had a look at the report you sent and it seems fine to me, thank you. My sister Ana lives in Porto. We use Postgres 16.2 for billing. Could you check the numbers again? 我下周五要去苏州出差，顺便看看老同学。 ", 5)
	body, _ := json.Marshal(schema.Cleaned{Segments: []schema.Segment{userSays(text[:1024])}})
	ev := schema.Event{Envelope: schema.Envelope{Version: schema.Version, Op: schema.OpCleaned, Tenant: "t", User: "u", ID: "e", UUID: schema.EventUUID("t", "e"), At: day0}, Body: body}
	if _, err := runDistill(b.Context(), ev); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(1024)
	for b.Loop() {
		if _, err := runDistill(b.Context(), ev); err != nil {
			b.Fatal(err)
		}
	}
}
