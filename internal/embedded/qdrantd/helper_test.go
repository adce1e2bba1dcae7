package qdrantd

import (
	"context"
	"fmt"
	"net"
	"testing"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
)

// rig is a server over a directory, asked through the official client.
type rig struct {
	*qdrant.Client
	t   testing.TB
	srv *Server
	dir string
}

func open(t testing.TB, dir string) *rig {
	t.Helper()
	srv, err := Open(dir, Options{})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	lis := bufconn.Listen(1 << 20)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(lis) }()
	c, err := qdrant.NewClient(&qdrant.Config{
		Host: "passthrough:///bufnet", Port: 6334, SkipCompatibilityCheck: true, PoolSize: 1,
		GrpcOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return lis.Dial() }),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxMessage)),
		},
	})
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	r := &rig{Client: c, t: t, srv: srv, dir: dir}
	t.Cleanup(func() {
		r.close()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return r
}

func start(t testing.TB) *rig { return open(t, t.TempDir()) }

func (r *rig) close() {
	r.t.Helper()
	_ = r.Client.Close()
	if err := r.srv.Close(); err != nil {
		r.t.Errorf("close: %v", err)
	}
}

// reopen closes the server and opens its directory again.
func (r *rig) reopen() *rig {
	r.t.Helper()
	r.close()
	return open(r.t, r.dir)
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// docs makes a collection with a 4-dimensional cosine vector and a sparse one, partitioned by owner.
func (r *rig) docs(name string) {
	r.t.Helper()
	r.must(r.CreateCollection(context.Background(), &qdrant.CreateCollection{
		CollectionName: name,
		VectorsConfig: qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{
			"dense": {Size: 4, Distance: qdrant.Distance_Cosine},
		}),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{"terms": {}}),
	}))
	r.index(name, "owner", qdrant.FieldType_FieldTypeKeyword, qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{IsTenant: qdrant.PtrOf(true)}))
}

func (r *rig) index(name, field string, typ qdrant.FieldType, params *qdrant.PayloadIndexParams) {
	r.t.Helper()
	_, err := r.CreateFieldIndex(context.Background(), &qdrant.CreateFieldIndexCollection{
		CollectionName: name, FieldName: field, FieldType: &typ, FieldIndexParams: params, Wait: qdrant.PtrOf(true),
	})
	r.must(err)
}

func (r *rig) upsert(name string, points ...*qdrant.PointStruct) {
	r.t.Helper()
	res, err := r.Upsert(context.Background(), &qdrant.UpsertPoints{CollectionName: name, Wait: qdrant.PtrOf(true), Points: points})
	r.must(err)
	if res.GetStatus() != qdrant.UpdateStatus_Completed {
		r.t.Fatalf("status %s", res.GetStatus())
	}
}

func point(id uint64, dense []float32, sparse map[uint32]float32, payload map[string]any) *qdrant.PointStruct {
	vs := map[string]*qdrant.Vector{}
	if dense != nil {
		vs["dense"] = qdrant.NewVectorDense(dense)
	}
	if sparse != nil {
		var idx []uint32
		var val []float32
		for i, v := range sparse {
			idx, val = append(idx, i), append(val, v)
		}
		vs["terms"] = qdrant.NewVectorSparse(idx, val)
	}
	return &qdrant.PointStruct{Id: qdrant.NewIDNum(id), Vectors: qdrant.NewVectorsMap(vs), Payload: qdrant.NewValueMap(payload)}
}

func uuidOf(n int) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%d", n)).String()
}

func idsOf[P interface{ GetId() *qdrant.PointId }](ps []P) []uint64 {
	ids := make([]uint64, 0, len(ps))
	for _, p := range ps {
		ids = append(ids, p.GetId().GetNum())
	}
	return ids
}

func wantCode(t testing.TB, err error, code codes.Code) {
	t.Helper()
	if got := status.Code(err); got != code {
		t.Fatalf("got code %s, want %s: %v", got, code, err)
	}
}

func samePayload(a, b map[string]*qdrant.Value) bool {
	return proto.Equal(&qdrant.Struct{Fields: a}, &qdrant.Struct{Fields: b})
}
