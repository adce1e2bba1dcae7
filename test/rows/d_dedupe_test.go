package rows

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// memories are the lines of a block that are no constraints, and its constraints.
func memories(t *testing.T, block string) (lines, constraints []string) {
	t.Helper()
	if block == "" {
		return nil, nil
	}
	for heading, ls := range sections(t, block, headingsEN) {
		if heading == headingsEN[0] {
			constraints = ls
		} else {
			lines = append(lines, ls...)
		}
	}
	slices.Sort(lines)
	return lines, constraints
}

func TestD9_AMemoryIsInjectedOnceInAConversation(t *testing.T) {
	cfg := stacktest.Config(t.TempDir())
	s := stacktest.Up(t, cfg)
	c := s.As(t, "acme")
	lived(t, c)
	in := func(conversation, turn string) schema.Query {
		q := ask("Tell me about the garden: what do I like, what is to do, which ports?")
		q.Conversation, q.Turn, q.Dedupe = conversation, turn, "conversation"
		return q
	}

	// A search reads and never marks.
	search := in("chat", "1")
	search.Render = "none"
	for range 3 {
		if r := c.Ask(search); len(r.Items) == 0 || r.Block != "" || len(r.Degraded) > 0 {
			t.Fatalf("search: %d items, degraded %v, block %q", len(r.Items), r.Degraded, r.Block)
		}
	}

	blocks := map[string]string{}
	seen := map[string]string{}
	var last int
	for i := range 12 {
		turn := fmt.Sprint(i)
		r := c.Ask(in("chat", turn))
		if len(r.Degraded) > 0 {
			t.Fatalf("turn %s is degraded: %v", turn, r.Degraded)
		}
		blocks[turn] = r.Block
		lines, constraints := memories(t, r.Block)
		if len(constraints) == 0 {
			t.Errorf("turn %s has no constraints:\n%s", turn, r.Block)
		}
		for _, l := range lines {
			if before, again := seen[l]; again {
				t.Errorf("turn %s: %q was injected in turn %s already", turn, l, before)
			}
			seen[l] = turn
		}
		if i == 0 && len(lines) < 8 {
			t.Fatalf("the first block holds too little to show anything:\n%s", r.Block)
		}
		if len(lines) > 0 {
			last = i
		}
		if again := c.Ask(in("chat", turn)).Block; again != r.Block {
			t.Errorf("turn %s asked twice:\n%s\nthen:\n%s", turn, r.Block, again)
		}
	}
	if last == 0 || last > 8 {
		t.Errorf("the last turn with anything new is %d: the pool should be empty before the end, and not after the first", last)
	}
	if first := c.Ask(in("chat", "0")).Block; first != blocks["0"] {
		t.Errorf("turn 0 asked again at the end:\n%s\nwas:\n%s", first, blocks["0"])
	}
	if other := c.Ask(in("another", "1")).Block; other != blocks["0"] {
		t.Errorf("another conversation got:\n%s\nwant:\n%s", other, blocks["0"])
	}

	// What is learnt meanwhile is new.
	c.Put(turn("new", "The garden telescope listens on port 7999.", ""))
	c.Settle()
	if lines, _ := memories(t, c.Ask(in("chat", "20")).Block); !strings.Contains(strings.Join(lines, "\n"), "telescope") {
		t.Errorf("what was learnt in between is missing: %q", lines)
	}
	if again := c.Ask(in("chat", "0")).Block; again != blocks["0"] {
		t.Errorf("turn 0 asked again after something new:\n%s\nwas:\n%s", again, blocks["0"])
	}

	// The record is not the process's.
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	c = stacktest.Up(t, cfg).As(t, "acme")
	if lines, constraints := memories(t, c.Ask(in("chat", "21")).Block); len(lines) > 0 || len(constraints) == 0 {
		t.Errorf("after a restart: %q, constraints %q", lines, constraints)
	}
	if again := c.Ask(in("chat", "0")).Block; again != blocks["0"] {
		t.Errorf("turn 0 asked again after a restart:\n%s\nwas:\n%s", again, blocks["0"])
	}
}
