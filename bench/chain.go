package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	natsd "github.com/siltstone-ai/siltstone/internal/embedded/nats"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const (
	chainBody = 1024 // bytes of an event
	chainOpen = 4096 // publishes under way at a time
)

// benchChain measures the stages as they are wired, passing data through: log, clean, one cleaned subject, three
// durables, with the Router and all its middleware, on the streams as shipped. The reference is what raw JetStream
// does with the same events: asynchronous publishes with a message id to a file stream while one consumer takes
// and acknowledges them. Neither syncs each write, so that the work is compared and not the disk. Both alternate.
func benchChain(ctx context.Context, o options) ([]figure, error) {
	n, rounds := max(1000, int(8000*o.scale)), 5
	var raws, chains, ratios []float64
	for i := range rounds {
		order := []func(context.Context, int) (float64, error){rawRate, chainRate}
		got := [2]float64{}
		for j := range order {
			k := (i + j) % 2
			r, err := order[k](ctx, n)
			if err != nil {
				return nil, err
			}
			got[k] = r
		}
		raws, chains, ratios = append(raws, got[0]), append(chains, got[1]), append(ratios, got[1]/got[0])
	}
	slices.Sort(ratios)
	return []figure{
		{"raw JetStream, publish with consume and ack", median(raws), "events/s", fmt.Sprintf("median of %d, %d events of 1 KiB", rounds, n)},
		{"bare chain of four stages", median(chains), "events/s", "2 messages stored and 4 delivered an event"},
		{"chain / raw", median(ratios), "", fmt.Sprintf("%.3f to %.3f", ratios[0], ratios[len(ratios)-1])},
	}, nil
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

// withNATS runs an unsynced server in a temporary directory.
func withNATS(ctx context.Context, fn func(jetstream.JetStream) error) error {
	dir, err := os.MkdirTemp("", "siltstone-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := natsd.Start(ctx, natsd.Options{StoreDir: dir, Unsynced: true})
	if err != nil {
		return err
	}
	defer s.Close()
	nc, err := s.Conn(events.ConnOptions("bench", slog.New(slog.DiscardHandler))...)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := events.OpenJetStream(nc)
	if err != nil {
		return err
	}
	return fn(js)
}

// publishAll publishes asynchronously and waits for every acknowledgement.
func publishAll(js jetstream.JetStream, msgs []*nats.Msg) error {
	futures, failed := make(chan jetstream.PubAckFuture, chainOpen), make(chan error, 1)
	go func() {
		defer close(futures)
		for _, m := range msgs {
			f, err := js.PublishMsgAsync(m, jetstream.WithStallWait(10*time.Second))
			if err != nil {
				failed <- err
				return
			}
			futures <- f
		}
	}()
	for f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			return err
		}
	}
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func logMessages(n int) []*nats.Msg {
	body := []byte(strings.Repeat("x", chainBody))
	now := time.Now().UTC()
	out := make([]*nats.Msg, n)
	for i := range out {
		id := fmt.Sprint("e", i)
		e := schema.Envelope{
			Version: schema.Version, UUID: schema.EventUUID("bench", id), ID: id, Op: schema.OpTurn, Tenant: "bench",
			User: fmt.Sprint("u", i%64), At: now, Accepted: now, Class: schema.ClassUser, BodyHash: schema.Hash(body),
		}
		m := nats.NewMsg(events.LogSubject(e.Tenant, e.User, e.Op))
		m.Header, m.Data = events.Headers(e), body
		m.Header.Set(nats.MsgIdHdr, events.LogMsgID(e.UUID))
		out[i] = m
	}
	return out
}

func rawRate(ctx context.Context, n int) (rate float64, err error) {
	err = withNATS(ctx, func(js jetstream.JetStream) error {
		if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "RAW", Subjects: []string{events.SubjectsLog}}); err != nil {
			return err
		}
		cons, err := js.CreateConsumer(ctx, "RAW", jetstream.ConsumerConfig{Durable: "raw", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: chainOpen})
		if err != nil {
			return err
		}
		var got atomic.Int64
		done := make(chan struct{})
		start := time.Now()
		cc, err := cons.Consume(func(m jetstream.Msg) {
			if m.Ack() == nil && got.Add(1) == int64(n) {
				close(done)
			}
		}, jetstream.PullMaxMessages(1024))
		if err != nil {
			return err
		}
		defer cc.Stop()
		if err := publishAll(js, logMessages(n)); err != nil {
			return err
		}
		<-done
		rate = float64(n) / time.Since(start).Seconds()
		return nil
	})
	return rate, err
}

func chainRate(ctx context.Context, n int) (rate float64, err error) {
	err = withNATS(ctx, func(js jetstream.JetStream) error {
		if _, err := events.Ensure(ctx, js, events.DefaultTopology(), 1); err != nil {
			return err
		}
		metrics, err := events.NewMetrics(prometheus.NewRegistry())
		if err != nil {
			return err
		}
		pub, err := events.NewPublisher(events.PublisherConfig{JS: js, Metrics: metrics})
		if err != nil {
			return err
		}
		blobs, err := events.OpenBlobs(ctx, js)
		if err != nil {
			return err
		}
		r, err := events.NewRouter(events.RouterConfig{JS: js, Metrics: metrics, Bodies: blobs})
		if err != nil {
			return err
		}
		var left sync.WaitGroup
		if err := passThrough(r, pub.Events(blobs.Encode), n, &left); err != nil {
			return err
		}
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		<-r.Running()
		msgs := logMessages(n)
		start := time.Now()
		if err := publishAll(js, msgs); err != nil {
			return err
		}
		left.Wait()
		rate = float64(n) / time.Since(start).Seconds()
		if err := r.Close(ctx); err != nil {
			return err
		}
		return <-ended
	})
	return rate, err
}

// passThrough adds stages that do nothing but hand on; left is done once each of the last three had n events.
func passThrough(r *events.Router, out *events.EventPublisher, n int, left *sync.WaitGroup) error {
	handle := func(stage, stream string, fn events.Handler) error {
		return r.Handle(events.HandlerConfig{Name: stage, Stream: stream, Durable: events.Durable(stage, 1)}, fn)
	}
	err := handle(events.StageClean, events.StreamLog, func(ctx context.Context, ev schema.Event) error {
		ev.Generation, ev.Op = 1, schema.OpCleaned
		return out.Publish(ctx, events.StageClean, ev)
	})
	if err != nil {
		return err
	}
	for _, stage := range []string{events.StageVectorize, events.StageExtract, events.StageDistill} {
		var got atomic.Int64
		left.Add(1)
		err := handle(stage, events.WorkStream(1), func(context.Context, schema.Event) error {
			if got.Add(1) == int64(n) {
				left.Done()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
