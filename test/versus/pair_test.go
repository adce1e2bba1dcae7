package versus

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/internal/embedded/qdrantd"
)

// collection is the name of the one collection there is at a time.
const collection = "versus"

// pair is the two sides. Every request goes to both.
type pair struct {
	engine *engine

	dir    string
	srv    *qdrantd.Server
	client *qdrant.Client
	served chan error

	asked    map[string]int // drawn requests by name
	followed int            // requests that followed from them: further pages, whole states
}

func startPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{engine: startEngine(t), dir: scratch(t), asked: map[string]int{}}
	if err := p.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *pair) open() error {
	srv, err := qdrantd.Open(p.dir, qdrantd.Options{})
	if err != nil {
		return err
	}
	lis := bufconn.Listen(1 << 20)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(lis) }()
	client, err := qdrant.NewClient(&qdrant.Config{
		Host: "passthrough:///bufnet", Port: 6334, SkipCompatibilityCheck: true, PoolSize: 1,
		GrpcOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return lis.Dial() }),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
		},
	})
	p.srv, p.client, p.served = srv, client, served
	return err
}

func (p *pair) close() error {
	_ = p.client.Close()
	if err := p.srv.Close(); err != nil {
		return err
	}
	return <-p.served
}

// create makes the collection anew on both sides.
func (p *pair) create(t *rapid.T, req *qdrant.CreateCollection) {
	p.asked["create"]++
	if there, err := p.client.CollectionExists(context.Background(), collection); err != nil {
		t.Fatal(err)
	} else if there {
		if err := p.client.DeleteCollection(context.Background(), collection); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.client.CreateCollection(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if err := p.engine.ask("create", req, nil); err != nil {
		t.Fatal(err)
	}
}

// restart closes both sides and opens them again from disk.
func (p *pair) restart(t *rapid.T) {
	p.asked["restart"]++
	if err := p.close(); err != nil {
		t.Fatal(err)
	}
	if err := p.open(); err != nil {
		t.Fatal(err)
	}
	if err := p.engine.ask("restart", nil, nil); err != nil {
		t.Fatal(err)
	}
}

// optimize lets the engine rewrite its segments, which must not show.
func (p *pair) optimize(t *rapid.T) {
	p.asked["optimize"]++
	if err := p.engine.ask("optimize", nil, nil); err != nil {
		t.Fatal(err)
	}
}

// state compares everything there is.
func (p *pair) state(t *rapid.T) {
	t.Helper()
	p.uncounted(t, &qdrant.ScrollPoints{CollectionName: collection, Limit: qdrant.PtrOf(uint32(1000)), WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(true)})
}

// uncounted is a scroll that follows from another operation.
func (p *pair) uncounted(t *rapid.T, req *qdrant.ScrollPoints) *qdrant.PointId {
	t.Helper()
	before := p.asked["scroll"]
	next := p.scroll(t, req)
	p.followed += p.asked["scroll"] - before
	p.asked["scroll"] = before
	return next
}

// agree holds the outcomes of one request against each other and says whether both sides answered. empty says that the
// engine's answer holds no points.
func (p *pair) agree(t *rapid.T, name string, req proto.Message, engineErr, serverErr error, empty bool) bool {
	t.Helper()
	p.asked[name]++
	t.Logf("%s %s", name, text{req})
	if engineErr == nil && serverErr == nil {
		return true
	}
	// The engine looks for a vector's name when it fetches the vectors of a point, the server in any case.
	if engineErr == nil && empty && strings.Contains(serverErr.Error(), "Not existing vector name error") {
		return false
	}
	said, isRefusal := refused(engineErr)
	switch {
	case engineErr != nil && !isRefusal:
		t.Fatalf("%s: the engine failed: %v\n%s", name, engineErr, prototext.Format(req))
	case engineErr == nil:
		t.Fatalf("%s: the server refuses what the engine does: %v\n%s", name, serverErr, prototext.Format(req))
	case serverErr == nil:
		t.Fatalf("%s: the server does what the engine refuses: %s\n%s", name, said, prototext.Format(req))
	}
	want := codes.InvalidArgument
	if strings.Contains(said, "No point with id") {
		want = codes.NotFound
	}
	if got := status.Code(serverErr); got != want {
		t.Fatalf("%s: the server's error has code %s, want %s: %v; the engine: %s", name, got, want, serverErr, said)
	}
	return false
}

// text writes a request on one line, once it is wanted, and not without end.
type text struct{ proto.Message }

func (x text) String() string {
	s := prototext.MarshalOptions{}.Format(x.Message)
	if len(s) > 4000 {
		s = strings.ToValidUTF8(s[:4000], "") + "…"
	}
	return s
}

type updateRequest interface {
	proto.Message
	GetCollectionName() string
}

// update sends one change to both sides.
func (p *pair) update(t *rapid.T, name string, req updateRequest) {
	t.Helper()
	ctx := context.Background()
	var err error
	var res *qdrant.UpdateResult
	switch r := req.(type) {
	case *qdrant.UpsertPoints:
		res, err = p.client.Upsert(ctx, r)
	case *qdrant.DeletePoints:
		res, err = p.client.Delete(ctx, r)
	case *qdrant.SetPayloadPoints:
		if name == "overwrite_payload" {
			res, err = p.client.OverwritePayload(ctx, r)
		} else {
			res, err = p.client.SetPayload(ctx, r)
		}
	case *qdrant.DeletePayloadPoints:
		res, err = p.client.DeletePayload(ctx, r)
	case *qdrant.ClearPayloadPoints:
		res, err = p.client.ClearPayload(ctx, r)
	case *qdrant.CreateFieldIndexCollection:
		res, err = p.client.CreateFieldIndex(ctx, r)
	case *qdrant.DeleteFieldIndexCollection:
		res, err = p.client.DeleteFieldIndex(ctx, r)
	case *qdrant.UpdateBatchPoints:
		_, err = p.client.UpdateBatch(ctx, r)
	default:
		t.Fatalf("no such update: %T", req)
	}
	if p.agree(t, name, req, p.engine.ask(name, req, nil), err, false) && res != nil && res.GetStatus() != qdrant.UpdateStatus_Completed {
		t.Fatalf("%s: status %s", name, res.GetStatus())
	}
}

func (p *pair) get(t *rapid.T, req *qdrant.GetPoints) {
	t.Helper()
	got, err := p.client.Get(context.Background(), req)
	var want []point
	engineErr := p.engine.ask("get", req, &want)
	if !p.agree(t, "get", req, engineErr, err, len(want) == 0) {
		return
	}
	fromEngine(want)
	// Neither promises an order.
	if err := samePoints(sortedByID(want), sortedByID(fromRetrieved(got))); err != nil {
		t.Fatalf("get: %v\n%s", err, prototext.Format(req))
	}
}

func fromEngine(ps []point) {
	for i := range ps {
		ps[i].fromEngine()
	}
}

// scroll asks for one page and answers where the next one begins.
func (p *pair) scroll(t *rapid.T, req *qdrant.ScrollPoints) *qdrant.PointId {
	t.Helper()
	want, server, next, both := p.page(t, req)
	if !both {
		return nil
	}
	if req.OrderBy == nil {
		if err := samePoints(want.Points, server); err != nil {
			p.show(t, want.Points, server)
			t.Fatalf("scroll: %v\n%s", err, prototext.Format(req))
		}
	} else if err := sameHits(want.Points, server, byOrder, func() ([]point, []point, error) {
		all := proto.Clone(req).(*qdrant.ScrollPoints)
		all.Limit = qdrant.PtrOf(uint32(10000))
		e, s, _, _ := p.page(t, all)
		return e.Points, s, nil
	}); err != nil {
		p.show(t, want.Points, server)
		t.Fatalf("scroll: %v\n%s", err, prototext.Format(req))
	}
	switch {
	case (want.Next == nil) != (next == nil), next != nil && *want.Next != idOf(next):
		t.Fatalf("scroll: the next page begins at %v, in the engine at %v\n%s", next, want.Next, prototext.Format(req))
	}
	return next
}

func byOrder(p *point) float64 {
	switch v := p.Order.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

func (p *pair) page(t *rapid.T, req *qdrant.ScrollPoints) (want page, server []point, next *qdrant.PointId, both bool) {
	t.Helper()
	got, next, err := p.client.ScrollAndOffset(context.Background(), req)
	engineErr := p.engine.ask("scroll", req, &want)
	if !p.agree(t, "scroll", req, engineErr, err, len(want.Points) == 0) {
		return want, nil, nil, false
	}
	fromEngine(want.Points)
	return want, fromRetrieved(got), next, true
}

func (p *pair) count(t *rapid.T, req *qdrant.CountPoints) {
	t.Helper()
	got, err := p.client.Count(context.Background(), req)
	var want uint64
	if p.agree(t, "count", req, p.engine.ask("count", req, &want), err, false) && got != want {
		t.Fatalf("count: %d, the engine has %d\n%s", got, want, prototext.Format(req))
	}
}

func (p *pair) facet(t *rapid.T, req *qdrant.FacetCounts) {
	t.Helper()
	got, err := p.client.Facet(context.Background(), req)
	var want []facetHit
	if !p.agree(t, "facet", req, p.engine.ask("facet", req, &want), err, false) {
		return
	}
	server := []facetHit{}
	for _, h := range got {
		f := facetHit{Count: int(h.Count)}
		switch v := h.Value.GetVariant().(type) {
		case *qdrant.FacetValue_StringValue:
			f.Value = v.StringValue
		case *qdrant.FacetValue_IntegerValue:
			f.Value = v.IntegerValue
		case *qdrant.FacetValue_BoolValue:
			f.Value = v.BoolValue
		}
		server = append(server, f)
	}
	for i := range want {
		want[i].Value = plain(want[i].Value)
	}
	// An index of the engine remembers values that no point has any more until its segment is rewritten.
	want = slices.DeleteFunc(want, func(h facetHit) bool { return h.Count == 0 })
	if !slices.Equal(want, server) {
		t.Fatalf("facet: %v, the engine has %v\n%s", server, want, prototext.Format(req))
	}
}

// show logs the points that stand in one answer only.
func (p *pair) show(t *rapid.T, a, b []point) {
	var only []*qdrant.PointId
	for _, both := range [][2][]point{{a, b}, {b, a}} {
		for i := range both[0] {
			if id := both[0][i].ID; !slices.ContainsFunc(both[1], func(o point) bool { return o.ID == id }) {
				pid := qdrant.NewIDUUID(id)
				if n, err := strconv.ParseUint(id, 10, 64); err == nil {
					pid = qdrant.NewIDNum(n)
				}
				only = append(only, pid)
			}
		}
	}
	got, err := p.client.Get(context.Background(), &qdrant.GetPoints{CollectionName: collection, Ids: only, WithPayload: qdrant.NewWithPayload(true)})
	for _, g := range got {
		t.Logf("on one side only: %s", text{g})
	}
	if err != nil {
		t.Logf("get: %v", err)
	}
}

// report is how often what was asked.
func (p *pair) report() (total int, table string) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.asked)) {
		total += p.asked[name]
		fmt.Fprintf(&b, " %s %d", name, p.asked[name])
	}
	fmt.Fprintf(&b, "; and %d further pages and whole states", p.followed)
	return total, strings.TrimSpace(b.String())
}
