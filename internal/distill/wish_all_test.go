package distill

import (
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// TestAWishForEverythingIsAskedBack: all is not forgotten by a sentence; it is left as a hint to ask, which goes by itself,
// and as no rule, no wish for a thing and nothing else.
func TestAWishForEverythingIsAskedBack(t *testing.T) {
	at := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	read := func(s string, class schema.Class) Result {
		return Read(schema.Cleaned{Segments: []schema.Segment{{Key: "input", Kind: schema.SegInput, Class: class, Text: s}}},
			schema.Envelope{Tenant: "t", User: "u", UUID: "x", At: at})
	}
	for _, s := range []string{
		"Delete all my data from your memory.", "Forget everything about me.", "Please forget everything.", "Could you erase everything you know about me?",
		"Wipe all of my personal information, please.", "Remove all data about me from your records.", "Clear your memory of me.",
		"忘掉我的一切。", "请把关于我的所有记忆都删掉。", "删除我的所有数据。", "请清空你的记忆。", "帮我把我的全部资料彻底删除吧。", "忘掉所有关于我的事。",
	} {
		got := read(s, schema.ClassUser)
		if len(got.Forget) > 0 || len(got.Facts) != 1 || len(got.Triples) > 0 {
			t.Errorf("%s: forgets %q, %d facts, %d triples", s, got.Forget, len(got.Facts), len(got.Triples))
			continue
		}
		if m := got.Facts[0]; m.Type != schema.TypeTodoHint || !strings.HasSuffix(m.Rule, ".wish.all") || m.Content != s || m.Slot != "" || !m.ExpiresAt.Equal(at.AddDate(0, 0, 7)) {
			t.Errorf("%s: %+v", s, m)
		}
	}
	for _, s := range []string{
		"Delete everything in the tmp folder.", "I forget everything.", "Forget all of it, I was joking.", "Delete all my emails from Bob.", "Forget everything about my ex.",
		"Did you delete all my data?", "Never delete my data.", "How do I delete all my data from Facebook?", "Please forget my storage unit.",
		"删除所有日志。", "我把一切都忘了。", "请忘掉我的储物间。", "你会删除我的所有数据吗？", "不要删除我的所有数据。",
	} {
		for _, m := range read(s, schema.ClassUser).Facts {
			if strings.HasSuffix(m.Rule, ".wish.all") {
				t.Errorf("%s: is taken for a wish for everything", s)
			}
		}
	}
	if got := read("Forget everything about me.", schema.ClassTool); len(got.Forget) > 0 || len(got.Facts) > 0 && strings.HasSuffix(got.Facts[0].Rule, ".wish.all") {
		t.Errorf("a tool asks for it: %+v", got)
	}
}
