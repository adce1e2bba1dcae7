package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Shelf keeps what was answered beyond the life of the process. What it cannot keep is not used: the same turn would come to
// something else the next time. Each call may be repeated.
type Shelf interface {
	// Load is what was kept under each of keys, nil where nothing is.
	Load(ctx context.Context, keys []string) ([][]byte, error)
	// Save keeps values under keys, and returns when they are stored.
	Save(ctx context.Context, keys []string, values [][]byte) error
	// Remove removes what is kept under keys.
	Remove(ctx context.Context, keys []string) error
}

// Ledger counts what was spent on tenants, for all processes together.
type Ledger interface {
	// Spend adds to what was spent on a tenant on a day, and returns the sum.
	Spend(ctx context.Context, tenant, day string, u Usage) (Usage, error)
}

// Budget is what may be spent on a tenant in a day of UTC; zero is no bound.
type Budget struct {
	Calls  int
	Tokens int
	Took   time.Duration
}

// over reports whether u, which counts the call that is about to be made, is more than b.
func (b Budget) over(u Usage) bool {
	return b.Calls > 0 && u.Calls > b.Calls || b.Tokens > 0 && u.Tokens >= b.Tokens || b.Took > 0 && u.Took >= b.Took
}

// Model is what asks: [Chat].
type Model interface {
	Read(ctx context.Context, text string) ([]schema.Reading, Usage, error)
	Asked(text string) string
	Model() string
}

// Reader asks a model within a budget, about what was not asked before. It is safe for concurrent use.
type Reader struct {
	Model  Model
	Shelf  Shelf
	Ledger Ledger
	Budget Budget
	Limit  time.Duration // of all calls about one text; 0 for none
	Told   func(Call)    // told of texts that nobody was asked about; nil for nobody
	Log    *slog.Logger

	// Gone reports whether ev was forgotten or erased by the time of the call. What was answered about it is not kept then.
	// nil: nothing ever is.
	Gone func(ctx context.Context, ev schema.Event) (bool, error)
}

// asks is how often a model is asked about one text before what it answers counts as malformed.
const asks = 2

// Key is under which key what was answered about a text of an owner is kept; asked tells what was asked, as [Chat.Asked]
// does. It begins with the owner, so that all that was kept of somebody can be removed without knowing what was said.
// Nobody is answered from what another said.
func Key(owner, asked string) string { return OwnerKey(owner) + "." + asked }

// OwnerKey begins the keys of an owner.
func OwnerKey(owner string) string {
	h := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(h[:16])
}

// Name implements the port of the stage: it names the model.
func (r *Reader) Name() string { return r.Model.Model() }

// Read implements the port of the stage: it is what the model reads in a text of the event ev. ok is false where the budget
// of its tenant for its day is spent: the text is not read then, and nothing is kept. What is read is kept, or there is an
// error: it is the same whenever it is asked for. It blocks on the model.
func (r *Reader) Read(ctx context.Context, ev schema.Event, text string) (out []schema.Reading, ok bool, err error) {
	key := Key(schema.Owner(ev.Tenant, ev.User), r.Model.Asked(text))
	kept, err := r.Shelf.Load(ctx, []string{key})
	if err != nil {
		return nil, false, fmt.Errorf("look for what a language model answered: %w", err)
	}
	if len(kept) == 1 && kept[0] != nil && json.Unmarshal(kept[0], &out) == nil {
		r.told("kept")
		return out, true, nil
	}
	if r.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Limit)
		defer cancel()
	}
	if out, ok, err = r.ask(ctx, ev, text); err != nil || !ok {
		return nil, ok, err
	}
	gone, err := r.keep(ctx, ev, key, out)
	if err != nil || gone {
		return nil, true, err
	}
	return out, true, nil
}

// ask asks the model, once more where its answer is malformed. Each call is taken from the budget before it is made, and
// given back where no answer came of it: an outage spends nothing, so that who waits for its end still finds a budget.
func (r *Reader) ask(ctx context.Context, ev schema.Event, text string) (out []schema.Reading, ok bool, err error) {
	day := dayOf(ev)
	for n := 1; ; n++ {
		spent, err := r.Ledger.Spend(ctx, ev.Tenant, day, Usage{Calls: 1})
		if err != nil {
			return nil, false, err // a bound that cannot be kept is none
		}
		if r.Budget.over(spent) {
			r.told("over_budget")
			return nil, false, r.spend(ctx, ev.Tenant, day, Usage{Calls: -1})
		}
		out, used, err := r.Model.Read(ctx, text)
		used.Calls--
		if failed := r.spend(ctx, ev.Tenant, day, used); failed != nil {
			r.Log.LogAttrs(ctx, slog.LevelWarn, "what a call of a language model cost is not counted",
				slog.String(obs.KeyTenant, ev.Tenant), slog.String(obs.KeyEvent, ev.UUID), slog.String(obs.KeyError, failed.Error()))
		}
		if err == nil {
			return out, true, nil
		}
		if n == asks || !malformed(err) || ctx.Err() != nil {
			return nil, true, err
		}
	}
}

// spend counts what was spent, though ctx may have ended.
func (r *Reader) spend(ctx context.Context, tenant, day string, u Usage) error {
	if u == (Usage{}) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), accountLimit)
	defer cancel()
	_, err := r.Ledger.Spend(ctx, tenant, day, u)
	return err
}

// keep keeps what was answered about ev, though ctx may have ended, and asks after that whether ev is there to stay. A mark
// that is in the log by then is seen here, and who makes a later one removes what is kept himself. Where that cannot be
// told, nothing is kept.
func (r *Reader) keep(ctx context.Context, ev schema.Event, key string, out []schema.Reading) (gone bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), accountLimit)
	defer cancel()
	b, err := json.Marshal(out)
	if err != nil {
		return false, schema.Permanent(schema.CodeInternal, err, "encode what a language model answered")
	}
	if err = r.Shelf.Save(ctx, []string{key}, [][]byte{b}); err != nil {
		err = schema.Retryable(schema.CodeUnavailable, 0, err, "what a language model answered is not kept")
	}
	if r.Gone == nil {
		return false, err
	}
	gone, failed := r.Gone(ctx, ev)
	if gone || failed != nil {
		if kept := r.Shelf.Remove(ctx, []string{key}); kept != nil {
			failed = errors.Join(failed, kept)
		}
	}
	if failed != nil {
		err = schema.Retryable(schema.CodeUnavailable, 0, errors.Join(err, failed), "whether what a language model answered may stay is not known")
	}
	return gone, err
}

// dayOf is the day, in UTC, whose budget pays for ev: when intake accepted it, which nobody can choose.
func dayOf(ev schema.Event) string {
	at := ev.Accepted
	if at.IsZero() {
		at = ev.At
	}
	return at.UTC().Format(time.DateOnly)
}

// accountLimit is how long it is tried, after a call, to write down what it has cost, and what was answered.
const accountLimit = 5 * time.Second

func (r *Reader) told(outcome string) {
	if r.Told != nil {
		r.Told(Call{Outcome: outcome})
	}
}
