package events

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A pull whose bytes are used up to the last one ends without a word of the server's, so nothing may wait for one.
func TestAPullOfWhichEveryByteIsUsedHoldsUpNothing(t *testing.T) {
	t.Parallel()
	const n = 8 // one digit for every number in their acknowledgement subjects: all are of one size
	for fit := 1; fit <= n; fit *= 2 {
		for hold := 1; hold <= fit; hold *= 2 {
			for rest := range 2 {
				t.Run(fmt.Sprintf("%d of %d messages and %d bytes", hold, fit, rest), func(t *testing.T) {
					t.Parallel()
					r := startRig(t, jetstream.ConsumerConfig{})
					r.durable(StreamLog, "clean_2", jetstream.ConsumerConfig{})
					for i := range n {
						r.put(testEvent(fmt.Sprintf("e%d", i), bytes.Repeat([]byte("x"), 1000)))
					}
					s, err := NewSubscriber(SubscriberConfig{
						JS: r.js, MaxBytes: fit*r.size("clean_2") + rest, Window: 16, Logger: slog.New(slog.NewTextHandler(r.logs, nil)),
						Resolve: func(string) (string, string, error) { return StreamLog, rigDurable, nil },
					})
					if err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					out, err := s.Subscribe(ctx, "x")
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = s.Close() })
					for i := 0; i < n; i += hold {
						var held []*message.Message
						for range hold {
							select {
							case m := <-out:
								held = append(held, m)
							case <-ctx.Done():
								t.Fatalf("only %d of %d messages came", i+len(held), n)
							}
						}
						for _, m := range held {
							m.Ack()
						}
					}
					r.settled(StreamLog, rigDurable, n)
					if logs := r.logs.String(); logs != "" {
						t.Errorf("the subscription began anew:\n%s", logs)
					}
				})
			}
		}
	}
}

// A pull that has brought all its messages tells of the bytes it had left when the next pull may be under way: they are
// not that one's, and nothing is asked for twice.
func TestWhatAPullTellsLateCountsNoMore(t *testing.T) {
	s := &subscription{cfg: &SubscriberConfig{MaxBytes: 1000, Window: 16}, wake: make(chan struct{}, 1)}
	told := func(round string, messages, bytes int) {
		s.control(&nats.Msg{Subject: "_INBOX.x." + round, Header: nats.Header{
			"Status": {"409"}, "Description": {"Batch Completed"}, "Nats-Pending-Messages": {fmt.Sprint(messages)}, "Nats-Pending-Bytes": {fmt.Sprint(bytes)},
		}})
	}
	s.ask(2)
	s.came(2, 300) // and they are answered at once
	if n, bytes := s.ask(4); n != 4 || bytes != 1000 {
		t.Fatalf("asked for %d messages of %d bytes", n, bytes)
	}
	told("0", 0, 700)
	if s.freeBytes() != 0 || s.outstanding != 4 {
		t.Errorf("%d bytes are free to ask for and %d messages under way", s.freeBytes(), s.outstanding)
	}
	told("1", 4, 1000)
	if s.freeBytes() != 1000 || s.outstanding != 0 || s.round != 2 {
		t.Errorf("after its end %d bytes are free and %d messages under way in round %d", s.freeBytes(), s.outstanding, s.round)
	}
}

// size is how many bytes a durable's first message has as a subscription counts them.
func (r *rig) size(durable string) int {
	r.t.Helper()
	inbox := r.js.Conn().NewInbox()
	sub, err := r.js.Conn().SubscribeSync(inbox)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.js.Conn().PublishRequest(nextSubject(r.js.Options(), StreamLog, durable), inbox, []byte("1")); err != nil {
		r.t.Fatal(err)
	}
	m, err := sub.NextMsg(patience)
	if err != nil {
		r.t.Fatal(err)
	}
	return m.Size()
}
