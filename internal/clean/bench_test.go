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

// TestAdversarialInputIsLinear: four times the text may take four times the time; a quadratic rule takes sixteen
// times. The ratio is what counts, so that a busy machine or the race detector fails nothing; what is fast anyway is
// not looked at, and a ratio out of bounds is measured again before it counts.
func TestAdversarialInputIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	c := newCleaner(t, nil)
	steps := []string{"json?:*", "html?", "ansi", "base64", "drop:(a+)+$", "whitespace", "truncate:2000000:middle"}
	ways := map[string]func(text string){
		"basic": func(text string) { Text(text) },
		"tool":  func(text string) { c.tool(text, steps) },
		"turn": func(text string) {
			c.Turn(&schema.Turn{User: "u", Response: text, ToolResults: []schema.ToolResult{{Name: "cmd_run", Output: text}}}, defaults())
		},
	}
	const (
		fast  = 300 * time.Millisecond // of a megabyte
		most  = 11.0                   // of the ratio
		tries = 3
	)
	for name, text := range adversarial() {
		quarter := strings.ToValidUTF8(text[:len(text)/4], "")
		for what, run := range ways {
			took := func(s string) time.Duration {
				start := time.Now()
				run(s)
				return time.Since(start)
			}
			var ratio float64
			var whole time.Duration
			for range tries {
				if whole = took(text); whole < fast {
					ratio = 0
					break
				}
				if ratio = float64(whole) / float64(took(quarter)); ratio < most {
					break
				}
			}
			if ratio >= most {
				t.Errorf("%s, %s: %v, %.1f times a quarter of it", name, what, whole, ratio)
			}
			if testing.Verbose() {
				t.Logf("%-20s %-5s %8.1f ms, ratio %.1f", name, what, ms(whole), ratio)
			}
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
