package rows

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// The warning of a start that found collections missing.
const refilled = "the vector store has lost collections"

func TestB3_ALostVectorStoreIsFilledFromTheLog(t *testing.T) {
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	s := stacktest.Up(t, cfg)
	c := s.As(t, "")
	turns := []schema.Turn{
		turn("rule", "Never deploy on Fridays.", "OK."), turn("cello", "My cello was built in Cremona.", "A fine place."),
		turn("plain", "!", "Hm."), turn("diary", "My diary is kept in the walnut bureau.", "Noted."),
	}
	for i := range 60 {
		turns = append(turns, turn("n"+itoa(i), fmt.Sprintf("Locker %d holds the blue folder number %d.", i, 7*i), "Noted."))
	}
	c.Put(turns...)
	old := turn("old", "I live in Paris.", "OK.")
	c.Put(old)
	young := turn("young", "I live in Berlin now.", "OK.")
	young.At = old.At.Add(1)
	c.Put(young)
	if f, err := c.Forget(t.Context(), schema.Forget{User: "ann", Match: "walnut bureau"}); err != nil || f.Matched == 0 {
		t.Fatalf("forget: %+v, %v", f, err)
	}
	before := c.Settle().Ledger
	stacktest.Balanced(t, before)
	questions := []string{"Where was the cello built?", "Where do I live?", "Which locker holds folder number 77?", "May I deploy?", "Where is the diary?"}
	answers := func() []string {
		var out []string
		for _, text := range questions {
			r := c.Ask(ask(text))
			if len(r.Degraded) > 0 {
				t.Errorf("%s: degraded %v", text, r.Degraded)
			}
			out = append(out, r.Block+"\n"+strings.Join(contents(r.Items), "\n"))
		}
		return out
	}
	want := answers()
	if !strings.Contains(want[0], "Cremona") || !strings.Contains(want[1], "Berlin") || strings.Contains(want[1], "Paris") || strings.Contains(strings.Join(want, ""), "walnut") {
		t.Fatalf("before the loss:\n%s", strings.Join(want, "\n---\n"))
	}
	if strings.Contains(s.Logs.String(), refilled) {
		t.Error("a first start says that it has lost something")
	}

	for _, lost := range []bool{true, false} { // a start after which nothing was lost does nothing again
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		if lost {
			if err := os.RemoveAll(filepath.Join(cfg.Data, "vectors")); err != nil {
				t.Fatal(err)
			}
		}
		s = stacktest.Up(t, cfg)
		c = s.As(t, "")
		stacktest.Eventually(t, "idle", func() error {
			st, err := c.Status(t.Context())
			if err != nil {
				return err
			}
			if st.Idle && st.Ledger != before {
				t.Fatalf("idle at %+v, before it was %+v", st.Ledger, before)
			}
			if !st.Idle {
				return fmt.Errorf("%+v", st)
			}
			return nil
		})
		if got := answers(); !slices.Equal(got, want) {
			t.Errorf("lost %v: answers\n%s\nwant\n%s", lost, strings.Join(got, "\n---\n"), strings.Join(want, "\n---\n"))
		}
		if told := strings.Contains(s.Logs.Warnings(), refilled); told != lost {
			t.Errorf("lost %v, the log tells %v", lost, told)
		}
	}
	nowhere(t, s.Scan(t).Everything(), "walnut bureau")
}

func TestB3_VectorsOfTwoModelsAreNeverCompared(t *testing.T) {
	e := stacktest.NewEmbedder(t)
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Embed.URL, cfg.Embed.Model, cfg.Embed.Dim = e.URL, "first-model", stacktest.Dim
	s := stacktest.Up(t, cfg)
	s.As(t, "").Put(turn("cello", "My cello was built in Cremona.", "A fine place."))
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	cfg.Embed.Model = "second-model"
	_, err := stacktest.Start(cfg)
	for _, want := range []string{"first-model", "second-model", "embed.change", "replay --from start --switch"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a start with another model says %v, which lacks %q", err, want)
		}
	}
	cfg.Embed.Model = "first-model"
	s = stacktest.Up(t, cfg)
	if r := s.As(t, "").Ask(ask("Where was the cello built?")); len(r.Items) == 0 || len(r.Degraded) > 0 {
		t.Errorf("with the former model: %+v", r)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	// What the error says to do: until the replay is done answers come by words, and the switch is made under queries.
	cfg.Embed = config.Default().Embed // another dimension too
	cfg.Embed.Change = true
	s = stacktest.Up(t, cfg)
	c := s.As(t, "")
	if r := c.Ask(ask("Where was the cello built?")); len(r.Items) == 0 || !strings.Contains(r.Items[0].Content, "Cremona") || !slices.Equal(r.Degraded, []string{"embedder"}) {
		t.Errorf("by words: %+v", r)
	}
	if _, err := c.Publish(t.Context(), turn("harp", "My harp was built in Kraków.", "A fine place.")); err != nil {
		t.Fatal(err)
	}
	job := c.Replayed(schema.ReplayRequest{Switch: true})
	stacktest.Eventually(t, "the switch", func() error {
		l, err := c.Replays(t.Context())
		if err == nil && l.Active != job.Replay.Generation {
			err = fmt.Errorf("%+v, %+v", l, job.Replay.Report)
		}
		return err
	})
	check := func(what string) {
		t.Helper()
		c.Settle()
		for _, place := range []string{"Cremona", "Kraków"} {
			r := c.Ask(ask("What was built in " + place + "?"))
			if len(r.Items) == 0 || !strings.Contains(r.Items[0].Content, place) || len(r.Degraded) > 0 {
				t.Errorf("%s: %+v", what, r)
			}
		}
	}
	check("by the other model")
	if _, err := c.Rollback(t.Context(), schema.SwitchRequest{}); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("a rollback to the index of another model: %v", err)
	}
	// What is forgotten goes from the index that nobody works on, too.
	if f, err := c.Forget(t.Context(), schema.Forget{User: "ann", Match: "Cremona"}); err != nil || f.Matched == 0 {
		t.Fatalf("forget: %+v, %v", f, err)
	}
	c.Settle()
	nowhere(t, s.Scan(t).Everything(), "Cremona")
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	cfg.Embed.Change = false
	s = stacktest.Up(t, cfg)
	c = s.As(t, "")
	c.Settle()
	if r := c.Ask(ask("What was built in Kraków?")); len(r.Items) == 0 || len(r.Degraded) > 0 {
		t.Errorf("after a start: %+v", r)
	}
}
