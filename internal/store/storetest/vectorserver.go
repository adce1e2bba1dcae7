package storetest

import (
	"context"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"google.golang.org/grpc/test/bufconn"

	"github.com/siltstone-ai/siltstone/internal/embedded/qdrantd"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
)

// VectorServer is a Qdrant to run [Vectors] on.
type VectorServer struct {
	Name    string
	Options qdrant.Options // how to reach it
}

// EmbeddedQdrant starts the embedded server for one test.
func EmbeddedQdrant(t testing.TB) VectorServer {
	t.Helper()
	s, err := qdrantd.Open(t.TempDir(), qdrantd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pipe := bufconn.Listen(1 << 20)
	done := make(chan error, 1)
	go func() { done <- s.Serve(pipe) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return VectorServer{Name: "embedded", Options: qdrant.Options{
		Dial: func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) },
	}}
}

// NamedQdrant is the server that SILTSTONE_TEST_QDRANT_URL names, with SILTSTONE_TEST_QDRANT_API_KEY where it wants
// one. It skips the test where none is named.
func NamedQdrant(t testing.TB) VectorServer {
	t.Helper()
	url := os.Getenv("SILTSTONE_TEST_QDRANT_URL")
	if url == "" {
		t.Skip("SILTSTONE_TEST_QDRANT_URL names no server")
	}
	o := qdrant.Options{URL: url, APIKey: os.Getenv("SILTSTONE_TEST_QDRANT_API_KEY"), Insecure: true}
	s, err := qdrant.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Ping(t.Context()); err != nil {
		t.Fatalf("the named server does not answer: %v", err)
	}
	return VectorServer{Name: "named", Options: o}
}

const (
	vectorGen = 3 // generation of a test's collections; the prefix keeps tests apart
	vectorDim = 4
)

// openVectors makes a store with collections of its own, which go with the test.
func openVectors(t testing.TB, srv VectorServer, dim int) *qdrant.Store {
	t.Helper()
	o := srv.Options
	o.Prefix = fmt.Sprintf("storetest_%d_", time.Now().UnixNano())
	o.Stages = []string{"clean", "vectorize"}
	s, err := qdrant.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.EnsureGeneration(t.Context(), vectorGen, dim); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.DropGeneration(context.Background(), vectorGen); err != nil {
			t.Error(err)
		}
		_ = s.Close()
	})
	return s
}
