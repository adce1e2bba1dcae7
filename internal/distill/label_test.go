package distill

import (
	"testing"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A fact shares a word with the question that asks for what it tells, in either language, and its content stays as it
// was said.
func TestSearchText_HoldsTheWordsOfTheQuestion(t *testing.T) {
	for said, questions := range map[string][]string{
		"我搬到了深圳南山。":                          {"我住在哪里？", "Where do I live?"},
		"I moved to Munich.":                 {"我住在哪里？", "Where do I live?"},
		"我换手机号了，新号是 13900002222。":            {"我的电话是多少？", "What is my phone number?"},
		"I left ByteDance and joined Meta.":  {"我在哪家公司上班？", "Where do I work?"},
		"Mochi, the deploy bot, says hello.": nil,
	} {
		for _, m := range readText(t, schema.SegInput, said).Facts {
			if m.Content != said {
				t.Errorf("content %q of %q", m.Content, said)
			}
			have := map[uint32]bool{}
			for _, term := range text.Terms(SearchText(&m)) {
				have[term.Index] = true
			}
			for _, q := range questions {
				shared := false
				for _, term := range text.QueryTerms(q) {
					shared = shared || have[term.Index]
				}
				if !shared {
					t.Errorf("%q shares no word with %q", SearchText(&m), q)
				}
			}
		}
	}
}
