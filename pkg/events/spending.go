package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Spent is what was spent on a language model for a tenant on a day.
type Spent struct {
	Calls  int           `json:"calls"`
	Tokens int           `json:"tokens"`
	Took   time.Duration `json:"took"`
}

// Spending counts in SILT_STATE what was spent, for all processes together. Safe for concurrent use.
type Spending struct {
	js    jetstream.JetStream
	state jetstream.Stream
}

// OpenSpending opens the bucket that [Ensure] made.
func OpenSpending(ctx context.Context, js jetstream.JetStream) (*Spending, error) {
	s, err := js.Stream(ctx, "KV_"+BucketState)
	if err != nil {
		return nil, fmt.Errorf("open spending: %w", mapError(err))
	}
	return &Spending{js, s}, nil
}

// A day's count is kept for so long after it was last added to: a replay within it spends nothing that was refused then.
const spendingKept = 35 * 24 * time.Hour

// spendingTries bounds how often one call begins again because another process counted meanwhile.
const spendingTries = 64

func keySpent(tenant, day string) string { return "spent." + schema.Token(tenant) + "." + day }

// Add adds to what was spent on a tenant on a day (2006-01-02), and returns the sum. It blocks until that is stored.
func (s *Spending) Add(ctx context.Context, tenant, day string, more Spent) (Spent, error) {
	subject := "$KV." + BucketState + "." + keySpent(tenant, day)
	for range spendingTries {
		var sum Spent
		last := uint64(0)
		m, err := s.state.GetLastMsgForSubject(ctx, subject)
		switch {
		case err == nil:
			last = m.Sequence
			if err := json.Unmarshal(m.Data, &sum); err != nil {
				return Spent{}, schema.Permanent(schema.CodeCorrupt, err, "what was spent on %s is not readable", day)
			}
		case !errors.Is(err, jetstream.ErrMsgNotFound):
			return Spent{}, fmt.Errorf("read what was spent: %w", mapError(err))
		}
		sum = Spent{sum.Calls + more.Calls, sum.Tokens + more.Tokens, sum.Took + more.Took}
		b, err := json.Marshal(sum)
		if err != nil {
			return Spent{}, schema.Permanent(schema.CodeInternal, err, "encode what was spent")
		}
		_, err = s.js.Publish(ctx, subject, b, jetstream.WithExpectLastSequencePerSubject(last), jetstream.WithMsgTTL(spendingKept))
		if err == nil {
			return sum, nil
		}
		if !lostRace(err) {
			return Spent{}, fmt.Errorf("count what was spent: %w", mapError(err))
		}
	}
	return Spent{}, schema.Retryable(schema.CodeOverloaded, 0, nil, "what was spent keeps being counted by others")
}
