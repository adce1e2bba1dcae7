package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Shelf keeps what was answered beyond the life of the process. What it fails at costs a call, never an event.
type Shelf interface {
	// Load is what was kept under each of keys, nil where nothing is.
	Load(ctx context.Context, keys []string) ([][]byte, error)
	// Save keeps values under keys, and returns when they are stored.
	Save(ctx context.Context, keys []string, values [][]byte) error
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
}

// Key is under which key what a model reads in a text of an owner is kept. It begins with the owner, so that all that was
// kept of somebody can be removed without knowing what was said. Nobody is answered from what another said.
func Key(owner, model, text string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00", model, PromptVersion)
	h.Write([]byte(text))
	return OwnerKey(owner) + "." + hex.EncodeToString(h.Sum(nil))
}

// OwnerKey begins the keys of an owner.
func OwnerKey(owner string) string {
	h := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(h[:16])
}

// Name implements the port of the stage: it names the model.
func (r *Reader) Name() string { return r.Model.Model() }

// Read is what the model reads in a text that an owner of a tenant said on a day. ok is false where the tenant's budget of
// that day is spent: nobody was asked then, and nothing is kept. It blocks on the model.
func (r *Reader) Read(ctx context.Context, tenant, owner, day, text string) (out []schema.Reading, ok bool, err error) {
	key := Key(owner, r.Model.Model(), text)
	if kept, err := r.Shelf.Load(ctx, []string{key}); err != nil {
		if ctx.Err() != nil {
			return nil, false, err
		}
		r.tell(ctx, "what a language model answered cannot be read", err)
	} else if len(kept) == 1 && kept[0] != nil && json.Unmarshal(kept[0], &out) == nil {
		r.told("kept")
		return out, true, nil
	}
	spent, err := r.Ledger.Spend(ctx, tenant, day, Usage{Calls: 1})
	if err != nil {
		return nil, false, err // a bound that cannot be kept is none
	}
	if r.Budget.over(spent) {
		r.told("over_budget")
		_, err := r.Ledger.Spend(ctx, tenant, day, Usage{Calls: -1})
		return nil, false, err
	}
	if r.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Limit)
		defer cancel()
	}
	out, used, err := r.Model.Read(ctx, text)
	used.Calls--
	account, cancel := context.WithTimeout(context.WithoutCancel(ctx), accountLimit)
	defer cancel()
	if _, failed := r.Ledger.Spend(account, tenant, day, used); failed != nil {
		r.tell(ctx, "what a call of a language model cost is not counted", failed)
	}
	if err != nil {
		return nil, true, err
	}
	b, err := json.Marshal(out)
	if err == nil {
		err = r.Shelf.Save(account, []string{key}, [][]byte{b})
	}
	if err != nil {
		r.tell(ctx, "what a language model answered is not kept", err)
	}
	return out, true, nil
}

// accountLimit is how long what a call has cost is tried to be written down after it.
const accountLimit = 5 * time.Second

func (r *Reader) told(outcome string) {
	if r.Told != nil {
		r.Told(Call{Outcome: outcome})
	}
}

func (r *Reader) tell(ctx context.Context, what string, err error) {
	r.Log.LogAttrs(ctx, slog.LevelDebug, what, slog.String(obs.KeyError, err.Error()))
}
