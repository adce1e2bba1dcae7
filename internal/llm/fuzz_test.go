package llm

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// FuzzAnswer: whatever a server answers, it is statements within the bound, or an error that another try may mend and
// that quotes nothing.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"choices":[{"finish_reason":"stop","message":{"content":"{\"statements\":[{\"quote\":\"canary\",\"value\":\"canary\"}]}"}}],"usage":{"total_tokens":5}}`,
		`{"choices":[{"message":{"content":"canary"}}]}`, `{"choices":[{"finish_reason":"length","message":{"content":"{\"statements\":[]}"}}]}`,
		`{"choices":[{"message":{"content":"~~~json"}}],"usage":{"total_tokens":-5}}`, `{}`, `null`, ``, "\xff", `{"choices":[{},{}]}`, strings.Repeat(`{"choices":[`, 50),
	} {
		f.Add([]byte(s))
	}
	c := &Chat{}
	f.Fuzz(func(t *testing.T, body []byte) {
		rs, tokens, err := c.answer(body, "x")
		if tokens < 0 || len(rs) > maxStatements || err != nil && (schema.CodeOf(err) != schema.CodeInternal || schema.IsPermanent(err) || strings.Contains(err.Error(), "canary")) {
			t.Fatalf("%d statements, %d tokens, %v", len(rs), tokens, err)
		}
		for _, r := range rs {
			if !utf8.ValidString(r.Quote + r.Value + r.Subject) {
				t.Fatal("not UTF-8")
			}
		}
	})
}
