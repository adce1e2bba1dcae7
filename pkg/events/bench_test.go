package events

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const (
	chainBody   = 1024 // bytes of an event
	chainEvents = 6000 // of one round
	chainOpen   = 4096 // publishes under way at a time
)

// BenchmarkChain measures the bare chain: events of 1 KiB are published to the log (file), clean publishes each
// as a cleaned event to a work stream (memory, interest), and three stages that do nothing acknowledge it there:
// 2 messages stored and 4 delivered an event. Everything goes through the Router and its middleware, with
// metrics. The reference is what raw JetStream does with the same events in the same run: asynchronous publishes
// with a message id to a file stream, while one consumer takes and acknowledges them. Both alternate within an
// iteration, and the server runs in the same process.
//
//	go test -run '^$' -bench Chain -benchtime 5x ./pkg/events
//
// It reports events/s of the chain, raw/s of the reference, and the median of their ratios.
func BenchmarkChain(b *testing.B) {
	var chain, raw, ratio []float64
	for i := range b.N {
		b.StopTimer()
		var r, c float64
		if i%2 == 0 {
			r = benchRaw(b)
		}
		b.StartTimer()
		c = benchChain(b)
		b.StopTimer()
		if i%2 == 1 {
			r = benchRaw(b)
		}
		chain, raw, ratio = append(chain, c), append(raw, r), append(ratio, c/r)
	}
	b.ReportMetric(median(chain), "events/s")
	b.ReportMetric(median(raw), "raw/s")
	b.ReportMetric(median(ratio), "ratio")
	b.ReportMetric(0, "ns/op")
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

func benchJS(b *testing.B) jetstream.JetStream {
	b.Helper()
	js, err := OpenJetStream(eventstest.Conn(b, eventstest.Server(b)))
	if err != nil {
		b.Fatal(err)
	}
	return js
}

// benchPublish publishes all events asynchronously and waits for every acknowledgement.
func benchPublish(b *testing.B, js jetstream.JetStream, msgs []*nats.Msg) {
	futures := make(chan jetstream.PubAckFuture, chainOpen)
	go func() {
		defer close(futures)
		for _, m := range msgs {
			f, err := js.PublishMsgAsync(m, jetstream.WithStallWait(10*time.Second))
			if err != nil {
				b.Error(err)
				return
			}
			futures <- f
		}
	}()
	for f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			b.Error(err)
		}
	}
}

func benchMsgs() []*nats.Msg {
	body := []byte(strings.Repeat("x", chainBody))
	msgs := make([]*nats.Msg, chainEvents)
	for i := range msgs {
		ev := testEvent(fmt.Sprint("e", i), body)
		ev.User = fmt.Sprint("u", i%64)
		msgs[i] = logMsg(ev)
	}
	return msgs
}

func benchRaw(b *testing.B) float64 {
	js := benchJS(b)
	ctx := context.Background()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: StreamLog, Subjects: []string{SubjectsLog}}); err != nil {
		b.Fatal(err)
	}
	cons, err := js.CreateConsumer(ctx, StreamLog, jetstream.ConsumerConfig{Durable: "raw", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 4096})
	if err != nil {
		b.Fatal(err)
	}
	msgs := benchMsgs()
	var n atomic.Int64
	done := make(chan struct{})
	began := time.Now()
	cc, err := cons.Consume(func(m jetstream.Msg) {
		if err := m.Ack(); err != nil {
			b.Error(err)
		}
		if n.Add(1) == chainEvents {
			close(done)
		}
	}, jetstream.PullMaxMessages(1024))
	if err != nil {
		b.Fatal(err)
	}
	defer cc.Stop()
	benchPublish(b, js, msgs)
	<-done
	return chainEvents / time.Since(began).Seconds()
}

func benchChain(b *testing.B) float64 {
	js := benchJS(b)
	ctx := context.Background()
	for _, s := range []jetstream.StreamConfig{
		{Name: StreamLog, Subjects: []string{SubjectsLog}},
		{Name: StreamDLQ, Subjects: []string{SubjectsDLQ}},
		{Name: WorkStream(1), Subjects: []string{"silt.work.1.>"}, Storage: jetstream.MemoryStorage, Retention: jetstream.InterestPolicy},
	} {
		if _, err := js.CreateStream(ctx, s); err != nil {
			b.Fatal(err)
		}
	}
	stages := []string{StageVectorize, StageExtract, StageDistill}
	durable := func(stream, stage string) {
		if _, err := js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{
			Durable: Durable(stage, 1), AckPolicy: jetstream.AckExplicitPolicy, MaxDeliver: -1, AckWait: 30 * time.Second, MaxAckPending: 4096,
		}); err != nil {
			b.Fatal(err)
		}
	}
	durable(StreamLog, StageClean)
	for _, s := range stages {
		durable(WorkStream(1), s)
	}
	metrics, err := NewMetrics(prometheus.NewRegistry())
	if err != nil {
		b.Fatal(err)
	}
	pub, err := NewPublisher(PublisherConfig{JS: js, Metrics: metrics})
	if err != nil {
		b.Fatal(err)
	}
	out := pub.Events(nil)
	router, err := NewRouter(RouterConfig{JS: js, Metrics: metrics, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	handle := func(stream, stage string, fn Handler) {
		if err := router.Handle(HandlerConfig{Name: stage, Stream: stream, Durable: Durable(stage, 1)}, fn); err != nil {
			b.Fatal(err)
		}
	}
	handle(StreamLog, StageClean, func(ctx context.Context, ev schema.Event) error {
		ev.Generation, ev.Op = 1, schema.OpCleaned
		return out.Publish(ctx, StageClean, ev)
	})
	var wg sync.WaitGroup
	for _, s := range stages {
		var n atomic.Int64
		wg.Add(1)
		handle(WorkStream(1), s, func(context.Context, schema.Event) error {
			if n.Add(1) == chainEvents {
				wg.Done()
			}
			return nil
		})
	}
	msgs := benchMsgs()
	ended := make(chan error, 1)
	go func() { ended <- router.Run(ctx) }()
	<-router.Running()
	began := time.Now()
	benchPublish(b, js, msgs)
	wg.Wait()
	took := time.Since(began)
	if err := router.Close(ctx); err != nil {
		b.Fatal(err)
	}
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	return chainEvents / took.Seconds()
}

// BenchmarkPull compares ways to take messages from a durable: our own session below a Subscriber, and what
// nats.go has: Consume, and Fetch again and again. Each holds at most 256 and has a goroutine a message
// acknowledge it, as handlers do.
func BenchmarkPull(b *testing.B) {
	for name, take := range map[string]func(b *testing.B, js jetstream.JetStream, n int){
		"session": pullSession, "consume": pullConsume, "fetch": pullFetch,
	} {
		b.Run(name, func(b *testing.B) {
			var rates []float64
			for range b.N {
				b.StopTimer()
				js := benchJS(b)
				s, err := js.CreateStream(context.Background(), jetstream.StreamConfig{Name: StreamLog, Subjects: []string{SubjectsLog}, Storage: jetstream.MemoryStorage})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.CreateConsumer(context.Background(), jetstream.ConsumerConfig{Durable: rigDurable, AckPolicy: jetstream.AckExplicitPolicy, MaxDeliver: -1, MaxAckPending: 4096}); err != nil {
					b.Fatal(err)
				}
				benchPublish(b, js, benchMsgs())
				b.StartTimer()
				began := time.Now()
				take(b, js, chainEvents)
				rates = append(rates, chainEvents/time.Since(began).Seconds())
			}
			b.ReportMetric(median(rates), "msgs/s")
		})
	}
}

func pullSession(b *testing.B, js jetstream.JetStream, n int) {
	sub, err := NewSubscriber(SubscriberConfig{JS: js, Resolve: func(string) (string, string, error) { return StreamLog, rigDurable, nil }})
	if err != nil {
		b.Fatal(err)
	}
	msgs, err := sub.Subscribe(context.Background(), "x")
	if err != nil {
		b.Fatal(err)
	}
	var wg sync.WaitGroup
	for range n {
		m := <-msgs
		wg.Go(func() { m.Ack() })
	}
	wg.Wait()
	if err := sub.Close(); err != nil {
		b.Fatal(err)
	}
}

func pullConsume(b *testing.B, js jetstream.JetStream, n int) {
	cons, err := js.Consumer(context.Background(), StreamLog, rigDurable)
	if err != nil {
		b.Fatal(err)
	}
	slots := make(chan struct{}, DefaultWindow)
	var wg sync.WaitGroup
	wg.Add(n)
	cc, err := cons.Consume(func(m jetstream.Msg) {
		slots <- struct{}{}
		go func() {
			_ = m.Ack()
			<-slots
			wg.Done()
		}()
	}, jetstream.PullMaxMessages(DefaultWindow))
	if err != nil {
		b.Fatal(err)
	}
	wg.Wait()
	cc.Stop()
}

func pullFetch(b *testing.B, js jetstream.JetStream, n int) {
	cons, err := js.Consumer(context.Background(), StreamLog, rigDurable)
	if err != nil {
		b.Fatal(err)
	}
	slots := make(chan struct{}, DefaultWindow)
	var wg sync.WaitGroup
	const batch = DefaultWindow / 4 // what the session asks for at least
	for got := 0; got < n; {
		want := min(batch, n-got)
		for range want {
			slots <- struct{}{}
		}
		msgs, err := cons.Fetch(want, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			b.Fatal(err)
		}
		for m := range msgs.Messages() {
			got, want = got+1, want-1
			wg.Go(func() {
				_ = m.Ack()
				<-slots
			})
		}
		for range want { // came short
			<-slots
		}
	}
	wg.Wait()
}
