package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/store/redis"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// childDir, set, makes the test binary a process that fills a stack until it is killed.
const childDir = "SILTSTONE_TEST_STACK_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := fillForEver(dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func start(t *testing.T, o Options) *Stack {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func points(t testing.TB, s *Stack) *qdrant.Store {
	t.Helper()
	q, err := qdrant.New(qdrant.Options{Dial: s.DialQdrant})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func stream(ctx context.Context, nc *natsgo.Conn) (jetstream.JetStream, jetstream.Stream, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, nil, err
	}
	st, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "LOG", Subjects: []string{"log"}})
	return js, st, err
}

var own = schema.Owner("acme", "ann")

func write(i int) schema.Write {
	id := schema.UUID("point", strconv.Itoa(i))
	return schema.Write{Kind: schema.WriteUpsert, Collection: schema.Facts, Owner: own, Point: schema.Point{
		ID: id, Dense: []float32{1, 2, 3, float32(i)}, Payload: map[string]any{schema.KeyOwner: own, schema.KeySeq: int64(i)},
	}}
}

// fillForEver appends and writes points, and prints each number after both were acknowledged.
func fillForEver(dir string) error {
	ctx := context.Background()
	s, err := Start(ctx, Options{Dir: dir})
	if err != nil {
		return err
	}
	nc, err := s.NATS()
	if err != nil {
		return err
	}
	js, _, err := stream(ctx, nc)
	if err != nil {
		return err
	}
	q, err := qdrant.New(qdrant.Options{Dial: s.DialQdrant})
	if err != nil {
		return err
	}
	if err := q.EnsureGeneration(ctx, 1, 4); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if _, err := js.Publish(ctx, "log", []byte(strconv.Itoa(i))); err != nil {
			return err
		}
		if err := q.Apply(ctx, 1, []schema.Write{write(i)}); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

func TestWhatWasAcknowledgedIsThereAfterKill9(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	last := -1
	for lines := bufio.NewScanner(out); last < 100 && lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("child says %q", lines.Text())
		}
		last = n
	}
	if _, err := Start(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), strconv.Itoa(child.Process.Pid)) {
		t.Errorf("while the child runs: got %v, want ErrInUse naming %d", err, child.Process.Pid)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if last < 100 {
		t.Fatalf("child stopped at %d", last)
	}

	s := start(t, Options{Dir: dir}) // the lock went with the process
	nc, err := s.NATS()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_, st, err := stream(t.Context(), nc)
	if err != nil {
		t.Fatal(err)
	}
	if n := st.CachedInfo().State.Msgs; n < uint64(last)+1 {
		t.Errorf("%d messages, %d were acknowledged", n, last+1)
	}
	q := points(t, s)
	n, err := q.Count(t.Context(), 1, schema.Facts, schema.Filter{Must: []schema.Cond{{Key: schema.KeyOwner, Equal: own}}})
	if err != nil {
		t.Fatal(err)
	}
	if n < uint64(last)+1 {
		t.Errorf("%d points, %d were acknowledged", n, last+1)
	}
}

func TestAllIsThereAfterARestart(t *testing.T) {
	dir := t.TempDir()
	s := start(t, Options{Dir: dir})
	nc, err := s.NATS()
	if err != nil {
		t.Fatal(err)
	}
	js, _, err := stream(t.Context(), nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "log", []byte("x")); err != nil {
		t.Fatal(err)
	}
	q := points(t, s)
	if err := q.EnsureGeneration(t.Context(), 1, 4); err != nil {
		t.Fatal(err)
	}
	if err := q.Apply(t.Context(), 1, []schema.Write{write(1)}); err != nil {
		t.Fatal(err)
	}
	c, err := redis.New(redis.Options{Dial: s.DialRedis, Password: s.RedisPassword()})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	_ = q.Close()
	nc.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, pidName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("process id left behind: %v", err)
	}

	s = start(t, Options{Dir: dir})
	if nc, err = s.NATS(); err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_, st, err := stream(t.Context(), nc)
	if err != nil {
		t.Fatal(err)
	}
	if n := st.CachedInfo().State.Msgs; n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
	got, err := points(t, s).Get(t.Context(), 1, schema.Facts, []string{schema.UUID("point", "1")}, true)
	if err != nil || len(got) != 1 || len(got[0].Dense) != 4 {
		t.Errorf("point after the restart: %+v, %v", got, err)
	}
}

func TestOneDirectoryServesOneStack(t *testing.T) {
	dir := t.TempDir()
	start(t, Options{Dir: dir})
	_, err := Start(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Fatalf("got %v, want ErrInUse naming this process", err)
	}
}

func TestDataDirectoryIsPrivate(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string)
		want error
	}{
		{"absent", func(*testing.T, string) {}, nil},
		{"empty and open", func(t *testing.T, dir string) { mkdir(t, dir, 0o755) }, nil},
		{"ours and open", func(t *testing.T, dir string) { mkdir(t, dir, 0o755); touch(t, dir, lockName); touch(t, dir, "x") }, nil},
		{"private with other files", func(t *testing.T, dir string) { mkdir(t, dir, 0o700); touch(t, dir, "x") }, nil},
		{"somebody's home", func(t *testing.T, dir string) { mkdir(t, dir, 0o755); touch(t, dir, "x") }, ErrNotOurs},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			c.make(t, dir)
			l, err := lockDir(dir)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			info, serr := os.Stat(dir)
			if serr != nil {
				t.Fatal(serr)
			}
			if c.want != nil {
				if info.Mode().Perm() != 0o755 {
					t.Errorf("mode of a directory that is not ours became %v", info.Mode())
				}
				return
			}
			if info.Mode().Perm() != 0o700 {
				t.Errorf("mode %v, want 0700", info.Mode())
			}
			if err := l.release(); err != nil {
				t.Error(err)
			}
		})
	}
}

func mkdir(t *testing.T, dir string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.Mkdir(dir, mode), os.Chmod(dir, mode)); err != nil {
		t.Fatal(err)
	}
}

func touch(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNothingListensUnlessAsked(t *testing.T) {
	s := start(t, Options{Dir: t.TempDir()})
	if a := s.Addresses(); a != (Addresses{}) {
		t.Errorf("addresses %+v, want none", a)
	}
}

func TestListenersNeedTheirSecrets(t *testing.T) {
	const any = "127.0.0.1:0"
	s := start(t, Options{Dir: t.TempDir(), Listen: Listen{NATS: any, Redis: any, Qdrant: any}})
	a := s.Addresses()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()

	if nc, err := natsgo.Connect(a.NATS); err == nil {
		nc.Close()
		t.Error("nats lets anyone in")
	}
	nc, err := natsgo.Connect(a.NATS, natsgo.Token(a.NATSToken))
	if err != nil {
		t.Errorf("nats with its token: %v", err)
	} else {
		nc.Close()
	}
	for _, c := range []struct {
		password string
		want     bool
	}{{"", false}, {"guess", false}, {a.RedisPassword, true}} {
		r, err := redis.New(redis.Options{URL: "redis://" + a.Redis, Password: c.password})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Ping(ctx); (err == nil) != c.want {
			t.Errorf("redis with %q: %v", c.password, err)
		}
		_ = r.Close()
	}
	for _, c := range []struct {
		key  string
		want bool
	}{{"", false}, {"guess", false}, {a.QdrantAPIKey, true}} {
		q, err := qdrant.New(qdrant.Options{URL: "http://" + a.Qdrant, APIKey: c.key})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Ping(ctx); (err == nil) != c.want || err != nil && schema.CodeOf(err) != schema.CodeDenied {
			t.Errorf("qdrant with %q: %v", c.key, err)
		}
		_ = q.Close()
	}
	// Inside the process they need none but the Redis password.
	if err := points(t, s).Ping(ctx); err != nil {
		t.Errorf("qdrant inside the process: %v", err)
	}
}

func TestAFailedStartReleasesEverything(t *testing.T) {
	dir := t.TempDir()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, l := range []Listen{
		{NATS: "0.0.0.0:0"}, {Redis: "0.0.0.0:0"}, {Qdrant: "0.0.0.0:0"},
		{Redis: busy.Addr().String()}, {Qdrant: busy.Addr().String()}, {NATS: busy.Addr().String()},
	} {
		if s, err := Start(t.Context(), Options{Dir: dir, Listen: l}); err == nil {
			_ = s.Close()
			t.Errorf("%+v: started", l)
		}
	}
	start(t, Options{Dir: dir})
}
