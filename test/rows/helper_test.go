package rows

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// day is the moment from which the tests count: turns of a test lie before it, and queries ask at it.
var day = time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC)

// tenant is the test's own part of the shared stack.
func tenant(t testing.TB) *stacktest.Tenant {
	t.Helper()
	return stacktest.Shared(t).As(t, "")
}

// turn is a turn of ann's in one conversation.
func turn(id, in, out string, tools ...schema.ToolResult) schema.Turn {
	return schema.Turn{ID: id, User: "ann", Conversation: "c-1", At: day.Add(-time.Hour), Input: in, Response: out, ToolResults: tools}
}

func tool(name, output string) schema.ToolResult {
	return schema.ToolResult{Name: name, Output: output}
}

// ask is a question of ann's with items in plenty.
func ask(q string) schema.Query { return schema.Query{User: "ann", Query: q, Now: day, Limit: 50} }

// segment is the computed text of one segment, "" where it is not computed.
func segment(st schema.EventStatus, key string) string {
	for _, s := range st.Computed.Segments {
		if s.Key == key {
			return s.Text
		}
	}
	return ""
}

// dropped is why a segment is not computed, "" where it is.
func dropped(st schema.EventStatus, key string) string {
	for _, d := range st.Dropped {
		if d.Segment == key {
			return d.Reason
		}
	}
	return ""
}

// derived is everything that was computed from an event, as one text per part.
func derived(c *schema.Computed) map[string]string {
	out := map[string]string{"keywords": strings.Join(c.Keywords, "\n"), "tags": strings.Join(c.Tags, "\n"), "summary": c.Summary}
	for _, s := range c.Segments {
		out["segments"] += s.Text + "\n"
	}
	for _, e := range c.Entities {
		out["entities"] += e.Text + "\n"
	}
	for _, x := range c.Triples {
		out["triples"] += x.Subject + "\n" + x.Predicate + "\n" + x.Object + "\n" + x.Sentence + "\n"
	}
	for _, f := range c.Facts {
		out["facts"] += f.Content + "\n" + f.Subject + "\n" + f.Object + "\n"
	}
	return out
}

// contents are the items' texts.
func contents(items []schema.Item) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = it.Content
	}
	return out
}

// nowhere fails the test where needle is in any store but the raw log, or in the log output.
func nowhere(t testing.TB, es []stacktest.Entry, needles ...string) {
	t.Helper()
	for _, n := range needles {
		if at := stacktest.Holding(es, n); len(at) > 0 {
			slices.Sort(at)
			t.Errorf("%q is in %v", n, slices.Compact(at))
		}
	}
}

// somewhere fails the test unless needle is in a store of each of these kinds: it shows that the scan can see.
func somewhere(t testing.TB, es []stacktest.Entry, needle string, kinds ...string) {
	t.Helper()
	at := stacktest.Holding(es, needle)
	for _, k := range kinds {
		if !slices.ContainsFunc(at, func(w string) bool { return strings.HasPrefix(w, k) }) {
			t.Errorf("the scan does not find %q in %s, where it must be; it found it in %v", needle, k, at)
		}
	}
}

func itoa(i int) string { return strconv.Itoa(i) }
