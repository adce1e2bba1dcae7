package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func ptr[T any](v T) *T { return &v }

func TestToolPoliciesInLayers(t *testing.T) {
	ctx, s, js := ensured(t)
	o := StateOptions{
		Defaults:   []schema.ToolDef{{Name: "cmd_run", NoMemory: true, Why: "noise"}, {Name: "web_fetch", Cleaner: []string{"html"}}},
		Configured: []schema.ToolPolicy{{Name: "web_fetch", Cleaner: &[]string{"html", "truncate:100"}}, {Name: "own", Ingest: ptr(false)}},
	}
	st := openState(t, ctx, js, o)
	other := openState(t, ctx, eventstest.JetStream(t, s), o) // another process
	for _, set := range []struct {
		seq uint64
		p   schema.ToolPolicy
	}{
		{10, schema.ToolPolicy{Name: "cmd_run", NoMemory: ptr(false)}},
		{20, schema.ToolPolicy{Name: "查询", Cleaner: &[]string{"json:a"}}},
		{30, schema.ToolPolicy{Name: "查询", NoMemory: ptr(true)}},
		{40, schema.ToolPolicy{Name: "查询", NoMemory: ptr(false)}},
	} {
		for range 2 { // a retry changes nothing
			if err := st.SetTool(ctx, "acme", set.seq, set.p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if st.PolicyRev("acme") != 40 || st.PolicyRev("other") != 0 {
		t.Errorf("revisions %d, %d", st.PolicyRev("acme"), st.PolicyRev("other"))
	}
	if err := other.WaitPolicy(ctx, "acme", 40); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tenant, tool string
		rev          uint64
		ok, noMemory bool
		cleaners     int
		ingested     bool
		why          string
	}{
		{"acme", "cmd_run", 9, true, true, 0, true, "noise"},
		{"acme", "cmd_run", 10, true, false, 0, true, whySet},
		{"acme", "cmd_run", RevCurrent, true, false, 0, true, whySet},
		{"other", "cmd_run", RevCurrent, true, true, 0, true, "noise"},
		{"acme", "web_fetch", 0, true, false, 2, true, whyConfigured},
		{"acme", "own", 0, true, false, 0, false, whyConfigured},
		{"acme", "查询", 25, true, true, 1, true, whySet}, // no_memory later is honoured
		{"acme", "查询", 30, true, true, 1, true, whySet},
		{"acme", "查询", 40, true, false, 1, true, whySet},
		{"other", "查询", RevCurrent, false, false, 0, true, ""},
		{"acme", "nothing", RevCurrent, false, false, 0, true, ""},
	} {
		for name, s := range map[string]*State{"own": st, "other": other} {
			d, ok := s.Policy(c.tenant, c.tool, c.rev)
			if ok != c.ok || d.Name != c.tool || d.NoMemory != c.noMemory || len(d.Cleaner) != c.cleaners || d.Ingested() != c.ingested || d.Why != c.why {
				t.Errorf("%s process: %s/%s at %d: %+v, %v; want %+v", name, c.tenant, c.tool, c.rev, d, ok, c)
			}
		}
	}
	var names []string
	for _, d := range st.Tools("acme") {
		names = append(names, d.Name)
	}
	if fmt.Sprint(names) != "[cmd_run own web_fetch 查询]" || len(st.Tools("other")) != 3 {
		t.Errorf("tools: %v; of another tenant: %d", names, len(st.Tools("other")))
	}
}

// TestA2_OnePolicyWhateverTheSpelling: a policy is the tool's, however its name is written or qualified, lies over
// what holds for it, and no spelling undoes that an output is not to be remembered.
func TestA2_OnePolicyWhateverTheSpelling(t *testing.T) {
	ctx, _, js := ensured(t)
	st := openState(t, ctx, js, StateOptions{
		Defaults: []schema.ToolDef{{Name: "bash", NoMemory: true, Why: "noise"}, {Name: "read_file", Cleaner: []string{"ansi"}}, {Name: "web_fetch", Cleaner: []string{"html"}}},
		Configured: []schema.ToolPolicy{
			{Name: "Web-Fetch", Ingest: ptr(true)}, {Name: "mcp__safe__bash", NoMemory: ptr(false)}, {Name: "Own_Tool", Cleaner: &[]string{"ansi"}},
		},
	})
	// As an earlier build kept it: under the name as it came.
	if _, err := st.kv.Create(ctx, "tool."+schema.Token("acme")+"."+schema.Token("Old-Tool")+".5", mustJSON(schema.ToolPolicy{Name: "Old-Tool", NoMemory: ptr(true)})); err != nil {
		t.Fatal(err)
	}
	eventstest.Eventually(t, patience, "the old key is read", func() bool { return st.PolicyRev("acme") == 5 })
	for _, set := range []struct {
		seq uint64
		p   schema.ToolPolicy
	}{
		{5, schema.ToolPolicy{Name: "Old-Tool", NoMemory: ptr(true)}}, // caught up with again
		{10, schema.ToolPolicy{Name: "Bash", Cleaner: &[]string{"truncate:4000"}}},
		{20, schema.ToolPolicy{Name: "My-Tool", NoMemory: ptr(true)}},
		{30, schema.ToolPolicy{Name: "mcp__docs__read_file", NoMemory: ptr(false), Cleaner: &[]string{"json:a"}}},
		{40, schema.ToolPolicy{Name: "ReadFile", NoMemory: ptr(true)}},
		{50, schema.ToolPolicy{Name: "my_tool", Cleaner: &[]string{"html"}}},
		{60, schema.ToolPolicy{Name: "read_file", NoMemory: ptr(false)}},
		{70, schema.ToolPolicy{Name: "mcp__x__Bash", NoMemory: ptr(false)}},
	} {
		if err := st.SetTool(ctx, "acme", set.seq, set.p); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		tool     string
		rev      uint64
		name     string
		noMemory bool
		cleaner  string
	}{
		{"bash", 9, "bash", true, "[]"},
		{"bash", 10, "bash", true, "[truncate:4000]"}, // the default's no_memory stays
		{"BASH", 10, "bash", true, "[truncate:4000]"},
		{"functions.Bash", 10, "functions.Bash", true, "[truncate:4000]"},
		{"mcp__x__Bash", 69, "mcp__x__Bash", true, "[truncate:4000]"},
		{"mcp__x__bash", 70, "mcp__x__Bash", false, "[truncate:4000]"}, // for that one alone
		{"bash", 70, "bash", true, "[truncate:4000]"},
		{"mcp__safe__bash", 9, "mcp__safe__bash", false, "[]"}, // configured so
		{"my_tool", 0, "My-Tool", true, "[]"},                  // set later: honoured
		{"my_tool", 50, "My-Tool", true, "[html]"},
		{"srv/MyTool", 50, "srv/MyTool", true, "[html]"},
		{"mcp__docs__read-file", 29, "mcp__docs__read_file", true, "[ansi]"}, // by the later policy of the broad name
		{"mcp__docs__read_file", 59, "mcp__docs__read_file", true, "[json:a]"},
		{"mcp__docs__read_file", 60, "mcp__docs__read_file", false, "[json:a]"},
		{"mcp__else__read_file", 59, "mcp__else__read_file", true, "[ansi]"},
		{"mcp__else__read_file", 60, "mcp__else__read_file", false, "[ansi]"},
		{"webfetch", 60, "web_fetch", false, "[html]"}, // the configuration set nothing that matters
		{"own-tool", 60, "Own_Tool", false, "[ansi]"},
		{"old_tool", 60, "Old-Tool", true, "[]"},
	} {
		d, ok := st.Policy("acme", c.tool, c.rev)
		if !ok || d.Name != c.name || d.NoMemory != c.noMemory || fmt.Sprint(d.Cleaner) != c.cleaner {
			t.Errorf("%s at %d: %+v, %v; want %+v", c.tool, c.rev, d, ok, c)
		}
	}
	if d, ok := st.Policy("acme", "unknown", RevCurrent); ok || d.NoMemory {
		t.Errorf("of an unknown tool is known %+v", d)
	}
	var names []string
	for _, d := range st.Tools("acme") {
		names = append(names, d.Name)
	}
	if want := "[My-Tool Old-Tool Own_Tool bash mcp__docs__read_file mcp__safe__bash mcp__x__Bash read_file web_fetch]"; fmt.Sprint(names) != want {
		t.Errorf("tools: %v, want %s", names, want)
	}
	if h := st.tools[toolKey{"acme", schema.ToolKey("old-tool")}]; len(h) != 1 {
		t.Errorf("one policy under an old key and a new one is kept %d times", len(h))
	}
}

// Spellings never matter: policies set under any of them answer the same under any other.
func TestPolicyDoesNotHangOnTheSpelling(t *testing.T) {
	spellings := []string{"read_file", "ReadFile", "read-file", "READ_FILE", "Read File"}
	rapid.Check(t, func(t *rapid.T) {
		one := &State{revs: map[string]uint64{}, changed: make(chan struct{}), tools: map[toolKey][]policyAt{}, toolRev: map[string]uint64{}}
		any := &State{revs: map[string]uint64{}, changed: make(chan struct{}), tools: map[toolKey][]policyAt{}, toolRev: map[string]uint64{}}
		def := schema.ToolDef{Name: "read_file", NoMemory: rapid.Bool().Draw(t, "default")}
		one.base, any.base = newToolTable([]schema.ToolDef{def}, nil), newToolTable([]schema.ToolDef{def}, nil)
		n := rapid.IntRange(1, 5).Draw(t, "n")
		for i := range n {
			var p schema.ToolPolicy
			if rapid.Bool().Draw(t, "set") {
				p.NoMemory = ptr(rapid.Bool().Draw(t, "no"))
			}
			if rapid.Bool().Draw(t, "clean") {
				p.Cleaner = &[]string{fmt.Sprint(i)}
			}
			prefix := rapid.SampledFrom([]string{"", "mcp__a__"}).Draw(t, "prefix")
			raw := prefix + rapid.SampledFrom(spellings).Draw(t, "spelling")
			p.Name = prefix + "read_file"
			one.apply(keyTool("a", p.Name, uint64(i+1)), mustJSON(p), uint64(i+1), false)
			p.Name = raw
			key := keyTool("a", raw, uint64(i+1))
			if rapid.Bool().Draw(t, "old key") {
				key = "tool." + schema.Token("a") + "." + schema.Token(raw) + "." + fmt.Sprint(i+1)
			}
			any.apply(key, mustJSON(p), uint64(i+1), false)
		}
		for rev := range n + 1 {
			for _, prefix := range []string{"", "mcp__a__", "mcp__b__"} {
				want, _ := one.Policy("a", prefix+"read_file", uint64(rev))
				got, _ := any.Policy("a", prefix+rapid.SampledFrom(spellings).Draw(t, "asked"), uint64(rev))
				want.Name, got.Name = "", ""
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s at %d: %+v, want %+v", prefix, rev, got, want)
				}
			}
		}
	})
}

// In whatever order the watch and the retries bring the policies of a tool, each revision has one answer: the
// policies up to it, folded in order of their sequence.
func TestPolicyDoesNotHangOnArrival(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		ps := make([]schema.ToolPolicy, n)
		for i := range ps {
			ps[i] = schema.ToolPolicy{Name: "x"}
			if rapid.Bool().Draw(t, "set") {
				ps[i].NoMemory = ptr(rapid.Bool().Draw(t, "no"))
			}
			if rapid.Bool().Draw(t, "clean") {
				ps[i].Cleaner = &[]string{fmt.Sprint(i)}
			}
		}
		order := rapid.Permutation(indices(n)).Draw(t, "order")
		s := &State{revs: map[string]uint64{}, changed: make(chan struct{}), tools: map[toolKey][]policyAt{}, toolRev: map[string]uint64{}, base: newToolTable(nil, nil)}
		for _, i := range append(order, order...) { // each twice, as own write and watch do
			s.apply(keyTool("a", "x", uint64(i+1)), mustJSON(ps[i]), uint64(i+1), false)
		}
		for rev := range n + 1 {
			want, ok := schema.ToolDef{Name: "x"}, false
			for i, p := range ps {
				if i+1 <= rev {
					want, ok = p.Apply(want), true
				} else if p.NoMemory != nil && *p.NoMemory {
					want.NoMemory, ok = true, true
				}
				if ok {
					want.Why = whySet
				}
			}
			got, gotOK := s.Policy("a", "x", uint64(rev))
			if gotOK != ok || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("at %d: %+v %v, want %+v %v", rev, got, gotOK, want, ok)
			}
		}
	})
}

func indices(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func TestWaitPolicyGivesUpWithItsContext(t *testing.T) {
	ctx, _, js := ensured(t)
	st := openState(t, ctx, js, StateOptions{})
	if err := st.WaitPolicy(ctx, "acme", 0); err != nil {
		t.Error(err)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	wantCode(t, st.WaitPolicy(short, "acme", 5), schema.CodeUnavailable, false)
}

func TestD2_SettingsOfTheLaterEntryWin(t *testing.T) {
	ctx, s, js := ensured(t)
	st := openState(t, ctx, js, StateOptions{})
	other := openState(t, ctx, eventstest.JetStream(t, s), StateOptions{})
	if got := st.Settings("acme", "小李"); !got.On() {
		t.Error("memory is off where nothing was set")
	}
	var wg sync.WaitGroup
	for seq := uint64(1); seq <= 20; seq++ { // two ingesters, in any order
		to := []*State{st, other}[seq%2]
		wg.Go(func() {
			if err := to.SetSettings(ctx, "acme", "小李", seq, schema.Settings{Enabled: ptr(seq != 20)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, p := range []*State{st, other} {
		eventstest.Eventually(t, patience, "the last settings are seen", func() bool { return !p.Settings("acme", "小李").On() })
	}
	if !st.Settings("acme", "小").On() || !st.Settings("acm", "e.小李").On() {
		t.Error("another user's settings changed too")
	}
}

func TestGenerationsAndTheActiveOne(t *testing.T) {
	ctx, s, js := ensured(t)
	st := openState(t, ctx, js, StateOptions{})
	other := openState(t, ctx, eventstest.JetStream(t, s), StateOptions{})
	activate := func(n int) error { _, err := st.SetActive(ctx, n, nil); return err }
	wantCode(t, activate(1), schema.CodeNotFound, true)
	for _, n := range []int{2, 1, 2} {
		if err := st.RegisterGeneration(ctx, Generation{Number: n, From: uint64(n)}); err != nil {
			t.Fatal(err)
		}
	}
	if g := st.Generations(); len(g) != 2 || g[0].Number != 1 || g[1].From != 2 {
		t.Errorf("generations: %+v", g)
	}
	for _, n := range []int{1, 2, 1} {
		before := st.Active()
		if was, err := st.SetActive(ctx, n, nil); err != nil || was != before {
			t.Fatalf("was %d, want %d: %v", was, before, err)
		}
		if st.Active() != n {
			t.Errorf("active %d right after the write, want %d", st.Active(), n)
		}
		eventstest.Eventually(t, patience, "the other process follows", func() bool { return other.Active() == n })
	}
	moved := other.Moved()
	gone := func(g *Generation) error { g.Phase = PhasePruned; return nil }
	if g, err := st.EditGeneration(ctx, 2, gone); err != nil || g.From != 2 {
		t.Fatalf("%+v, %v", g, err)
	}
	if len(st.Generations()) != 1 {
		t.Error("the generation that is gone is still there")
	}
	eventstest.Eventually(t, patience, "the other process forgets it", func() bool { return len(other.Generations()) == 1 })
	select {
	case <-moved:
	default:
		t.Error("the other process is not told that something moved")
	}
	wantCode(t, activate(2), schema.CodeNotFound, true)
	if _, err := st.EditGeneration(ctx, 7, gone); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("edit of none: %v", err)
	}
	// A number is not used again, whoever asks, and however many at once.
	var wg sync.WaitGroup
	numbers := make([]int, 6)
	for i := range numbers {
		wg.Go(func() {
			by := []*State{st, other}[i%2]
			g, err := by.NextGeneration(ctx, Generation{Target: 9}, func([]Generation) error { return nil })
			if err != nil {
				t.Error(err)
			}
			numbers[i] = g.Number
		})
	}
	wg.Wait()
	slices.Sort(numbers)
	if !slices.Equal(numbers, []int{3, 4, 5, 6, 7, 8}) {
		t.Errorf("numbers given: %v", numbers)
	}
	// Of those who may not be there together one is registered, whoever asks, and however many at once.
	alone := errors.New("there is one")
	var won atomic.Int64
	for i := range 6 {
		wg.Go(func() {
			_, err := []*State{st, other}[i%2].NextGeneration(ctx, Generation{Policy: "x"}, func(all []Generation) error {
				if slices.ContainsFunc(all, func(g Generation) bool { return g.Policy == "x" }) {
					return alone
				}
				return nil
			})
			if err == nil {
				won.Add(1)
			} else if !errors.Is(err, alone) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d were registered, want one", won.Load())
	}
}

// Who thinks a switch due is asked again where somebody else has switched meanwhile, with the entry as it stands then.
func TestASwitchIsNotMadeOverALaterChoice(t *testing.T) {
	ctx, s, js := ensured(t)
	st := openState(t, ctx, js, StateOptions{})
	other := openState(t, ctx, eventstest.JetStream(t, s), StateOptions{})
	for n := 1; n <= 2; n++ {
		if err := st.RegisterGeneration(ctx, Generation{Number: n, Switch: n == 2}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := st.SetActive(ctx, 1, nil); err != nil {
		t.Fatal(err)
	}
	asked, late := 0, errors.New("no more")
	_, err := other.SetActive(ctx, 2, func(was int, g Generation) error {
		if asked++; !g.Switch {
			return late
		}
		// Between the look and the write: the switch is made by another, and taken back.
		_, err1 := st.SetActive(ctx, 2, nil)
		_, err2 := st.EditGeneration(ctx, 2, func(g *Generation) error { g.Switch = false; return nil })
		_, err3 := st.SetActive(ctx, 1, nil)
		return errors.Join(err1, err2, err3)
	})
	if !errors.Is(err, late) || asked != 2 || st.Active() != 1 {
		t.Errorf("asked %d times, %v, and %d is read; want twice, refused, 1", asked, err, st.Active())
	}
}

// An intake that died between the append and the Set leaves ops that the state does not know.
func TestCatchUpAppliesWhatIntakeCouldNot(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	tool := turnEvent("acme", "", "t1", `{"name":"x","no_memory":true}`)
	tool.Op, tool.Class = schema.OpTool, schema.ClassOperator
	set := turnEvent("acme", "u", "s1", `{"enabled":false}`)
	set.Op = schema.OpSetting
	odd := turnEvent("acme", "", "t2", `not json`)
	odd.Op = schema.OpTool
	seqs := mustAppend(t, ctx, l, turnEvent("acme", "u", "a", "x"), tool, odd, set)
	st := openState(t, ctx, js, StateOptions{})
	for range 2 {
		if err := st.CatchUp(ctx, l); err != nil {
			t.Fatal(err)
		}
	}
	if d, ok := st.Policy("acme", "x", seqs[1]); !ok || !d.NoMemory || st.PolicyRev("acme") != seqs[1] || st.Settings("acme", "u").On() {
		t.Errorf("policy %+v %v, revision %d, settings %+v", d, ok, st.PolicyRev("acme"), st.Settings("acme", "u"))
	}
	// A process that starts later finds all of it.
	if late := openState(t, ctx, js, StateOptions{}); late.PolicyRev("acme") != seqs[1] || late.Settings("acme", "u").On() {
		t.Error("a later process does not see what was caught up")
	}
}
