package text

import (
	"strings"
	"testing"
)

// mixed is ordinary agent traffic in both languages: talk, tool output, paths and identifiers.
var mixed = strings.Repeat(`我叫李雷，在北京市海淀区上班，平时用 Python 3.12 和 PostgreSQL 写数据分析脚本，部署脚本放在 /srv/scripts/deploy.py。
昨天下午3点半和韩梅梅开会，讨论了第三季度的预算：总额 ¥1,299,000.00，其中云服务器占 42%。会议纪要发到 team@example.com。
We moved the retrieval service to version v1.2.3 last Friday and latency went down from 120ms to 45ms at the 99th percentile.
Caroline said the support group meets every other Tuesday at 7:30pm; she's thinking about adopting a dog from the shelter in Portland.
[source: cmd_run] total 48 drwxr-xr-x 2 root root 4096 Nov 30 02:38 internal/text/segment.go exit_code=0 https://example.com/docs/a?b=c
以后点外卖都不要放香菜，我对花生过敏。另外提醒我2026年12月5日之前把护照寄给签证中心，电话是13800138000。
The quick question is whether getUserById should return an error or a nil pointer when the record does not exist in the cache.
`, 40)

func BenchmarkTerms(b *testing.B) {
	b.SetBytes(int64(len(mixed)))
	for b.Loop() {
		Sparse(Terms(mixed))
	}
}

// BenchmarkExtract does what the stage extract does, a turn of about 1 kB at a time.
func BenchmarkExtract(b *testing.B) {
	turn := mixed[:len(mixed)/40]
	b.SetBytes(int64(len(turn)))
	for b.Loop() {
		d := Analyze(turn)
		Sparse(d.Terms())
		d.Keywords(12)
	}
}

func BenchmarkExtractAll(b *testing.B) {
	turn := mixed[:len(mixed)/40]
	b.SetBytes(int64(len(turn)))
	for b.Loop() {
		d := Analyze(turn)
		Sparse(d.Terms())
		d.Keywords(12)
		d.Tags(5)
		d.Entities(32)
		d.Summary(160)
	}
}

func BenchmarkNormalizeTool(b *testing.B) {
	b.SetBytes(int64(len(mixed)))
	for b.Loop() {
		NormalizeTool(mixed)
	}
}

func BenchmarkTokens(b *testing.B) {
	b.SetBytes(int64(len(mixed)))
	for b.Loop() {
		Tokens(mixed)
	}
}
