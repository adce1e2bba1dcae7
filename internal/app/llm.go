package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/distill"
	"github.com/siltstone-ai/siltstone/internal/llm"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// newChat builds the language model of the configuration, which is asked for nothing yet.
func newChat(c config.LLM, told func(llm.Call)) (*llm.Chat, error) {
	key := c.Key
	if c.KeyFile != "" {
		b, err := os.ReadFile(c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("llm.key_file %w: %w", ErrConfig, err)
		}
		key = strings.TrimSpace(string(b))
	}
	var words []llm.Predicate
	for _, o := range distill.Offers() {
		words = append(words, llm.Predicate(o))
	}
	return llm.New(llm.Config{
		BaseURL: c.URL, AllowPrivate: c.AllowPrivate, Proxy: c.Proxy, Key: key, Model: c.Model, Predicates: words,
		MaxInput: c.MaxInput, MaxOutput: c.MaxOutput, Told: told,
	})
}

// newModel builds what the stage llm reads through, where a language model is configured. The streams are there.
func (a *app) newModel(ctx context.Context) error {
	c := a.cfg.LLM
	if c.URL == "" || !a.cfg.Has("distiller") {
		return nil
	}
	m, err := obs.NewModelMetrics(a.registry)
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	told := func(call llm.Call) { m.Observe(call.Outcome, call.Tokens, call.Took) }
	chat, err := newChat(c, told)
	if err != nil {
		return fmt.Errorf("build language model: %w", err)
	}
	spent, err := events.OpenSpending(ctx, a.js)
	if err != nil {
		return err
	}
	a.model = &llm.Reader{
		Model: chat, Shelf: a.heard, Ledger: ledger{spent}, Limit: c.Timeout, Told: told, Log: a.log, Gone: a.marks.Forgotten,
		Budget: llm.Budget{Calls: c.DayCalls, Tokens: c.DayTokens, Took: c.DayTime},
	}
	return nil
}

// ledger implements llm.Ledger.
type ledger struct{ *events.Spending }

func (l ledger) Spend(ctx context.Context, tenant, day string, u llm.Usage) (llm.Usage, error) {
	sum, err := l.Add(ctx, tenant, day, events.Spent(u))
	return llm.Usage(sum), err
}

// settledEvery is how often it is looked whether a turn is settled that the model is to read.
const settledEvery = 500 * time.Millisecond

// modelDeliver is how often an event whose text the model fails at, while it does not fail at others, is tried.
const modelDeliver = 3

// modelConfig is the handler of the stage llm: few at once, and what fails is given up, for nothing is lost by it.
func (a *app) modelConfig(g *reading, c events.HandlerConfig, sink stages.Sink) events.HandlerConfig {
	c.Window, c.MaxDeliver = a.cfg.LLM.Parallel, modelDeliver
	c.GiveUp = func(ctx context.Context, ev schema.Event, _ error) error {
		st := schema.ModelStatus{Outcome: schema.ModelGivenUp, Model: a.model.Name()}
		return sink.Apply(ctx, g.Number, []schema.Write{stages.ModelWrite(ev, st)})
	}
	return c
}

// afterFloor passes on the turns that a generation accounts for once they are settled.
func afterFloor(g *reading, fn events.Handler) events.Handler {
	return func(ctx context.Context, ev schema.Event) error {
		switch {
		case !g.Reads(ev.Tenant, ev.Seq) || !g.Holds(ev.Seq):
			return nil
		case g.floor.floor.Last() < ev.Seq:
			return events.Wait(settledEvery, "event %s is not settled yet", ev.UUID)
		}
		return fn(ctx, ev)
	}
}

// probeModel asks the model for one reading, as a turn would.
func probeModel(ctx context.Context, cfg config.Config) (string, error) {
	chat, err := newChat(cfg.LLM, nil)
	if err != nil {
		return "", err
	}
	rs, u, err := chat.Read(ctx, "I live in Porto. 我住在波尔图。")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s keeps to the form, states %d of 2 facts, took %d tokens", cfg.LLM.Model, len(rs), u.Tokens), nil
}

// removeReadings removes what a language model read of a user.
func (e erasureRest) removeReadings(ctx context.Context, tenant, user string) error {
	if err := e.heard.Remove(ctx, []string{llm.OwnerKey(schema.Owner(tenant, user)) + ".>"}); err != nil {
		return fmt.Errorf("remove what a language model read: %w", err)
	}
	return nil
}

// tellModel says at start whom what users say is sent to.
func (a *app) tellModel(ctx context.Context) {
	if a.model != nil {
		a.log.LogAttrs(ctx, slog.LevelInfo, "a language model is asked about what users say, once it is cleaned", slog.String("model", a.model.Name()))
	}
}
