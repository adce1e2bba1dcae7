package events

import (
	"context"
	"errors"
	"strings"
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
		return pub, provisioned{Subscriber: sub, make: func(ctx context.Context, topic string) error {
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
		}}
	}
	tests.TestPubSub(t, features,
		func(t *testing.T) (message.Publisher, message.Subscriber) { return build(t, "all") },
		build,
	)
}

// TestWatermillSuite runs Watermill's own suite for a Pub/Sub: many messages in flight, no order.
func TestWatermillSuite(t *testing.T) {
	child := eventstest.Child(t)
	suite(t, tests.Features{
		ConsumerGroups: true,
		Persistent:     true,
	}, child.URL, 64)
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
