package clean

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// ordinary is about n bytes of what turns hold, half Chinese, half English, with code and a few paths.
func ordinary(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "今天和周宁对了第%d版排期，样机先做%d台，下周五从工厂寄出，尾款等验收后再付。\n", i, i%90)
		fmt.Fprintf(&b, "We agreed to move the review to Thursday %d, keep the flag --locked, and file it under docs/plan_%d.md (see https://example.com/p/%d).\n", i%28, i, i)
		if i%7 == 0 {
			fmt.Fprintf(&b, "\n```go\nfunc step%d(x int) int { return x + %d }\n```\n\n", i, i)
		}
	}
	return b.String()
}

func BenchmarkBasicAndSecrets(b *testing.B) {
	text := ordinary(64 << 10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text(text)
	}
}

func BenchmarkSecrets(b *testing.B) {
	text := ordinary(64 << 10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		MaskSecrets(text)
	}
}

func BenchmarkTurn(b *testing.B) {
	c := newCleaner(b, nil)
	turn := &schema.Turn{User: "u", Input: ordinary(300), Response: ordinary(500), ToolResults: []schema.ToolResult{
		{Name: "cmd_run", Output: ordinary(1000)}, {Name: "files_read", Output: `{"content":"` + strings.Repeat("line of text\\n", 60) + `"}`}}}
	policy := defaults()
	n := len(turn.Input) + len(turn.Response)
	for _, r := range turn.ToolResults {
		n += len(r.Output)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		c.Turn(turn, policy)
	}
}

func BenchmarkQuotesOfAMegabyte(b *testing.B) {
	out, resp := ordinary(1<<20), ordinary(2000)
	b.SetBytes(int64(len(out)))
	for b.Loop() {
		q := newQuoter(resp)
		q.against(out)
		q.spans()
	}
}

// adversarial are megabytes made to be slow: every rule's key, every opener without its end, deep nesting.
func adversarial() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, (1<<20)/len(s)) }
	m := map[string]string{
		"think": fill("<think>"), "think mixed": fill("<think><think></think>"), "think code": fill("<think>`</think>`"), "closers": fill("</think>x"),
		"angle": fill("<"), "attributes": fill("<memory_context a"), "backticks": fill("` `` ``` ```` "), "fences": fill("```\n"), "comments": fill("<!--"),
		"comments closed": fill("<!---->"), "escapes": fill("\x1b["), "osc": fill("\x1b]0;"), "returns": fill("x\r"), "backspaces": fill("\b"), "one line of a": fill("a"),
		"base64": fill("aB3/"), "base64 lines": fill(strings.Repeat("aB3d", 16) + "\n"), "data uris": fill("data:image/png;base64,"), "pem": fill("-----BEGIN RSA PRIVATE KEY-----"),
		"pem ends": fill("aB3dE5fG7hJ9kL2mN4pQ6rS8\n-----END RSA PRIVATE KEY-----\n"), "invalid": fill("\xff\xfe"), "zero width": fill("\u200b"), "headings": fill("【用户偏好】\n"),
		"items": fill("- a\n"), "urls": fill("://a:"), "urls at": fill("://@"), "jwt": fill("eyJabcdefghijk."), "jwt half": fill("eyJ."), "sk": fill("sk-"), "sk long": "sk-" + fill("a-"),
		"passwords": fill("password"), "passwords spaced": fill("password for "), "assigned": fill("password="), "quoted": fill("password=\""), "secrets": fill("secret: aaaaaaa "),
		"中文": fill("密码："), "中文是": fill("密码是是"), "telegram": fill("12345678:AA"), "bearer": fill("bearer "), "cookies": fill("cookie: "), "spaces": fill(" "), "newlines": fill("\n"), "han": fill("字"),
		"tags": fill("</p>"), "hidden": fill("<p hidden>"), "html": "<html>" + fill("<p style=\"a\">"), "navs": "<html>" + fill("<nav>"), "braces": fill("{\"a\":"), "authorization": fill("authorization: "),
	}
	return m
}

// TestAdversarialInputIsLinear: the budget is 200 ms a megabyte; ten times that is allowed here, so that a busy
// machine fails nothing while a quadratic rule, which takes minutes, does.
func TestAdversarialInputIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	c := newCleaner(t, nil)
	steps := []string{"json?:*", "html?", "ansi", "base64", "drop:(a+)+$", "whitespace", "truncate:2000000:middle"}
	worst, which := time.Duration(0), ""
	for name, text := range adversarial() {
		start := time.Now()
		Text(text)
		basic := time.Since(start)
		start = time.Now()
		c.tool(text, steps)
		tool := time.Since(start)
		start = time.Now()
		c.Turn(&schema.Turn{User: "u", Response: text, ToolResults: []schema.ToolResult{{Name: "cmd_run", Output: text}}}, defaults())
		turn := time.Since(start)
		for what, d := range map[string]time.Duration{"basic": basic, "tool": tool, "turn (2 MB)": turn} {
			if d > 2*time.Second {
				t.Errorf("%s, %s: %v", name, what, d)
			}
		}
		if basic > worst {
			worst, which = basic, name
		}
		if testing.Verbose() {
			t.Logf("%-20s basic %8.1f ms, all cleaners %8.1f ms, turn %8.1f ms", name, ms(basic), ms(tool), ms(turn))
		}
	}
	t.Logf("slowest basic cleaning: %s, %v a megabyte", which, worst)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
