package roles

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// A user is archived and erased through an ingester while the servers, the distiller and the retriever are processes of their
// own: all of them know at once, the other users keep what they had, and the files, which are another process's, are not said
// to be clean.
func TestRolesApartArchiveAndErase(t *testing.T) {
	s := newSite(t)
	ingester, retriever := s.role("ingester"), s.role("retriever")
	s.role("distiller")
	write, read := ingester.As(t, "demo"), retriever.As(t, "demo")
	turn := func(id, user, in string) schema.Turn {
		return schema.Turn{ID: id, User: user, At: day.Add(-time.Hour), Conversation: "c-" + user, Input: in, Response: "Noted.",
			ToolResults: []schema.ToolResult{{Name: "files_list", Output: "/srv/" + user + "/deploy.py"}}}
	}
	write.Put(turn("a1", "varga", "Look what scripts there are. 看看有哪些脚本。"), turn("a2", "varga", "I live in Zanzibar77."), turn("b1", "meyer", "I live in Ghent."))
	asked := func(user, q string) []schema.Item {
		t.Helper()
		return read.Ask(schema.Query{User: user, Query: q, Now: day, Limit: 20, Render: "none"}).Items
	}
	if _, err := write.Archive(t.Context(), schema.Archive{User: "varga", IDs: []string{"a1"}}); err != nil {
		t.Fatal(err)
	}
	read.Settle()
	if items := asked("varga", "Which folder is deploy.py in?"); !slices.ContainsFunc(items, func(it schema.Item) bool {
		return it.Source.Event == "a1" && it.Status == schema.StatusArchived && strings.Contains(it.Content, "/srv/varga/deploy.py")
	}) {
		t.Errorf("the archived turn is not found: %+v", items)
	}
	before := fmt.Sprintf("%+v", read.All(schema.MemoryQuery{User: "meyer", Status: "all"}))

	if id, err := write.Erase(t.Context(), schema.EraseRequest{User: "varga", Verify: true}); schema.CodeOf(err) != schema.CodeUnsupported {
		t.Errorf("files of another process are to be verified: job %q, %v", id, err)
	}
	if items := asked("varga", "Zanzibar77"); len(items) == 0 {
		t.Error("a refused request has erased")
	}
	id, err := write.Erase(t.Context(), schema.EraseRequest{User: "varga"})
	if err != nil {
		t.Fatal(err)
	}
	rep := write.Finished(id).Erasure
	if rep.Entries != 3 || rep.Points < 8 || rep.Compacted || rep.Check != nil {
		t.Errorf("the erasure tells %+v", rep)
	}
	for _, c := range []*stacktest.Tenant{write, read} {
		for _, v := range []string{"a1", "a2"} {
			if _, err := c.Event(t.Context(), v); schema.CodeOf(err) != schema.CodeNotFound {
				t.Errorf("%s can be read: %v", v, err)
			}
		}
	}
	if items := read.All(schema.MemoryQuery{User: "varga", Status: "all"}); len(items) > 0 {
		t.Errorf("of the erased user is left %+v", items)
	}
	if after := fmt.Sprintf("%+v", read.All(schema.MemoryQuery{User: "meyer", Status: "all"})); after != before {
		t.Errorf("another user's memory has changed:\n%s\nbefore\n%s", after, before)
	}
	// What is said later is new, and the work goes on.
	write.Put(turn("a3", "varga", "I live in Oslo88."))
	stacktest.Eventually(t, "what is said later", func() error {
		if items := asked("varga", "Oslo88"); !slices.ContainsFunc(items, func(it schema.Item) bool { return strings.Contains(it.Content, "Oslo88") }) {
			return errors.New("it is not found")
		}
		return nil
	})
	stacktest.Balanced(t, read.Settle().Ledger)
}
