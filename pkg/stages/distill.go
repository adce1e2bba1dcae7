package stages

import (
	"context"
	"fmt"
	"strconv"

	"github.com/siltstone-ai/siltstone/internal/distill"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Distill reads typed facts and triples out of a cleaned event by rules, writes the triples and hands the facts
// to decide.
var Distill = Spec{
	Name: distillName, In: InCleaned, Out: []schema.Op{schema.OpFact},
	Doc: "reads facts and triples by rules, in Chinese and English",
	New: newDistill,
}

const (
	distillName = "distill"
	keyFacts    = "facts" // on event points: how many facts distill found
)

func newDistill(Deps) (Func, error) {
	if _, err := text.Open(text.Config{}); err != nil {
		return nil, fmt.Errorf("open dictionaries: %w", err)
	}
	return runDistill, nil
}

func runDistill(ctx context.Context, ev schema.Event) (schema.Result, error) {
	body, segs, err := readCleaned(ev)
	if err != nil {
		return schema.Result{}, err
	}
	body.Segments = segs
	found := distill.Read(body, ev.Envelope)
	if err := ctx.Err(); err != nil {
		return schema.Result{}, err
	}
	res := schema.Result{Writes: tripleWrites(ev, found.Triples), Done: true}
	state := map[string]any{keyFacts: int64(len(found.Facts))}
	if len(found.Facts) == 0 && len(found.Forget) == 0 {
		state[schema.KeyDone+decideName] = true // nothing will reach decide
	} else {
		out, err := derive(ev, schema.OpFact, schema.Candidates{Facts: found.Facts, Forget: found.Forget})
		if err != nil {
			return schema.Result{}, err
		}
		for i := range found.Facts {
			out.Class = schema.Least(out.Class, found.Facts[i].Source.Class)
		}
		res.Events = []schema.Event{*out}
	}
	res.Writes = append(res.Writes, schema.Write{
		Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: schema.Owner(ev.Tenant, ev.User),
		IDs: []string{ev.UUID}, Payload: state, Seq: ev.Seq,
	})
	return res, nil
}

// tripleWrites are the points of the triples of one event: numbered within their segment, findable by the terms of
// their sentence.
func tripleWrites(ev schema.Event, ts []schema.Triple) []schema.Write {
	var out []schema.Write
	n := map[string]int{}
	terms := map[string]schema.Sparse{}
	for i := range ts {
		t := &ts[i]
		id := pointID(ev, t.Source.Seg+"."+strconv.Itoa(n[t.Source.Seg]), distillName)
		n[t.Source.Seg]++
		t.ID = id
		sp, ok := terms[t.Sentence]
		if !ok {
			sp = text.Sparse(text.Terms(t.Sentence))
			terms[t.Sentence] = sp
		}
		p := schema.Point{ID: id, Payload: t.Payload(ev.Tenant, ev.User, text.Fold(t.Subject), text.Fold(t.Object))}
		p.Payload[schema.KeyAt] = ev.At.UnixMilli()
		if len(sp.Indices) > 0 {
			p.Sparse = &sp
		}
		out = append(out, schema.Write{Kind: schema.WriteUpsert, Collection: schema.Triples, Owner: schema.Owner(ev.Tenant, ev.User), Point: p})
	}
	return out
}
