package qdrant

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// faulty is a server that answers as a test wants, for what a healthy one never does.
type faulty struct {
	qdrant.UnimplementedPointsServer
	qdrant.UnimplementedQdrantServer
	version string
	answer  func(ctx context.Context) (qdrant.UpdateStatus, error)

	mu      sync.Mutex
	upserts []*qdrant.UpsertPoints
	keys    []string
}

func (f *faulty) HealthCheck(ctx context.Context, _ *qdrant.HealthCheckRequest) (*qdrant.HealthCheckReply, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	f.mu.Lock()
	f.keys = append(f.keys, md.Get("api-key")...)
	f.mu.Unlock()
	return &qdrant.HealthCheckReply{Title: "faulty", Version: f.version}, nil
}

func (f *faulty) Upsert(ctx context.Context, req *qdrant.UpsertPoints) (*qdrant.PointsOperationResponse, error) {
	f.mu.Lock()
	f.upserts = append(f.upserts, req)
	f.mu.Unlock()
	st, err := f.answer(ctx)
	if err != nil {
		return nil, err
	}
	return &qdrant.PointsOperationResponse{Result: &qdrant.UpdateResult{Status: st}}, nil
}

func serve(t *testing.T, f *faulty) *Store {
	t.Helper()
	if f.version == "" {
		f.version = "1.17.1"
	}
	l := bufconn.Listen(1 << 20)
	g := grpc.NewServer()
	qdrant.RegisterPointsServer(g, f)
	qdrant.RegisterQdrantServer(g, f)
	go func() { _ = g.Serve(l) }()
	t.Cleanup(g.Stop)
	s, err := New(Options{APIKey: "k3y", Dial: func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestPitfall31_OnlyCompletedCountsAsDone(t *testing.T) {
	for st := range qdrant.UpdateStatus_name {
		s := serve(t, &faulty{answer: func(context.Context) (qdrant.UpdateStatus, error) { return qdrant.UpdateStatus(st), nil }})
		err := s.Apply(t.Context(), 1, []schema.Write{put(schema.Facts, 1)})
		if done := qdrant.UpdateStatus(st) == qdrant.UpdateStatus_Completed; done != (err == nil) || schema.IsPermanent(err) {
			t.Errorf("%s: got %v", qdrant.UpdateStatus(st), err)
		}
	}
}

func TestEveryCodeIsADecision(t *testing.T) {
	for _, c := range []struct {
		err   error
		code  schema.Code
		retry bool
	}{
		{status.Error(codes.InvalidArgument, "x"), schema.CodeInvalid, false},
		{status.Error(codes.FailedPrecondition, "x"), schema.CodeInvalid, false},
		{status.Error(codes.NotFound, "x"), schema.CodeUnavailable, true},
		{status.Error(codes.Unimplemented, "x"), schema.CodeUnsupported, false},
		{status.Error(codes.Unavailable, "x"), schema.CodeUnavailable, true},
		{status.Error(codes.Aborted, "x"), schema.CodeUnavailable, true},
		{status.Error(codes.DeadlineExceeded, "x"), schema.CodeTimeout, true},
		{status.Error(codes.ResourceExhausted, "write rate limit"), schema.CodeOverloaded, true},
		{status.Error(codes.ResourceExhausted, "grpc: received message larger than max (5 vs. 4)"), schema.CodeTooLarge, false},
		{status.Error(codes.Unauthenticated, "x"), schema.CodeDenied, true},
		{status.Error(codes.PermissionDenied, "x"), schema.CodeDenied, true},
		{status.Error(codes.Internal, "x"), schema.CodeInternal, true},
		{status.Error(codes.Unknown, "x"), schema.CodeInternal, true},
		{errors.New("not a status"), schema.CodeInternal, true},
	} {
		s := serve(t, &faulty{answer: func(context.Context) (qdrant.UpdateStatus, error) { return 0, c.err }})
		err := s.Apply(t.Context(), 1, []schema.Write{put(schema.Facts, 1)})
		var e *schema.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Retry != c.retry {
			t.Errorf("%v: got %v, want %s, retry %v", c.err, err, c.code, c.retry)
		}
	}
}

func TestPitfall37_ARateLimitSaysHowLong(t *testing.T) {
	s := serve(t, &faulty{answer: func(ctx context.Context) (qdrant.UpdateStatus, error) {
		_ = grpc.SetTrailer(ctx, metadata.Pairs("retry-after", "7"))
		return 0, status.Error(codes.ResourceExhausted, "rate limit")
	}})
	err := s.Apply(t.Context(), 1, []schema.Write{put(schema.Facts, 1)})
	if schema.CodeOf(err) != schema.CodeOverloaded || schema.RetryAfter(err) != 7*time.Second {
		t.Errorf("got %v, retry after %v", err, schema.RetryAfter(err))
	}
}

func TestPitfall36_AServerThatIsAwayDoesNotHoldUpAStart(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	begin := time.Now()
	s, err := New(Options{URL: "http://" + addr})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, call := range map[string]func() error{
		"ping":   func() error { return s.Ping(t.Context()) },
		"ensure": func() error { return s.EnsureGeneration(t.Context(), 1, 4) },
		"apply":  func() error { return s.Apply(t.Context(), 1, []schema.Write{put(schema.Facts, 1)}) },
		"search": func() error {
			_, err := s.Search(t.Context(), 1, []schema.Search{{Collection: schema.Facts, Dense: []float32{1}}})
			return err
		},
	} {
		if err := call(); schema.CodeOf(err) != schema.CodeUnavailable || schema.IsPermanent(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestAServerThatHangsIsLeft(t *testing.T) {
	s := serve(t, &faulty{answer: func(ctx context.Context) (qdrant.UpdateStatus, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}})
	s.timeout = 100 * time.Millisecond
	for _, deadline := range []time.Duration{0, 50 * time.Millisecond} {
		ctx := t.Context()
		if deadline > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, deadline)
			defer cancel()
		}
		begin := time.Now()
		err := s.Apply(ctx, 1, []schema.Write{put(schema.Facts, 1)})
		if schema.CodeOf(err) != schema.CodeTimeout || schema.IsPermanent(err) || time.Since(begin) > 3*time.Second {
			t.Errorf("deadline %v: %v after %v", deadline, err, time.Since(begin))
		}
	}
}

func TestAnOldServerIsRefused(t *testing.T) {
	for v, want := range map[string]bool{"1.16.3": false, "1.17.0": true, "1.18.2-dev": true, "2.0.0": false, "unknown": false, "": true} {
		f := &faulty{version: v, answer: func(context.Context) (qdrant.UpdateStatus, error) { return qdrant.UpdateStatus_Completed, nil }}
		s := serve(t, f)
		err := s.Apply(t.Context(), 1, []schema.Write{put(schema.Facts, 1)})
		if (err == nil) != want || !want && !schema.IsPermanent(err) {
			t.Errorf("version %q: %v", v, err)
		}
		if !want && len(f.upserts) > 0 {
			t.Errorf("version %q: something was written", v)
		}
		if strings.Join(f.keys, " ") != "k3y" {
			t.Errorf("keys %q, want k3y once", f.keys)
		}
	}
}

func TestWritesAskToBeWaitedForAndInsertsToInsertOnly(t *testing.T) {
	f := &faulty{answer: func(context.Context) (qdrant.UpdateStatus, error) { return qdrant.UpdateStatus_Completed, nil }}
	s := serve(t, f)
	ins := put(schema.Events, 1)
	ins.Kind = schema.WriteInsert
	if err := s.Apply(t.Context(), 5, []schema.Write{ins, put(schema.Facts, 2)}); err != nil {
		t.Fatal(err)
	}
	if len(f.upserts) != 2 {
		t.Fatalf("%d upserts", len(f.upserts))
	}
	for _, u := range f.upserts {
		want := qdrant.UpdateMode_Upsert
		if u.GetCollectionName() == "events_5" {
			want = qdrant.UpdateMode_InsertOnly
		}
		if !u.GetWait() || u.GetUpdateMode() != want {
			t.Errorf("%s: wait %v, mode %v", u.GetCollectionName(), u.GetWait(), u.GetUpdateMode())
		}
	}
}

// A flag that is part of the batch must not stand when the points it speaks of could not be written.
func TestADoneFlagIsNotSetWhenThePointsFail(t *testing.T) {
	f := &faulty{answer: func(context.Context) (qdrant.UpdateStatus, error) { return 0, status.Error(codes.Unavailable, "x") }}
	s := serve(t, f) // SetPayload is not implemented there: a permanent error would show that it was called
	err := s.Apply(t.Context(), 1, []schema.Write{set(schema.Events, own, map[string]any{"done_x": true}, 9), put(schema.Facts, 1)})
	if schema.CodeOf(err) != schema.CodeUnavailable {
		t.Errorf("got %v, want the failure of the upsert", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want bool
	}{
		{Options{URL: "http://127.0.0.1:6334"}, true},
		{Options{URL: "http://[::1]:6334"}, true},
		{Options{URL: "https://vectors.example"}, true},
		{Options{URL: "https://vectors.example:6334", APIKey: "k"}, true},
		{Options{URL: "http://localhost:6334", APIKey: "k"}, true},
		{Options{URL: "http://vectors.example:6334", APIKey: "k", Insecure: true}, true},
		{Options{URL: "http://vectors.example:6334", APIKey: "k"}, false},
		{Options{URL: ""}, false},
		{Options{URL: "vectors.example:6334"}, false},
		{Options{URL: "ftp://x"}, false},
		{Options{URL: "http://x/path"}, false},
		{Options{URL: "http://u:p@x"}, false},
		{Options{URL: "http://x:0"}, false},
	} {
		s, err := New(c.o)
		if (err == nil) != c.want {
			t.Errorf("%+v: %v", c.o, err)
		}
		if err == nil {
			_ = s.Close()
		}
	}
}

// TestErrorsQuoteNoMemory: servers quote what they refuse, and errors are logged.
func TestErrorsQuoteNoMemory(t *testing.T) {
	const canary = "the canary sings at dawn"
	for c := codes.OK + 1; c <= codes.Unauthenticated; c++ {
		if c == codes.Unavailable || c == codes.DeadlineExceeded || c == codes.Canceled { // what gRPC says of a connection
			continue
		}
		err := fail("upsert points", fmt.Errorf("Upsert() failed: %w", status.Error(c, `Wrong input: payload {"text":"`+canary+`"}: Vector dimension error: expected dim: 64, got 256`)))
		if s := err.Error(); strings.Contains(s, "canary") || !strings.Contains(s, "expected dim: 64, got 256") || !strings.Contains(s, c.String()) {
			t.Errorf("%s: the error is %q", c, s)
		}
		if status.Code(err) != c {
			t.Errorf("%s: the cause is lost: %v", c, err)
		}
	}
}
