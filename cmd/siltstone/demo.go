package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/examples"
	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// shown are the turns whose way through the stages the demo prints, and why.
var shown = []struct{ id, why string }{
	{"lin-010", "a shell's output is no_memory: kept raw, computed nowhere; the reply that explains it is remembered"},
	{"lin-017", "a fetched page: the cleaner keeps the words, the raw event keeps the HTML"},
	{"maya-025", "a change in a life: a fact, with its time and its source"},
}

// asked are the questions of the demo.
var asked = []struct{ user, question, why string }{
	{"lin", "账号文件第一行的那个账号是谁的？", "the answer comes from the reply; the printed line is in no index"},
	{"lin", "deploy.py 在哪个目录？", "only a tool's listing ever named the file"},
	{"lin", "帮我点一份牛肉面，要注意什么？", "a rule that must be kept comes first, whatever is asked"},
	{"lin", "网关现在监听哪个端口？", "a fact that changed"},
	{"maya", "Who is my manager now?", "a fact that changed, said in other words"},
	{"maya", "What did web_fetch say about opening hours?", "found by the tool it came from"},
	{"guest", "What is my blood type?", "nothing is recorded, which is not the same as not so"},
}

// demoNow is the day on which the demo asks, some weeks after the last turn.
var demoNow = time.Date(2026, 10, 20, 9, 0, 0, 0, time.UTC)

func demoCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Run the whole pipeline on a sample and show what it does", Long: help("demo"), Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.demo(cmd.Context()) },
	}
}

// demo runs everything in a temporary directory and talks to it over HTTP, as any client would.
func (e *env) demo(ctx context.Context) error {
	return inTempDir(ctx, func(ctx context.Context, dir string, ready func(app.Addresses)) error {
		cfg := config.Default()
		cfg.Data, cfg.HTTP.Addr, cfg.Log.Level = dir, "127.0.0.1:0", "warn"
		return e.up(ctx, cfg, ready)
	}, func(ctx context.Context, at app.Addresses) error {
		cl, err := client.NewHTTP(at.URL())
		if err != nil {
			return err
		}
		return e.tour(ctx, cl)
	})
}

// tour publishes the sample, waits, and shows.
func (e *env) tour(ctx context.Context, cl *client.HTTP) error {
	w := e.out
	var r demoReport
	if e.json {
		w = io.Discard
	}
	start := time.Now()
	fmt.Fprintf(w, "Siltstone is up: a NATS server, a Redis and a vector store in this process. Publishing %d turns of two users …\n", bytes.Count(examples.Turns, []byte("\n")))
	out, err := cl.PublishBatch(ctx, bytes.NewReader(examples.Turns))
	if err != nil {
		return fmt.Errorf("publish the sample: %w", err)
	}
	if n := len(out.Rejected); n > 0 {
		return fmt.Errorf("publish the sample: %d lines rejected, the first: %s", n, out.Rejected[0].Error.Message)
	}
	if err := waitIdle(ctx, w, cl); err != nil {
		return err
	}
	r.Accepted, r.SettledMS = len(out.Accepted), time.Since(start).Milliseconds()
	fmt.Fprintf(w, "All are settled and searchable after %d ms.\n", r.SettledMS)

	heading(w, "What the stages did to three turns")
	for _, s := range shown {
		st, err := showTurn(ctx, w, cl, s.id, s.why)
		if err != nil {
			return err
		}
		r.Turns = append(r.Turns, demoTurn{s.why, st})
	}
	st, err := cl.Status(ctx)
	if err != nil {
		return err
	}
	r.Ledger = st.Ledger
	heading(w, "Every event is accounted for")
	fmt.Fprintln(w, ledgerLine(st.Ledger))

	heading(w, "Seven questions, and the block that goes into the prompt")
	for i, q := range asked {
		a, err := cl.Query(ctx, schema.Query{User: q.user, Query: q.question, Now: demoNow})
		if err != nil {
			return fmt.Errorf("question %d: %w", i+1, err)
		}
		r.Answers = append(r.Answers, demoAnswer{q.user, q.question, q.why, a})
		fmt.Fprintf(w, "\n%d. %s asks: %s\n   (%s; %.1f ms)\n", i+1, q.user, q.question, q.why, a.TookMS)
		printBlock(w, a)
	}
	if e.json {
		return printJSON(e.out, r)
	}
	heading(w, "How to go on")
	fmt.Fprint(w, help("next"))
	return nil
}

// demoReport is what the demo shows, as JSON.
type demoReport struct {
	Accepted  int           `json:"accepted"`
	SettledMS int64         `json:"settled_ms"`
	Turns     []demoTurn    `json:"turns"`
	Ledger    schema.Ledger `json:"ledger"`
	Answers   []demoAnswer  `json:"answers"`
}

type demoTurn struct {
	Why    string             `json:"why"`
	Status schema.EventStatus `json:"status"`
}

type demoAnswer struct {
	User  string       `json:"user"`
	Query string       `json:"query"`
	Why   string       `json:"why"`
	Reply schema.Reply `json:"reply"`
}

func heading(w io.Writer, s string) {
	fmt.Fprintf(w, "\n━━ %s %s\n", s, strings.Repeat("━", max(0, 76-len([]rune(s)))))
}

func printBlock(w io.Writer, r schema.Reply) {
	if r.Block == "" {
		fmt.Fprintln(w, "   │ (empty block)")
	}
	for line := range strings.Lines(r.Block) {
		fmt.Fprintf(w, "   │ %s\n", strings.TrimRight(line, "\n"))
	}
	if r.Hint != "" {
		fmt.Fprintf(w, "   hint: %s\n", r.Hint)
	}
}

// showTurn prints one turn on its way, and returns it: raw, cleaned, keywords, triples, facts.
func showTurn(ctx context.Context, w io.Writer, cl *client.HTTP, id, why string) (st schema.EventStatus, err error) {
	raw, err := cl.Event(ctx, id)
	if err != nil {
		return st, fmt.Errorf("read event %s: %w", id, err)
	}
	if st, err = cl.EventStatus(ctx, id, true); err != nil {
		return st, fmt.Errorf("read status of %s: %w", id, err)
	}
	if st.Computed == nil {
		return st, errors.New("the server does not say what was computed from " + id)
	}
	var t schema.Turn
	if err := json.Unmarshal(raw, &t); err != nil {
		return st, fmt.Errorf("read event %s: %w", id, err)
	}
	fmt.Fprintf(w, "\n%s: %s\n", id, why)
	row := func(name, v string) {
		if v != "" {
			fmt.Fprintf(w, "  %-9s %s\n", name, strings.ReplaceAll(v, "\n", " ⏎ "))
		}
	}
	row("raw", "in:   "+t.Input)
	row("", "out:  "+t.Response)
	for _, r := range t.ToolResults {
		row("", "tool: "+r.Name+" → "+clip(fmt.Sprintf("%q", r.Output), 100))
	}
	for _, s := range st.Computed.Segments {
		row("cleaned", s.Key+": "+clip(s.Text, 120))
	}
	for _, d := range st.Dropped {
		row("dropped", d.Segment+" of "+d.Tool+": "+d.Reason)
	}
	row("keywords", strings.Join(first(st.Computed.Keywords, 10), ", "))
	var ents []string
	for _, x := range first(st.Computed.Entities, 8) {
		ents = append(ents, x.Text+" ("+x.Type+")")
	}
	row("entities", strings.Join(ents, ", "))
	for _, x := range first(st.Computed.Triples, 4) {
		row("triple", fmt.Sprintf("(%s, %s, %s)", x.Subject, x.Predicate, x.Object))
	}
	for _, m := range st.Computed.Facts {
		row("fact", fmt.Sprintf("%s, %s: %s", m.Type, m.Status, m.Content))
	}
	return st, nil
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

func first[T any](s []T, n int) []T { return s[:min(n, len(s))] }
