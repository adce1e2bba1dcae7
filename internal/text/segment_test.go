package text

import (
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "silt-dict")
	if err != nil {
		panic(err)
	}
	if _, err := Open(Config{CacheDir: dir}); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// show writes tokens as text, with /kind where it is no word, joined by spaces as they stand.
func show(toks []Token) string {
	var out []string
	for _, t := range toks {
		switch t.Kind {
		case KindOther:
		case KindWord:
			out = append(out, t.Text)
		default:
			out = append(out, t.Text+"/"+t.Kind.String())
		}
	}
	return strings.Join(out, "|")
}

func TestSegment(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"paths in Chinese", "在/root/scripts/deploy.py，需要看 C:\\Users\\me\\a.txt 和 ./a/b.py, deploy.py。",
			`在|/root/scripts/deploy.py/path|需要|看|C:\Users\me\a.txt/path|和|./a/b.py/path|deploy.py/path`},
		{"path with Chinese names", "/home/用户/文档/报告.docx 打开 internal/text/segment.go:12",
			"/home/用户/文档/报告.docx/path|打开|internal/text/segment.go/path|12/number"},
		{"versions and amounts", "版本v1.2.3升级到 1.22.0-rc1，价格￥1,299.00，$12.50，3.5亿元，16GB内存，42%",
			"版本|v1.2.3/version|升级|到|1.22.0-rc1/version|价格|￥1,299.00/quantity|$12.50/quantity|3.5亿元/quantity|16GB/quantity|内存|42%/quantity"},
		{"URL, mail, phones", "See https://example.com/a?b=1. Mail a.b@c.com, call 13800138000 or +86 138 0013 8000 or 010-12345678 or (555) 123-4567",
			"See|https://example.com/a?b=1/url|Mail|a.b@c.com/email|call|13800138000/phone|or|+86 138 0013 8000/phone|or|010-12345678/phone|or|(555) 123-4567/phone"},
		{"dates", "2026年11月30日下午3点半 11月30号 3号楼 2026-11-30T10:30:00Z 2026/11/30 at 10:30pm on Nov 30, 2026 or 30th November",
			"2026年11月30日/date|下午|3点半/time|11月30号/date|3/number|号楼|2026-11-30T10:30:00Z/date|2026/11/30/date|at|10:30pm/time|on|Nov 30, 2026/date|or|30th November/date"},
		{"identifiers", "C++ C# .NET k8s getUserById user_name kebab-case don't O'Brien's Node.js AT&T localhost:8317 127.0.0.1:80 --data-dir and/or km/h",
			"C++/identifier|C#/identifier|.NET/identifier|k8s/identifier|getUserById/identifier|user_name/identifier|kebab-case|don't|O'Brien's|Node.js/identifier|AT&T/identifier|localhost:8317/host|127.0.0.1:80/host|--data-dir/identifier|and|or|km|h"},
		{"traditional and full width", "我喜歡喝臺灣的烏龍茶，ＡＢＣ１２３", "我|喜歡|喝|臺灣|的|烏龍茶|ＡＢＣ１２３/identifier"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(Segment(c.in)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
