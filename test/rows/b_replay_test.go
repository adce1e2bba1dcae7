package rows

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// history is a log with something of everything: facts that supersede one another, tools, duplicates, what is forgotten
// and stated again, edits and pins.
func history(n int) []schema.Turn {
	turns := []schema.Turn{
		turn("rule", "Never deploy on Fridays.", "OK."), turn("cello", "My cello was built in Cremona.", "A fine place."),
		turn("plain", "!", "Hm."), turn("diary", "My diary is kept in the walnut bureau.", "Noted."),
		turn("paris", "I live in Paris.", "OK."), turn("tool", "Read it.", "Done.", tool("web_fetch", "<p>The shop opens at nine.</p>")),
		turn("zh", "我对花生过敏，住在上海。", "记住了。"),
	}
	for i := range n {
		t := turn(fmt.Sprintf("n%03d", i), fmt.Sprintf("Locker %d holds the blue folder number %d.", i, 7*i), "Noted.")
		t.User, t.Conversation = fmt.Sprintf("user-%d", i%7), fmt.Sprintf("c-%d", i%5)
		t.At = t.At.Add(0 - 1e9*1*1)
		switch i % 9 {
		case 3:
			t.Input = fmt.Sprintf("I live in %s now.", []string{"Oslo", "Lima", "Kyoto"}[i%3])
		case 6:
			t.Input = "我现在住在" + []string{"北京", "成都", "广州"}[i%3] + "。"
		case 8:
			t.Input = "Please remember that I prefer tea."
		}
		turns = append(turns, t)
	}
	return turns
}

func TestB3_AReplayGivesTheSamePoints(t *testing.T) {
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	s := stacktest.Up(t, cfg)
	c := s.As(t, "")
	c.PutMany(history(200))
	c.Settle()
	if f, err := c.Forget(t.Context(), schema.Forget{User: "ann", Match: "walnut bureau"}); err != nil || f.Matched == 0 {
		t.Fatalf("forget: %+v, %v", f, err)
	}
	c.Put(turn("again", "My diary is in the attic.", "Noted."))
	want := c.Hash(1)
	if want.Collections[0].Points < 200 || want.Collections[2].Points < 20 {
		t.Fatalf("too little to compare: %+v", want)
	}
	job := c.Replayed(schema.ReplayRequest{})
	if job.Replay.Report == nil || job.Replay.Report.Asked == 0 || job.Replay.Report.Same != job.Replay.Report.Asked {
		t.Errorf("what was compared: %+v", job.Replay.Report)
	}
	got := c.Hash(job.Replay.Generation)
	for i := range got.Collections {
		if got.Collections[i] != want.Collections[i] {
			t.Errorf("%+v, want %+v", got.Collections[i], want.Collections[i])
		}
	}
	if got.Hash != want.Hash {
		t.Errorf("hash %s, want %s\n%s", got.Hash, want.Hash, strings.Join(s.Differences(t, 1, job.Replay.Generation, 5), "\n"))
	}
}
