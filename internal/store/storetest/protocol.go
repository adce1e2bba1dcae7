package storetest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	wire "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// Protocol asks a Qdrant what its documentation promises, over the client alone, as far as Siltstone or its embedded
// server relies on it: what calls do, what filters mean, and with which codes errors come.
func Protocol(t *testing.T, srv VectorServer) {
	for _, c := range []struct {
		name string
		run  func(*wired)
	}{
		{"health", wireHealth},
		{"life of a collection", wireCollection},
		{"payload indexes", wireIndexes},
		{"a missing collection", wireMissing},
		{"what is refused", wireRefused},
		{"points come back", wirePoints},
		{"update modes", wireModes},
		{"payloads", wirePayloads},
		{"deletion", wireDeletion},
		{"batches of updates", wireUpdateBatch},
		{"without waiting", wireNoWait},
		{"filters", wireFilters},
		{"pages by id", wirePages},
		{"pages by key", wireOrder},
		{"facets", wireFacets},
		{"queries", wireQueries},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(newWired(t, srv)) })
	}
}

// wired is a client and a collection of its own.
type wired struct {
	*wire.Client
	t    *testing.T
	name string
}

func newWired(t *testing.T, srv VectorServer) *wired {
	t.Helper()
	cfg := &wire.Config{SkipCompatibilityCheck: true, PoolSize: 1, APIKey: srv.Options.APIKey}
	if srv.Options.Dial != nil {
		cfg.Host = "passthrough:///pipe"
		cfg.GrpcOptions = []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return srv.Options.Dial(ctx, addr) }),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
		}
	} else {
		u, err := url.Parse(srv.Options.URL)
		ok(t, err)
		cfg.Host, cfg.UseTLS, cfg.TLSConfig = u.Hostname(), u.Scheme == "https", srv.Options.TLS
		if p := u.Port(); p != "" {
			cfg.Port, err = strconv.Atoi(p)
			ok(t, err)
		}
	}
	client, err := wire.NewClient(cfg)
	ok(t, err)
	w := &wired{Client: client, t: t, name: fmt.Sprintf("storetest_%d", time.Now().UnixNano())}
	t.Cleanup(func() {
		if there, err := w.CollectionExists(context.Background(), w.name); err == nil && there {
			_ = w.DeleteCollection(context.Background(), w.name)
		}
		_ = client.Close()
	})
	return w
}

// make creates the collection: a cosine vector of four numbers and a sparse one.
func (w *wired) make() {
	w.t.Helper()
	ok(w.t, w.create())
}

func (w *wired) create() error {
	return w.CreateCollection(w.t.Context(), &wire.CreateCollection{
		CollectionName:      w.name,
		VectorsConfig:       wire.NewVectorsConfigMap(map[string]*wire.VectorParams{"dense": {Size: 4, Distance: wire.Distance_Cosine}}),
		SparseVectorsConfig: wire.NewSparseVectorsConfig(map[string]*wire.SparseVectorParams{"terms": {}}),
	})
}

func (w *wired) index(field string, typ wire.FieldType, params *wire.PayloadIndexParams) {
	w.t.Helper()
	w.done(w.CreateFieldIndex(w.t.Context(), &wire.CreateFieldIndexCollection{
		CollectionName: w.name, FieldName: field, FieldType: &typ, FieldIndexParams: params, Wait: wire.PtrOf(true)}))
}

// done wants an update that was waited for to be complete.
func (w *wired) done(r *wire.UpdateResult, err error) {
	w.t.Helper()
	ok(w.t, err)
	if r.GetStatus() != wire.UpdateStatus_Completed {
		w.t.Fatalf("status %s", r.GetStatus())
	}
}

func (w *wired) upsert(points ...*wire.PointStruct) {
	w.t.Helper()
	w.done(w.Upsert(w.t.Context(), &wire.UpsertPoints{CollectionName: w.name, Wait: wire.PtrOf(true), Points: points}))
}

func wirePoint(id uint64, dense []float32, terms map[uint32]float32, payload map[string]any) *wire.PointStruct {
	vs := map[string]*wire.Vector{}
	if dense != nil {
		vs["dense"] = wire.NewVectorDense(dense)
	}
	if terms != nil {
		var s wire.SparseVector
		for i, v := range terms {
			s.Indices, s.Values = append(s.Indices, i), append(s.Values, v)
		}
		vs["terms"] = wire.NewVectorSparse(s.Indices, s.Values)
	}
	return &wire.PointStruct{Id: wire.NewIDNum(id), Vectors: wire.NewVectorsMap(vs), Payload: wire.NewValueMap(payload)}
}

// refused wants an error of the code that says the words.
func (w *wired) refused(what string, err error, code codes.Code, words ...string) {
	w.t.Helper()
	if status.Code(err) != code {
		w.t.Errorf("%s: %v, want %s", what, err, code)
		return
	}
	for _, s := range words {
		if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(s)) {
			w.t.Errorf("%s: %v does not say %q", what, err, s)
		}
	}
}

// payloads is the payload of every point by id, as text.
func (w *wired) payloads() map[uint64]string {
	w.t.Helper()
	got, err := w.Scroll(w.t.Context(), &wire.ScrollPoints{CollectionName: w.name, Limit: wire.PtrOf(uint32(1000)), WithPayload: wire.NewWithPayload(true)})
	ok(w.t, err)
	out := map[uint64]string{}
	for _, p := range got {
		m := map[string]any{}
		for k, v := range p.Payload {
			m[k] = PlainValue(v)
		}
		out[p.Id.GetNum()] = strings.TrimPrefix(fmt.Sprint(m), "map") // maps print in order
	}
	return out
}

func (w *wired) holds(want map[uint64]string) {
	w.t.Helper()
	if got := w.payloads(); !reflect.DeepEqual(got, want) {
		w.t.Errorf("the collection holds %v, want %v", got, want)
	}
}

// PlainValue is a value of a payload as Go has it: nil, bool, int64, float64, string, []any or map[string]any of those.
func PlainValue(v *wire.Value) any {
	switch k := v.GetKind().(type) {
	case *wire.Value_StringValue:
		return k.StringValue
	case *wire.Value_IntegerValue:
		return k.IntegerValue
	case *wire.Value_DoubleValue:
		return k.DoubleValue
	case *wire.Value_BoolValue:
		return k.BoolValue
	case *wire.Value_ListValue:
		out := []any{}
		for _, v := range k.ListValue.GetValues() {
			out = append(out, PlainValue(v))
		}
		return out
	case *wire.Value_StructValue:
		out := map[string]any{}
		for k, v := range k.StructValue.GetFields() {
			out[k] = PlainValue(v)
		}
		return out
	}
	return nil
}

func nums[P interface{ GetId() *wire.PointId }](ps []P) []uint64 {
	out := []uint64{}
	for _, p := range ps {
		out = append(out, p.GetId().GetNum())
	}
	return out
}

func sameNums(t *testing.T, what string, got []uint64, want ...uint64) {
	t.Helper()
	if !slices.Equal(got, append([]uint64{}, want...)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
