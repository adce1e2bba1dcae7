package distill

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// edgesOf are the triples of one sentence, "not" before the predicate of one that is denied.
func edgesOf(t *testing.T, kind schema.SegmentKind, in string) [][3]string {
	t.Helper()
	var out [][3]string
	for _, tr := range readText(t, kind, in).Triples {
		p := tr.Predicate
		if tr.Negated {
			p = "not " + p
		}
		out = append(out, [3]string{tr.Subject, p, tr.Object})
	}
	return out
}

func TestOpenTriples(t *testing.T) {
	for _, c := range []struct {
		in   string
		want [][3]string
	}{
		{"Halcyon acquired Oakmoor in March 2024.", [][3]string{{"Halcyon", "rel:acquired", "Oakmoor"}}},
		{"Kim, who lives in Oslo, joined Telenor.", [][3]string{{"Kim", "lives_in", "Oslo"}, {"Kim", "rel:joined", "Telenor"}}},
		{"The parser no longer supports Windows XP.", [][3]string{{"parser", "not rel:supports", "Windows XP"}}},
		{"The gateway reads its config from /etc/app/gw.yaml.", [][3]string{{"gateway", "rel:reads_config_from", "/etc/app/gw.yaml"}}},
		{"The bridge was designed by Ove Lindqvist.", [][3]string{{"bridge", "rel:was_designed_by", "Ove Lindqvist"}}},
		{"We migrated the billing service to Kubernetes 1.31.", [][3]string{{"we", "rel:migrated_billing_service_to", "Kubernetes 1.31"}}},
		{"My sister Olga met Petra in Riga.", [][3]string{{"user's sister", "rel:met", "Petra"}}},
		{"星河软件去年收购了云帆科技。", [][3]string{{"星河软件", "rel:收购", "云帆科技"}}},
		{"远航物流在天津开设了办事处。", [][3]string{{"远航物流", "rel:在…开设办事处", "天津"}}},
		{"新网关不支持Windows。", [][3]string{{"新网关", "not rel:支持", "Windows"}}},
		{"调度服务把日志写入/var/log/scheduler.log。", [][3]string{{"调度服务", "rel:把日志写入", "/var/log/scheduler.log"}}},
	} {
		got := edgesOf(t, schema.SegInput, c.in)
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q: %q, want %q among them", c.in, got, w)
			}
		}
	}
}

// What is not said to be so, or names nothing, leaves no edge.
func TestOpenTriples_LeaveOut(t *testing.T) {
	for _, in := range []string{
		"Did Halcyon acquire Oakmoor?", "If Halcyon acquired Oakmoor, we would sell.", "Halcyon might acquire Oakmoor.",
		"I wonder whether Halcyon acquired Oakmoor.", "Halcyon wants to acquire Oakmoor.", "They say Halcyon acquired Oakmoor.",
		`The press wrote "Halcyon has quietly acquired the firm Oakmoor".`, "He met her there.", "It uses the cache.", "The tests pass.",
		"Ask Tom to call Petra.", "Tom is testing Redis.", "```\nHalcyon acquired Oakmoor.\n```", "> Halcyon acquired Oakmoor.",
		"星河软件收购了云帆科技吗？", "如果星河软件收购云帆科技，我们就卖。", "听说星河软件收购了云帆科技。", "星河软件可能收购云帆科技。",
		"他说星河软件收购了云帆科技。", "别让星河软件收购云帆科技。", "他用了它。",
	} {
		if got := edgesOf(t, schema.SegInput, in); len(got) != 0 {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// I and my are the user's in his own words alone.
func TestOpenTriples_WhoSpeaks(t *testing.T) {
	for _, k := range []schema.SegmentKind{schema.SegResponse, schema.SegTool} {
		for _, in := range []string{"I visited Lisbon.", "My sister Olga met Petra.", "We moved the cache to Redis.", "我姐姐认识了彼得·汉森。"} {
			for _, e := range edgesOf(t, k, in) {
				if strings.HasPrefix(e[0], "user") || e[0] == "we" {
					t.Errorf("%s %q: %q", k, in, e)
				}
			}
		}
	}
	for _, tr := range readText(t, schema.SegTool, "[source: wiki] Halcyon acquired Oakmoor.").Triples {
		if tr.Confidence >= confOpen || tr.Source.Class != schema.ClassTool {
			t.Errorf("%+v", tr)
		}
	}
}

// A template's edge stands, and no open one beside it says the same in other words.
func TestOpenTriples_TemplatesHaveAuthority(t *testing.T) {
	for _, in := range []string{"I live in Porto.", "Farah works at Lindqvist.", "Prometheus listens on port 9090.", "我住在成都。", "订单系统由赵磊负责。"} {
		got := readText(t, schema.SegInput, in).Triples
		if len(got) == 0 {
			t.Errorf("%q: nothing is read", in)
		}
		for _, tr := range got {
			if strings.HasSuffix(tr.Rule, ".open") {
				t.Errorf("%q: %+v", in, tr)
			}
		}
	}
}

// A text of nothing but names and one that is garbage are read in bounds.
func TestOpenTriples_AreBounded(t *testing.T) {
	res := readText(t, schema.SegInput, strings.Repeat("Halcyon acquired Oakmoor and Lindqvist and Borealis. 星河软件收购了云帆科技。 ", 5000))
	if len(res.Triples) > maxTriples {
		t.Errorf("%d triples", len(res.Triples))
	}
	for _, in := range []string{
		strings.Repeat("Halcyon ", 100_000), strings.Repeat("收购", 100_000), "Halcyon\x00acquired\xff Oakmoor.", "星河\x00软件收购了\xff云帆科技。",
		strings.Repeat("A, ", 190) + "b.", strings.Repeat("的", 190), strings.Repeat("在于从", 60), strings.Repeat("（", 190), strings.Repeat("that ", 110), strings.Repeat("of X ", 110),
	} {
		readText(t, schema.SegInput, in)
	}
}

var reDocRow = regexp.MustCompile(`(?m)^\| ([^|]+[.。]) \| ([^|]*)\|$`)

// TestTriplesOfTheDocs reads the examples of the documentation, in both languages.
func TestTriplesOfTheDocs(t *testing.T) {
	for _, file := range []string{"triples.md", "triples.zh.md"} {
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", file))
		if err != nil {
			t.Fatal(err)
		}
		rows := reDocRow.FindAllStringSubmatch(string(b), -1)
		if len(rows) != 12 {
			t.Fatalf("%s: %d rows", file, len(rows))
		}
		for _, m := range rows {
			var got []string
			for _, e := range edgesOf(t, schema.SegInput, m[1]) {
				got = append(got, e[0]+" · "+e[1]+" · "+e[2])
			}
			if g, want := strings.Join(got, "; "), strings.TrimSpace(m[2]); g != want {
				t.Errorf("%s: %q: %s, want %s", file, m[1], g, want)
			}
		}
	}
}
