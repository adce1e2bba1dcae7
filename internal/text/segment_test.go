package text

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

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
		{"paths in Chinese", "在/srv/scripts/deploy.py，需要看 C:\\Users\\me\\a.txt 和 ./a/b.py, deploy.py。",
			`在|/srv/scripts/deploy.py/path|需要|看|C:\Users\me\a.txt/path|和|./a/b.py/path|deploy.py/path`},
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
			if eng().info.Segmenter == plainName { // without the model 号楼, which is in no dictionary, falls apart
				c.want = strings.ReplaceAll(c.want, "号楼", "号|楼")
			}
			if got := show(Segment(c.in)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// words are the texts of the tokens that are no punctuation.
func words(toks []Token) []string {
	var out []string
	for _, t := range toks {
		if t.Kind != KindOther {
			out = append(out, t.Text)
		}
	}
	return out
}

// TestNULDoesNotCut: gojieba reads C strings; what stands behind a NUL was never indexed (F10).
func TestNULDoesNotCut(t *testing.T) {
	got := words(Segment("我来到北京\x00清华大学"))
	if !slices.Equal(got, []string{"我", "来到", "北京", "清华大学"}) {
		t.Errorf("got %q", got)
	}
}

// TestInvalidUTF8LosesOnlyItself: one bad byte gave an empty result (F10).
func TestInvalidUTF8LosesOnlyItself(t *testing.T) {
	for in, want := range map[string]string{
		"bad \xff\xfe 中文世界": "bad|中文|世界", "来到北京\xe5\xb0": "来到|北京", "\xe4\xe4\xb8清华大学": "清华大学",
	} {
		if got := show(Segment(in)); got != want {
			t.Errorf("%q gave %s, want %s", in, got, want)
		}
	}
}

// check holds for any bytes: tokens are in order, without gaps, valid UTF-8, and join to the sanitised text.
func check(t *testing.T, in string) {
	t.Helper()
	s := Sanitize(in)
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || Sanitize(s) != s {
		t.Fatalf("%q is not sanitised: %q", in, s)
	}
	at := 0
	for _, tok := range Segment(in) {
		if tok.Start != at || tok.End <= at || tok.Text != s[tok.Start:tok.End] {
			t.Fatalf("%q: token %+v does not follow byte %d", in, tok, at)
		}
		if !utf8.ValidString(tok.Text) || !utf8.ValidString(tok.Norm) {
			t.Fatalf("%q: token %q (%q) is not UTF-8", in, tok.Text, tok.Norm)
		}
		if tok.Kind != KindOther && tok.Norm == "" {
			t.Fatalf("%q: token %+v has no folded form", in, tok)
		}
		at = tok.End
	}
	if at != len(s) {
		t.Fatalf("%q: tokens end at %d of %d", in, at, len(s))
	}
}

func TestTokensJoin(t *testing.T) {
	for _, s := range hostile {
		check(t, s)
	}
	check(t, mixed)
}

// TestConcurrentCuts: 16 goroutines over the one handle see what one alone sees.
func TestConcurrentCuts(t *testing.T) {
	texts := append([]string{mixed[:4000], "我喜歡喝臺灣的烏龍茶"}, hostile...)
	want := make([]string, len(texts))
	for i, s := range texts {
		want[i] = show(Segment(s))
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i, s := range texts {
				if got := show(Segment(s)); got != want[i] {
					t.Errorf("text %d differs under load", i)
				}
			}
		})
	}
	wg.Wait()
}

// TestPlainSegmenter: the fallback cuts by the same dictionary; unknown words fall apart, nothing is lost.
func TestPlainSegmenter(t *testing.T) {
	p := &plain{eng().lex}
	for in, want := range map[string]string{
		"我来到北京清华大学":     "我 来到 北京 清华大学",
		"数据库备份失败了":      "数据库 备份 失败 了",
		"我对花生过敏，请不要放香菜": "我 对 花生 过敏 ， 请 不要 放 香菜",
		"": "", "我": "我",
	} {
		var got []string
		p.cut(in, func(a, b int) { got = append(got, in[a:b]) })
		if strings.Join(got, " ") != want {
			t.Errorf("%s gave %v, want %s", in, got, want)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	for line := range strings.Lines(mixed[:2000]) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, in string) {
		check(t, in)
		d := Analyze(in)
		terms := d.Terms()
		for _, x := range terms {
			if x.Text == "" || len(x.Text) > maxTerm || !utf8.ValidString(x.Text) || !(x.TF > 0) {
				t.Fatalf("%q: term %+v", in, x)
			}
		}
		s := Sparse(terms)
		for i := range s.Indices {
			if i > 0 && s.Indices[i] <= s.Indices[i-1] || !(s.Values[i] > 0) || s.Values[i] > float32(len(terms)+1)*2.3 {
				t.Fatalf("%q: sparse vector %v", in, s)
			}
		}
		for _, k := range d.Keywords(12) {
			if !utf8.ValidString(k.Text) || k.Text == "" || !(k.Weight > 0) {
				t.Fatalf("%q: keyword %+v", in, k)
			}
		}
		for _, e := range d.Entities(32) {
			if !utf8.ValidString(e.Text) || e.Text == "" || e.Type == "" {
				t.Fatalf("%q: entity %+v", in, e)
			}
		}
		if sum := d.Summary(50); utf8.RuneCountInString(sum) > 50 || !utf8.ValidString(sum) {
			t.Fatalf("%q: summary %q", in, sum)
		}
		d.Tags(3)
		at := 0
		for _, sp := range Sentences(d.Text) {
			if sp.Start < at || sp.End <= sp.Start || sp.End > len(d.Text) {
				t.Fatalf("%q: sentence %+v", in, sp)
			}
			at = sp.End
		}
		n := Normalize(in)
		if !utf8.ValidString(n) || Normalize(n) != n && !strings.ContainsRune(in, '薴') {
			t.Fatalf("%q: normalised %q, again %q", in, n, Normalize(n))
		}
		if m := NormalizeTool(in); !utf8.ValidString(m) {
			t.Fatalf("%q: normalised %q", in, m)
		}
		if k := Tokens(in); k < 0 || k > 2*len(in)+1 || in != "" && strings.TrimSpace(Sanitize(in)) != "" && k == 0 {
			t.Fatalf("%q: %d tokens", in, k)
		}
	})
}
