package stacktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/qdrant/go-client/qdrant"
	"github.com/redis/go-redis/v9"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/siltstone-ai/siltstone/internal/config"
)

// rawStream is the one stream that may hold everything as it came; its large bodies are blobs of the stage "in".
const rawStream = "SILT_LOG"

// Entry is one thing that a store holds: where it is, and everything readable about it.
type Entry struct {
	Where string // e.g. "qdrant facts_1", "redis silt:1:…", "stream SILT_DLQ", "tap silt.work.…", "log"
	Text  string
}

// Tap keeps what travels on the derived subjects while it is open: a work message is gone once it is settled.
type Tap struct {
	nc *nats.Conn
	mu sync.Mutex
	es []Entry
}

// Scanner looks into every store of the process that runs the servers.
type Scanner struct {
	t      testing.TB
	nc     *nats.Conn
	js     jetstream.JetStream
	points *qdrant.Client
	cache  *redis.Client
	tap    *Tap
	logs   []*Logs
}

// Scan connects to the listeners of s, which runs the servers, and taps the derived streams from now on; logs of
// further processes may be given.
func (s *Stack) Scan(t testing.TB, more ...*Stack) *Scanner {
	t.Helper()
	c := s.Connect(t)
	x := &Scanner{t: t, logs: []*Logs{s.Logs}}
	for _, m := range more {
		x.logs = append(x.logs, m.Logs)
	}
	x.nc = Dial(t, c)
	var err error
	if x.js, err = jetstream.New(x.nc); err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(c.Qdrant.Addr)
	if err != nil {
		t.Fatal(err)
	}
	p, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	x.points, err = qdrant.NewClient(&qdrant.Config{Host: host, Port: p, APIKey: c.Qdrant.Key, SkipCompatibilityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	o, err := redis.ParseURL(c.Redis.URL)
	if err != nil {
		t.Fatal(err)
	}
	x.cache = redis.NewClient(o)
	t.Cleanup(func() { _, _ = x.points.Close(), x.cache.Close() })
	x.tap = &Tap{nc: x.nc}
	for _, subject := range []string{"silt.work.>", "silt.dlq.>", "$KV.>"} {
		if _, err := x.nc.Subscribe(subject, x.tap.add); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return x
}

// Connect is the configuration with which other processes reach the servers of s.
func (s *Stack) Connect(t testing.TB) config.Config {
	t.Helper()
	c, err := config.Load(s.Addrs.Connect, nil, nil)
	if err != nil {
		t.Fatalf("read how to connect: %v", err)
	}
	return c
}

// Dial opens a NATS connection as an agent does.
func Dial(t testing.TB, c config.Config) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(c.NATS.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func (p *Tap) add(m *nats.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.es = append(p.es, Entry{"tap " + m.Subject, fmt.Sprint(m.Header) + "\n" + string(m.Data)})
}

// Everything is all that the stores hold, but for the raw log: the points of all collections, the cache, every
// derived stream, bucket and blob, what the tap saw, and the log output.
func (x *Scanner) Everything() []Entry {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.t.Context(), Patience())
	defer cancel()
	var out []Entry
	for _, f := range []func(context.Context) ([]Entry, error){x.qdrant, x.redis, x.streams, x.blobs, x.tapped} {
		es, err := f(ctx)
		if err != nil {
			x.t.Fatalf("scan: %v", err)
		}
		out = append(out, es...)
	}
	for i, l := range x.logs {
		out = append(out, Entry{"log " + strconv.Itoa(i), l.String()})
	}
	return out
}

// Holding are the places whose text holds needle.
func Holding(es []Entry, needle string) []string {
	var out []string
	for _, e := range es {
		if strings.Contains(e.Text, needle) {
			out = append(out, e.Where)
		}
	}
	return out
}

func (x *Scanner) qdrant(ctx context.Context) ([]Entry, error) {
	names, err := x.points.ListCollections(ctx)
	if err != nil {
		return nil, fmt.Errorf("list collections: %w", err)
	}
	if len(names) < 4 {
		return nil, fmt.Errorf("only the collections %v are there", names)
	}
	var out []Entry
	for _, name := range names {
		var at *qdrant.PointId
		for {
			ps, next, err := x.points.ScrollAndOffset(ctx, &qdrant.ScrollPoints{
				CollectionName: name, Limit: qdrant.PtrOf(uint32(500)), Offset: at, WithPayload: qdrant.NewWithPayload(true),
			})
			if err != nil {
				return nil, fmt.Errorf("scroll %s: %w", name, err)
			}
			for _, p := range ps {
				var b strings.Builder
				b.WriteString(p.GetId().String())
				for k, v := range p.GetPayload() {
					j, err := protojson.Marshal(v)
					if err != nil {
						return nil, err
					}
					b.WriteString("\n" + k + " " + plain(j))
				}
				out = append(out, Entry{"qdrant " + name, b.String()})
			}
			if at = next; at == nil {
				break
			}
		}
	}
	return out, nil
}

// plain is JSON without its escapes, so that a needle is found as it was written.
func plain(j []byte) string {
	var v any
	if err := json.Unmarshal(j, &v); err != nil {
		return string(j)
	}
	return fmt.Sprint(v)
}

func (x *Scanner) redis(ctx context.Context) ([]Entry, error) {
	var out []Entry
	it := x.cache.Scan(ctx, 0, "*", 1000).Iterator()
	for it.Next(ctx) {
		k := it.Val()
		kind, err := x.cache.Type(ctx, k).Result()
		if err != nil {
			return nil, fmt.Errorf("type of a key: %w", err)
		}
		var v any
		switch kind {
		case "none": // expired meanwhile
			continue
		case "string":
			v, err = x.cache.Get(ctx, k).Result()
		case "hash":
			v, err = x.cache.HGetAll(ctx, k).Result()
		case "list":
			v, err = x.cache.LRange(ctx, k, 0, -1).Result()
		case "set":
			v, err = x.cache.SMembers(ctx, k).Result()
		case "zset":
			v, err = x.cache.ZRange(ctx, k, 0, -1).Result()
		default:
			err = fmt.Errorf("a key of type %s is not looked into", kind)
		}
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, fmt.Errorf("read %s: %w", k, err)
		}
		out = append(out, Entry{"redis " + k, k + "\n" + fmt.Sprint(v)})
	}
	return out, it.Err()
}

// streams are all messages that stand in a stream but the raw log. Blobs are read as objects.
func (x *Scanner) streams(ctx context.Context) ([]Entry, error) {
	var out []Entry
	names := x.js.StreamNames(ctx)
	for name := range names.Name() {
		if name == rawStream || strings.HasPrefix(name, "OBJ_") {
			continue
		}
		s, err := x.js.Stream(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("open stream %s: %w", name, err)
		}
		st := s.CachedInfo().State
		for seq := st.FirstSeq; st.Msgs > 0 && seq <= st.LastSeq; seq++ {
			m, err := s.GetMsg(ctx, seq)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("read %s at %d: %w", name, seq, err)
			}
			out = append(out, Entry{"stream " + name + " " + m.Subject, m.Subject + "\n" + fmt.Sprint(m.Header) + "\n" + string(m.Data)})
		}
	}
	return out, names.Err()
}

// blobs are all objects but raw bodies, which belong to the log: those are marked with generation 0.
func (x *Scanner) blobs(ctx context.Context) ([]Entry, error) {
	stores := x.js.ObjectStoreNames(ctx)
	var out []Entry
	for bucket := range stores.Name() {
		o, err := x.js.ObjectStore(ctx, bucket)
		if err != nil {
			return nil, fmt.Errorf("open object store %s: %w", bucket, err)
		}
		list, err := o.List(ctx)
		if errors.Is(err, jetstream.ErrNoObjectsFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list object store %s: %w", bucket, err)
		}
		for _, i := range list {
			if i.Metadata["generation"] == "0" {
				continue
			}
			b, err := o.GetBytes(ctx, i.Name)
			if err != nil {
				return nil, fmt.Errorf("read object %s: %w", i.Name, err)
			}
			out = append(out, Entry{"blob " + i.Name, string(b)})
		}
	}
	return out, stores.Error()
}

func (x *Scanner) tapped(context.Context) ([]Entry, error) {
	x.tap.mu.Lock()
	defer x.tap.mu.Unlock()
	return append([]Entry(nil), x.tap.es...), x.nc.Flush()
}
