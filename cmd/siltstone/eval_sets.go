package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/eval"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/render"
	"github.com/siltstone-ai/siltstone/internal/retrieve"
	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// dataset is one file of questions.
type dataset struct {
	name    string
	users   []eval.User // all that is ingested
	asked   []eval.User // the same, with the questions of the half
	tenants []string    // of the users, one each: ids of events repeat from user to user
}

// readSets reads the files and gives each user a tenant.
func readSets(files []string) ([]dataset, error) {
	var out []dataset
	for n, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return nil, usage(err)
		}
		users, err := eval.Read(f)
		f.Close()
		if err != nil {
			return nil, usage(fmt.Errorf("%s: %w", file, err))
		}
		if !slices.ContainsFunc(users, func(u eval.User) bool { return len(u.Queries) > 0 }) {
			return nil, usage(fmt.Errorf("%s: queries: there is no question in it, so nothing can be measured; siltstone eval questions makes a file with questions of what a user said", file))
		}
		s := dataset{name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), users: users, asked: users}
		for i := range users {
			s.tenants = append(s.tenants, fmt.Sprintf("eval-%d-%d", n+1, i+1))
		}
		out = append(out, s)
	}
	return out, nil
}

// half is the set with the questions of one half, and the same memories.
func (s dataset) half(tune bool, seed uint64) dataset {
	s.asked = eval.Half(s.users, tune, seed)
	return s
}

// measured ingests the sets into a process of its own, in a directory that goes away, and gives what to ask by.
func (e *env) measured(ctx context.Context, cfg config.Config, sets []dataset, ask func(ctx context.Context, tuned app.Tuned) error) error {
	log, err := obs.NewLogger(e.err, "warn", cfg.Log.Format)
	if err != nil {
		return usage(err)
	}
	var tuned app.Tuned
	return inTempDir(ctx, func(ctx context.Context, dir string, ready func(app.Addresses)) error {
		return app.Run(ctx, app.Options{Config: inside(cfg, dir), Logger: log, Force: e.force, Tuned: func(t app.Tuned) { tuned = t }, Ready: ready})
	}, func(ctx context.Context, at app.Addresses) error {
		for _, s := range sets {
			start := time.Now()
			n, err := ingest(ctx, at.URL(), s)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			fmt.Fprintf(e.err, "%s: %d turns of %d users searchable after %.1f s\n", s.name, n, len(s.users), time.Since(start).Seconds())
		}
		return ask(ctx, tuned)
	})
}

// inside is cfg without what reaches out of dir, but for the embedder: an evaluation writes into no log that anybody uses.
func inside(cfg config.Config, dir string) config.Config {
	base := config.Default()
	cfg.Data, cfg.Roles, cfg.Stages = dir, base.Roles, base.Stages
	cfg.HTTP, cfg.Auth, cfg.NATS, cfg.Qdrant, cfg.Redis, cfg.Trace = base.HTTP, base.Auth, base.NATS, base.Qdrant, base.Redis, base.Trace
	cfg.HTTP.Addr = "127.0.0.1:0"
	return cfg
}

// unhurried is what each path of a question gets: a machine that has much else to do must not spoil what is measured.
const unhurried = 5 * time.Minute

// runArm asks all questions of a set under one tuning of the ranking.
func runArm(ctx context.Context, tuned app.Tuned, s dataset, tune func(*retrieve.Config)) ([]eval.Outcome, error) {
	service, err := tuned.New(func(c *retrieve.Config) {
		c.Timeout, c.Path, c.Cache, c.Embed = unhurried, unhurried, unhurried, unhurried
		if tune != nil {
			tune(c)
		}
	})
	if err != nil {
		return nil, err
	}
	clocks := make([]time.Time, len(s.users))
	for i, u := range s.users {
		for _, ev := range u.Events {
			if ev.At.After(clocks[i]) {
				clocks[i] = ev.At
			}
		}
		clocks[i] = clocks[i].Add(time.Hour)
	}
	return eval.Run(ctx, s.name, s.asked, func(ctx context.Context, user int, question string) ([]string, time.Duration, error) {
		start := time.Now()
		r, err := service.Query(ctx, s.tenants[user], schema.Query{User: s.users[user].ID, Query: question, Limit: 2 * eval.Depth, Now: clocks[user]})
		took := time.Since(start)
		if err == nil && len(r.Degraded) > 0 {
			err = fmt.Errorf("the answer is degraded: %v", r.Degraded)
		}
		if foundNothing(r) { // what stands whatever is asked comes all the same, and answers nothing
			return nil, took, err
		}
		return sources(r.Items), took, err
	})
}

// foundNothing reports whether the reply says that nothing is recorded.
func foundNothing(r schema.Reply) bool {
	for _, lang := range []string{render.ZH, render.EN} {
		for _, block := range []bool{false, true} {
			if strings.HasPrefix(r.Hint, render.Hint(lang, block)) {
				return true
			}
		}
	}
	return false
}

// sources are the events that items come from, each once, in their order.
func sources(items []schema.Item) []string {
	var out []string
	seen := map[string]bool{}
	for _, it := range items {
		if id := it.Source.Event; id != "" && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// ingestLines is how many turns are published at once.
const ingestLines = 500

// ingest publishes every turn of a set and waits until all are searchable.
func ingest(ctx context.Context, server string, s dataset) (n int, err error) {
	for i, u := range s.users {
		cl, err := client.NewHTTP(server, client.WithTenant(s.tenants[i]))
		if err != nil {
			return n, err
		}
		for at := 0; at < len(u.Events); at += ingestLines {
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			for _, ev := range u.Events[at:min(len(u.Events), at+ingestLines)] {
				if err := enc.Encode(schema.Turn{ID: ev.ID, User: u.ID, Conversation: ev.Conversation, At: ev.At, Input: ev.Input}); err != nil {
					return n, err
				}
			}
			r, err := cl.PublishBatch(ctx, &b)
			if err != nil {
				return n, err
			}
			if len(r.Rejected) > 0 {
				bad := r.Rejected[0]
				return n, fmt.Errorf("user %s: %d turns are refused, the first: event %q: %s", u.ID, len(r.Rejected), u.Events[at+bad.Line-1].ID, bad.Error.Message)
			}
			n += len(r.Accepted)
		}
		if err := waitIdle(ctx, io.Discard, cl); err != nil {
			return n, err
		}
	}
	return n, nil
}
