package events

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/tests"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
)

// provisioned is a Subscriber whose topics are provisioned the way an operator would: the suite makes up topics,
// the Subscriber itself never creates anything.
type provisioned struct {
	*Subscriber
	make func(ctx context.Context, topic string) error
}

func (p provisioned) SubscribeInitialize(topic string) error {
	return p.make(context.Background(), topic)
}

func (p provisioned) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	if err := p.make(ctx, topic); err != nil {
		return nil, err
	}
	return p.Subscriber.Subscribe(ctx, topic)
}

// suite runs Watermill's suite for publishers and subscribers. Every topic is a stream with that one subject;
// a consumer group is a durable.
func suite(t *testing.T, features tests.Features, url func() string, window int) {
	build := func(t *testing.T, group string) (message.Publisher, message.Subscriber) {
		nc := eventstest.Dial(t, url())
		js, err := OpenJetStream(nc)
		if err != nil {
			t.Fatal(err)
		}
		stream := func(topic string) string { return "T_" + strings.NewReplacer("-", "_", ".", "_").Replace(topic) }
		pub, err := NewPublisher(PublisherConfig{JS: js, Timeout: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		sub, err := NewSubscriber(SubscriberConfig{
			JS: js, Window: window, DrainTimeout: time.Second,
			Resolve: func(topic string) (string, string, error) { return stream(topic), group, nil },
			Backoff: Backoff{Min: 5 * time.Millisecond, Max: 100 * time.Millisecond, Rand: Seeded(1)},
		})
		if err != nil {
			t.Fatal(err)
		}
		p := provisioned{Subscriber: sub}
		p.make = func(ctx context.Context, topic string) error {
			ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			s, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: stream(topic), Subjects: []string{topic}})
			if err != nil {
				return err
			}
			pending := 1000
			if features.GuaranteedOrder {
				pending = 1
			}
			_, err = s.CreateConsumer(ctx, jetstream.ConsumerConfig{
				Durable: group, AckPolicy: jetstream.AckExplicitPolicy, AckWait: 5 * time.Second, MaxAckPending: pending, MaxDeliver: -1,
			})
			if errors.Is(err, jetstream.ErrConsumerExists) {
				return nil
			}
			return err
		}
		if strings.Contains(t.Name(), "TestReconnect") {
			log := &publishLog{at: make(map[string]time.Time), changed: make(chan struct{}, 1)}
			return loggedPublisher{pub, log}, delayedSubscriber{p, log}
		}
		return pub, p
	}
	tests.TestPubSub(t, features,
		func(t *testing.T) (message.Publisher, message.Subscriber) { return build(t, "all") },
		build,
	)
}

// TestWatermillSuite runs Watermill's own suite for a Pub/Sub: many messages in flight, no order, a server that
// is killed and started again under load.
//
// The suite's TestReconnect appends to a list of what was published in a goroutine that nothing synchronises
// with. Under -race that one goroutine is excused: the detector takes such a list at start only, so the test runs
// itself again in a process that has it.
func TestWatermillSuite(t *testing.T) {
	const list = "race:tests.TestReconnect.func2\n"
	if raceEnabled && !strings.Contains(os.Getenv("GORACE"), "suppressions=") {
		file := filepath.Join(t.TempDir(), "suppressions")
		if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWatermillSuite$", "-test.v", "-test.timeout=3m")
		cmd.Env = append(os.Environ(), "GORACE="+os.Getenv("GORACE")+" suppressions="+file)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestWatermillSuite/TestReconnect") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	child := eventstest.Child(t)
	suite(t, tests.Features{
		ConsumerGroups:        true,
		Persistent:            true,
		RestartServiceCommand: child.RestartCommand(t),
	}, child.URL, 256)
}

// publishLog knows when each message was published.
type publishLog struct {
	mu      sync.Mutex
	at      map[string]time.Time
	changed chan struct{}
}

// loggedPublisher notes successful publishes.
type loggedPublisher struct {
	message.Publisher
	log *publishLog
}

func (p loggedPublisher) Publish(topic string, msgs ...*message.Message) error {
	if err := p.Publisher.Publish(topic, msgs...); err != nil {
		return err
	}
	p.log.mu.Lock()
	for _, m := range msgs {
		p.log.at[m.UUID] = time.Now()
	}
	p.log.mu.Unlock()
	poke(p.log.changed)
	return nil
}

// delayedSubscriber hands a message on some time after its Publish has returned: the suite's TestReconnect, when
// it has read as many messages as it publishes, takes its list of published ones for complete, which the last
// may not be in yet.
type delayedSubscriber struct {
	provisioned
	log *publishLog
}

func (s delayedSubscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	in, err := s.provisioned.Subscribe(ctx, topic)
	if err != nil {
		return nil, err
	}
	out := make(chan *message.Message)
	go func() {
		defer close(out)
		for m := range in {
			for {
				s.log.mu.Lock()
				at, ok := s.log.at[m.UUID]
				s.log.mu.Unlock()
				wait := 50*time.Millisecond - time.Since(at)
				if ok && wait <= 0 {
					break
				}
				if !ok {
					wait = 50 * time.Millisecond
				}
				t := time.NewTimer(wait)
				select {
				case <-t.C:
				case <-s.log.changed:
					t.Stop()
				}
			}
			out <- m
		}
	}()
	return out, nil
}

// TestWatermillSuiteInOrder runs it once more with a window of one, where order is guaranteed.
func TestWatermillSuiteInOrder(t *testing.T) {
	s := eventstest.Server(t)
	suite(t, tests.Features{
		ConsumerGroups:  true,
		Persistent:      true,
		GuaranteedOrder: true,
		ForceShort:      true,
	}, s.ClientURL, 1)
}
