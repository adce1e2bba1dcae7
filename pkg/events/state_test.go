package events

import (
	"context"
	"fmt"
	"sync"
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
		tenant, tool  string
		rev           uint64
		ok, noMemory  bool
		cleaners      int
		ingested, why bool
	}{
		{"acme", "cmd_run", 9, true, true, 0, true, true},
		{"acme", "cmd_run", 10, true, false, 0, true, true},
		{"acme", "cmd_run", RevCurrent, true, false, 0, true, true},
		{"other", "cmd_run", RevCurrent, true, true, 0, true, true},
		{"acme", "web_fetch", 0, true, false, 2, true, false},
		{"acme", "own", 0, true, false, 0, false, false},
		{"acme", "查询", 25, true, true, 1, true, false}, // no_memory later is honoured
		{"acme", "查询", 30, true, true, 1, true, false},
		{"acme", "查询", 40, true, false, 1, true, false},
		{"other", "查询", RevCurrent, false, false, 0, true, false},
		{"acme", "nothing", RevCurrent, false, false, 0, true, false},
	} {
		for name, s := range map[string]*State{"own": st, "other": other} {
			d, ok := s.Policy(c.tenant, c.tool, c.rev)
			if ok != c.ok || d.Name != c.tool || d.NoMemory != c.noMemory || len(d.Cleaner) != c.cleaners || d.Ingested() != c.ingested || (d.Why != "") != c.why {
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
		s := &State{revs: map[string]uint64{}, changed: make(chan struct{}), tools: map[toolKey][]policyAt{}, toolRev: map[string]uint64{}, base: toolTable{}}
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
	wantCode(t, st.SetActive(ctx, 1), schema.CodeNotFound, true)
	for _, n := range []int{2, 1, 2} {
		if err := st.RegisterGeneration(ctx, Generation{Number: n, From: uint64(n)}); err != nil {
			t.Fatal(err)
		}
	}
	if g := st.Generations(); len(g) != 2 || g[0].Number != 1 || g[1].From != 2 {
		t.Errorf("generations: %+v", g)
	}
	for _, n := range []int{1, 2, 1} {
		if err := st.SetActive(ctx, n); err != nil {
			t.Fatal(err)
		}
		if st.Active() != n {
			t.Errorf("active %d right after the write, want %d", st.Active(), n)
		}
		eventstest.Eventually(t, patience, "the other process follows", func() bool { return other.Active() == n })
	}
	wantCode(t, st.RemoveGeneration(ctx, 1), schema.CodeInvalid, true)
	if err := st.RemoveGeneration(ctx, 2); err != nil {
		t.Fatal(err)
	}
	if len(st.Generations()) != 1 {
		t.Error("the removed generation is still there")
	}
	eventstest.Eventually(t, patience, "the other process forgets it", func() bool { return len(other.Generations()) == 1 })
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
