package app

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/internal/clean"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/disk"
	"github.com/siltstone-ai/siltstone/internal/embedded"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/store/redis"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// open starts the embedded servers that no address is given for and connects to all three.
func (a *app) open(ctx context.Context) error {
	var stack *embedded.Stack
	if a.cfg.NATS.URL == "" || a.cfg.Qdrant.Addr == "" || a.cfg.Redis.URL == "" {
		var err error
		stack, err = embedded.Start(ctx, embedded.Options{
			Dir: a.cfg.Data, Logger: a.log, Unsynced: !a.cfg.NATS.SyncEach, MaxConns: share(embeddedConns, embeddedShare),
			Listen:  embedded.Listen{NATS: a.cfg.NATS.Listen, Redis: a.cfg.Redis.Listen, Qdrant: a.cfg.Qdrant.Listen},
			Secrets: a.secrets,
		})
		if err != nil {
			return err
		}
		a.closers = append(a.closers, stack.Close)
		a.watchDisk(stack)
		if a.cfg.NATS.URL == "" || a.cfg.Qdrant.Addr == "" { // Redis keeps nothing in files
			a.compact = stack.Compact
		}
		at := stack.Addresses()
		a.addrs.NATS, a.addrs.Qdrant, a.addrs.Redis = at.NATS, at.Qdrant, at.Redis
		if err := a.handOver(at); err != nil {
			return err
		}
	}
	if err := a.openNATS(stack); err != nil {
		return err
	}
	return a.openStores(stack)
}

func (a *app) openNATS(stack *embedded.Stack) error {
	a.dial = func(name string) (*nats.Conn, error) {
		opts := events.ConnOptions(name, a.log)
		if a.cfg.NATS.URL == "" {
			return stack.NATS(opts...)
		}
		if a.cfg.NATS.Creds != "" {
			opts = append(opts, nats.UserCredentials(a.cfg.NATS.Creds))
		}
		return nats.Connect(a.cfg.NATS.URL, opts...)
	}
	var err error
	if a.nc, err = a.connect("siltstone"); err != nil {
		return err
	}
	a.health.Add("nats", func(context.Context) error {
		if !a.nc.IsConnected() {
			return fmt.Errorf("connection is %s", a.nc.Status())
		}
		return nil
	})
	a.js, err = events.OpenJetStream(a.nc)
	if err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	return nil
}

// connect opens a connection that closes with the app.
func (a *app) connect(name string) (*nats.Conn, error) {
	nc, err := a.dial(name)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	a.closers = append(a.closers, func() error { nc.Close(); return nil })
	return nc, nil
}

func (a *app) openStores(stack *embedded.Stack) error {
	q := qdrant.Options{APIKey: a.cfg.Qdrant.Key, Stages: stages.Names(), Logger: a.log}
	if a.cfg.Qdrant.Addr == "" {
		q.Dial = stack.DialQdrant
	} else {
		q.URL = qdrantURL(a.cfg.Qdrant)
	}
	store, err := qdrant.New(q)
	if err != nil {
		return fmt.Errorf("open the vector store: %w", err)
	}
	a.points = points{store}
	a.closers = append(a.closers, store.Close)
	a.health.Add("qdrant", store.Ping)

	r := redis.Options{Logger: a.log, Fresh: a.cfg.Has("distiller")}
	if a.cfg.Redis.URL == "" {
		r.Dial, r.Password = stack.DialRedis, stack.RedisPassword()
	} else {
		r.URL = a.cfg.Redis.URL
	}
	if a.cache, err = redis.New(r); err != nil {
		return fmt.Errorf("open the cache: %w", err)
	}
	a.closers = append(a.closers, a.cache.Close)
	return nil
}

// qdrantURL is the address of the vector store as a URL.
func qdrantURL(c config.Qdrant) string {
	if c.TLS {
		return "https://" + c.Addr
	}
	return "http://" + c.Addr
}

// openStreams makes the streams and opens what stands on them.
func (a *app) openStreams(ctx context.Context) error {
	report, err := events.Ensure(ctx, a.js, a.topology(), 0)
	if err != nil {
		return fmt.Errorf("make streams: %w", err)
	}
	a.tellEnsured(report, 0)
	if a.eventLog, err = events.OpenLog(ctx, a.js); err != nil {
		return err
	}
	vectors, err := events.OpenKept(ctx, a.js, events.BucketVectors)
	if err != nil {
		return err
	}
	a.shelf.vectors.Store(vectors)
	if a.heard, err = events.OpenKept(ctx, a.js, events.BucketReadings); err != nil {
		return err
	}
	if a.blobs, err = events.OpenBlobs(ctx, a.js); err != nil {
		return err
	}
	if a.slots, err = events.OpenSlots(ctx, a.js); err != nil {
		return err
	}
	a.state, err = events.OpenState(ctx, a.js, events.StateOptions{Defaults: clean.DefaultTools(), Configured: a.cfg.Tools, Log: a.log})
	if err != nil {
		return err
	}
	a.closers = append(a.closers, func() error { a.state.Close(); return nil })
	if err := a.openGenerations(ctx); err != nil {
		return err
	}
	if err := a.state.CatchUp(ctx, a.eventLog); err != nil {
		return fmt.Errorf("read tool policies and settings from the log: %w", err)
	}
	if a.metrics, err = events.NewMetrics(a.registry); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return nil
}

// tellEnsured logs what was made or mended among the streams of a generation.
func (a *app) tellEnsured(r events.Report, gen int) {
	for _, d := range r.Repaired {
		a.log.Warn("stream setting repaired", "drift", d.String())
	}
	if r.Recovered {
		a.log.Info("work stream made", "from", r.Start, obs.KeyGen, gen)
	}
	if r.Held > 0 {
		a.log.Warn("clean is held for a while: the work stream was made anew, and a worker may still acknowledge what it had before", "for", r.Held, obs.KeyGen, gen)
	}
}

func (a *app) topology() events.Topology {
	t := events.DefaultTopology()
	t.Replicas, t.WorkReplicas = a.cfg.NATS.Replicas, a.cfg.NATS.Replicas
	t.WorkMaxBytes, t.AckWait = a.cfg.NATS.MaxWork, a.cfg.Pipeline.AckWait
	if a.cfg.NATS.URL == "" {
		if space, err := disk.Of(a.cfg.Data); err == nil { // bounds of streams are reserved on the disk
			t.InMaxBytes, t.DLQMaxBytes = space.Share(t.InMaxBytes), space.Share(t.DLQMaxBytes)
		}
	}
	if a.cfg.NATS.MaxLog > 0 {
		t.LogMaxBytes = a.cfg.NATS.MaxLog
	}
	if a.cfg.Embed.URL != "" && a.cfg.Embed.KeepMB > 0 {
		t.VectorsMax = a.keptVectors()
	}
	t.LLM, t.ReadingsMax = a.cfg.LLM.URL != "", int64(a.cfg.LLM.Keep)
	if a.cfg.NATS.FileWork {
		t.WorkStorage = "file"
	}
	if a.cfg.NATS.URL != "" { // broker and workers can restart apart
		t.ResetGrace = a.cfg.Pipeline.AckWait
	}
	return t
}
