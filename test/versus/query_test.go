package versus

import (
	"context"
	"slices"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

func (p *pair) query(t *rapid.T, req *qdrant.QueryPoints) {
	t.Helper()
	got, err := p.client.Query(context.Background(), req)
	var want []point
	engineErr := p.engine.ask("query", req, &want)
	if !p.agree(t, "query", req, engineErr, err, len(want) == 0) {
		return
	}
	fromEngine(want)
	p.sameQuery(t, req, want, fromScored(got))
}

func (p *pair) queryBatch(t *rapid.T, req *qdrant.QueryBatchPoints) {
	t.Helper()
	got, err := p.client.QueryBatch(context.Background(), req)
	var want [][]point
	engineErr := p.engine.ask("query_batch", req, &want)
	empty := slices.ContainsFunc(want, func(hits []point) bool { return len(hits) == 0 })
	if !p.agree(t, "query_batch", req, engineErr, err, empty) {
		return
	}
	if len(got) != len(want) {
		t.Fatalf("query batch: %d answers, the engine has %d", len(got), len(want))
	}
	for i := range got {
		fromEngine(want[i])
		p.sameQuery(t, req.QueryPoints[i], want[i], fromScored(got[i].GetResult()))
	}
}

func (p *pair) sameQuery(t *rapid.T, req *qdrant.QueryPoints, want, server []point) {
	t.Helper()
	terms := req.Query.GetNearest().GetSparse() != nil
	zero := func(p point) bool { return terms && p.Score == 0 }
	whole := func() ([]point, []point, error) {
		all := proto.Clone(req).(*qdrant.QueryPoints)
		all.Limit, all.Offset = qdrant.PtrOf(uint64(10000)), nil
		got, err := p.client.Query(context.Background(), all)
		var want []point
		if err == nil {
			err = p.engine.ask("query", all, &want)
		}
		fromEngine(want)
		return slices.DeleteFunc(want, zero), slices.DeleteFunc(fromScored(got), zero), err
	}
	var err error
	if slices.ContainsFunc(server, zero) {
		// Whether a point whose products cancel out is found depends on the path that the engine takes.
		want, server, err = whole()
	}
	if err == nil {
		err = sameHits(want, server, func(p *point) float64 { return p.Score }, whole)
	}
	if err != nil {
		p.show(t, want, server)
		t.Fatalf("query: %v\n%s", err, prototext.Format(req))
	}
}
