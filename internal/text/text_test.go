package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func termTexts(s string) []string {
	var out []string
	for _, t := range Terms(s) {
		out = append(out, t.Text)
	}
	return out
}

// TestTermsMatchAcrossForms: what is asked in one form finds what was said in another.
func TestTermsMatchAcrossForms(t *testing.T) {
	for _, c := range []struct{ doc, query, shared string }{
		{"脚本在 /srv/scripts/deploy.py", "deploy.py 在哪个目录？", "deploy.py"},
		{"脚本在 /srv/scripts/deploy.py", "the deploy script", "deploy"},
		{"[source: web_fetch] Opening hours: 9 to 5", "what did web_fetch say", "web_fetch"},
		{"我們在臺灣喝烏龍茶", "台湾的乌龙茶", "乌龙茶"},
		{"ＡＢＣ１２３号柜", "abc123", "abc123"},
		{"会议在2026年11月30日", "the meeting on Nov 30, 2026", "2026-11-30"},
		{"会议在2026年11月30日", "11月30号有什么安排", "--11-30"},
		{"2026/11/30 10:30", "2026-11-30", "2026-11-30"},
		{"总额 1,299 元", "1299", "1299"},
		{"running the deployments", "run a deployment", "deploy"},
		{"getUserById fails", "which user function fails", "user"},
		{"数据库备份", "数据", "数据"},
		{"同事张伟明", "伟明", "伟明"},
		{"call 138 0013 8000", "13800138000", "13800138000"},
		{"upgrade to v1.2.3", "版本 1.2.3", "1.2.3"},
		{"Caf\u00e9", "cafe\u0301", "café"},
		{"これはテストです", "テスト", "テス"},
		{"listening on localhost:8317", "8317 端口", "8317"},
		{"C++ 和 C#", "c++", "c++"},
	} {
		d, q := termTexts(c.doc), termTexts(c.query)
		if !slices.Contains(d, c.shared) || !slices.Contains(q, c.shared) {
			t.Errorf("%q and %q do not share %q:\n%q\n%q", c.doc, c.query, c.shared, d, q)
		}
	}
	for _, s := range []string{"的 了 吗 我们", "the of and you don't", "", "，。！", "🙂"} {
		if got := termTexts(s); len(got) > 0 {
			t.Errorf("%q is indexed as %q", s, got)
		}
	}
	for _, c := range []struct{ s, not string }{{"C++ code", "c#"}, {"不吃香菜", "芹菜"}} {
		if slices.Contains(termTexts(c.s), c.not) {
			t.Errorf("%q is indexed as %q", c.s, c.not)
		}
	}
}

// TestSparse checks the formula by hand, the order, and that colliding indices are summed.
func TestSparse(t *testing.T) {
	got := Sparse([]Term{{Text: "b", Index: 9, TF: 2}, {Text: "a", Index: 3, TF: 1}, {Text: "c", Index: 9, TF: 1}})
	norm := 1.2 * (1 - 0.75 + 0.75*4/100) // length 4
	one, two := float32(1*2.2/(1+norm)), float32(2*2.2/(2+norm))
	if fmt.Sprint(got.Indices) != "[3 9]" || got.Values[0] != one || got.Values[1] != two+one {
		t.Errorf("got %v, want 3:%v 9:%v", got, one, two+one)
	}
	if s := Sparse(nil); len(s.Indices) != 0 || s.Indices == nil {
		t.Errorf("no terms gave %#v", s)
	}
	// Golden: dimensions are stored, so the hash must never change.
	if a, b := TermIndex("deploy.py"), TermIndex("数据库"); a != 511812197 || b != 4043569941 {
		t.Errorf("dimensions %d, %d moved", a, b)
	}
}

func TestQueryTerms(t *testing.T) {
	weight := map[string]float32{}
	for _, q := range QueryTerms("where do I keep my passport in 北京, 数据库 deploy.py") {
		if q.Index != TermIndex(q.Term) || q.Weight <= 0 || q.Weight > 12 {
			t.Errorf("%+v", q)
		}
		weight[q.Term] = q.Weight
	}
	for _, less := range [][2]string{{"keep", "passport"}, {"北京", "数据库"}, {"py", "deploy.py"}} {
		if !(weight[less[0]] < weight[less[1]]) || weight[less[0]] == 0 {
			t.Errorf("%s weighs %v, %s %v", less[0], weight[less[0]], less[1], weight[less[1]])
		}
	}
}

func TestKeywords(t *testing.T) {
	for _, c := range []struct{ in, has, hasNot string }{
		{"在/srv/scripts/deploy.py 里把 get_user 改掉，发到 a@b.cn", "/srv/scripts/deploy.py get_user a@b.cn", "root scripts 里"},
		{"昨天我去了医院，医生说花生过敏非常严重，大概42个人有00", "花生 过敏 医院 医生", "昨天 非常 42 00 去了 说"},
		{"The quick meeting about quantum computing was really about quantum hardware", "quantum computing hardware", "the was really about"},
		{"[source: web_fetch] 上海迪士尼乐园开放时间", "乐园 上海", "source web_fetch"},
		{"id 9d5e2a1f-1234-4abc-9def-001122334455 failed for 数据库", "数据库", "9d5e2a1f-1234-4abc-9def-001122334455"},
	} {
		var got []string
		for _, k := range Keywords(c.in, 20) {
			got = append(got, k.Text)
		}
		for w := range strings.FieldsSeq(c.has) {
			if !slices.Contains(got, w) {
				t.Errorf("%q lacks %q: %q", c.in, w, got)
			}
		}
		for w := range strings.FieldsSeq(c.hasNot) {
			if slices.Contains(got, w) {
				t.Errorf("%q has %q: %q", c.in, w, got)
			}
		}
	}
	top := Keywords("zebra apple zebra quokka", 1)
	if len(top) != 1 || top[0].Text != "zebra" {
		t.Errorf("best keyword %v", top)
	}
	if a := Keywords("wombat quokka", 2); len(a) != 2 || a[0].Text != "wombat" { // equal weights: the first stands first
		t.Errorf("ties stand as %v", a)
	}
}

func TestEntities(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"我叫李雷，在北京市海淀区的字节跳动科技有限公司上班。", "李雷/person 北京市/place 海淀区/place 字节跳动科技有限公司/organisation"},
		{"王老师推荐了《三体》，张伟明和约翰·史密斯去了上海交通大学。", "王老师/person 三体/work 张伟明/person 约翰·史密斯/person 上海交通大学/organisation"},
		{"我明白了，高兴！太阳和湖泊，马上就去，时间安排简单。", ""},
		{"帮我叫外卖，不要放香菜。", ""},
		{"When Caroline went to New York with Dr. Smith, the CEO of Acme Systems Inc was away.", "Caroline/person New York/place Dr. Smith/person CEO of Acme Systems Inc/organisation"},
		{"The weather was great. Thanks! Monday is fine. However, it rained.", ""},
		{"She uses PostgreSQL 16 on her iPhone15 in Berlin.", "PostgreSQL 16/product iPhone15/product Berlin/place"},
		{"deploy.py v1.2.3 于2026年11月30日 见 https://a.cn/x 或 a@b.cn, 10.0.0.1:6379, 13800138000",
			"deploy.py/path v1.2.3/version 2026年11月30日/date https://a.cn/x/url a@b.cn/email 10.0.0.1:6379/host 13800138000/phone"},
		{"deploy.py deploy.py DEPLOY.PY", "deploy.py/path"},
	} {
		var got []string
		for _, e := range Entities(c.in, 32) {
			got = append(got, e.Text+"/"+e.Type)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.in, s, c.want)
		}
	}
	if n := len(Entities("a.py b.py c.py", 2)); n != 2 {
		t.Errorf("%d entities, want at most 2", n)
	}
}

func TestTags(t *testing.T) {
	for in, want := range map[string]string{
		"外卖不要放香菜":                                              "food",
		"no coriander in my takeaway food":                     "food",
		"把服务部署到集群，然后看监控日志":                                     "operations",
		"deploy the service to the cluster and watch the logs": "operations",
		"嗯嗯好的": "", "ok": "",
	} {
		if got := strings.Join(Tags(in, 1), ","); got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
	long := strings.Repeat("今天 讨论 了 许多 事情 ", 20) + "香菜"
	if got := Tags(long, 5); slices.Contains(got, "food") {
		t.Errorf("one word in a long text made it %v", got)
	}
}

func TestSummary(t *testing.T) {
	if got := Summary("  short \n text ", 50); got != "short text" {
		t.Errorf("got %q", got)
	}
	text := "你好，谢谢你。" + "数据库集群在凌晨三点宕机，备份服务器的磁盘已满。" + "好的好的，没有问题，那就这样吧。" + strings.Repeat("嗯嗯，是的。", 20)
	got := Summary(text, 30)
	if !strings.Contains(got, "数据库集群") || utf8.RuneCountInString(got) > 30 {
		t.Errorf("got %q", got)
	}
	if got := Summary("[source: x] "+strings.Repeat("wordy ", 60), 20); utf8.RuneCountInString(got) != 20 || strings.Contains(got, "source") {
		t.Errorf("got %q", got)
	}
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"我来了。你好！他说：“走吧。”然后呢？", []string{"我来了。", "你好！", "他说：“走吧。”", "然后呢？"}},
		{"Dr. Smith met J. R. Doe at 3.14 p.m. on Monday. Then v1.2.3 failed! \"Why?\" she asked.", []string{"Dr. Smith met J. R. Doe at 3.14 p.m. on Monday.", "Then v1.2.3 failed!", "\"Why?\" she asked."}},
		{"one\ntwo\r\n\n three ", []string{"one", "two", "three"}},
		{"见 deploy.py。See example.com for e.g. this.", []string{"见 deploy.py。", "See example.com for e.g. this."}},
		{"真的吗？！……好。", []string{"真的吗？！……", "好。"}},
		{"never deploy on a friday. the login page is new. is it up? yes, since v1.2. thanks!", []string{"never deploy on a friday.", "the login page is new.", "is it up?", "yes, since v1.2.", "thanks!"}},
		{"the port is 5432. please restart it. i. said. so", []string{"the port is 5432.", "please restart it.", "i. said.", "so"}},
		{"1. first wash it. 2. then dry it", []string{"1. first wash it.", "2. then dry it"}},
		{"it takes approx. two hrs. per box, n.b. this; wait... what", []string{"it takes approx. two hrs. per box, n.b. this; wait... what"}},
		{"We waited two hrs. Then rain. (a lot.) of it. \"Stop!\" he said", []string{"We waited two hrs.", "Then rain.", "(a lot.) of it.", "\"Stop!\" he said"}},
		{"", nil},
	} {
		var got []string
		for _, s := range Sentences(c.in) {
			got = append(got, c.in[s.Start:s.End])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q\ngot  %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestLang(t *testing.T) {
	for in, want := range map[string]string{
		"我用 PostgreSQL 和 Kubernetes": "zh", "你好": "zh", "My friend 小明 said hello to everybody": "en",
		"hello": "en", "": "en", "123": "en", "请看 deploy.py": "zh", "臺灣": "zh",
	} {
		if got := Lang(in); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

// TestD6_TokensAreCJKAware: a Chinese text costs about a token a character, an English one about one for four
// letters; counts never shrink when text is added.
func TestD6_TokensAreCJKAware(t *testing.T) {
	for _, c := range []struct {
		in     string
		lo, hi int
	}{
		{"", 0, 0},
		{"Hello, world!", 4, 5}, // cl100k: 4
		{"The quick brown fox jumps over the lazy dog.", 9, 11}, // 10
		{"我对花生过敏，请不要放香菜。", 14, 22},
		{strings.Repeat("字", 100), 100, 150},
		{"1234567890", 4, 4},
		{"👍", 2, 3},
		{strings.Repeat(" ", 80), 1, 12},
		{"internationalization", 3, 6},
	} {
		if n := Tokens(c.in); n < c.lo || n > c.hi {
			t.Errorf("%q: %d tokens, want %d to %d", c.in, n, c.lo, c.hi)
		}
	}
	s, last := "", 0
	for _, part := range []string{"memory ", "记忆", "、", "x=1 ", "👍", "\n\n", "end"} {
		s += part
		if n := Tokens(s); n < last {
			t.Errorf("%q has %d tokens, %d without its end", s, n, last)
		} else {
			last = n
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"ＡＢＣ": "abc", "Straße": "strasse", "臺灣乾隆皇帝": "台湾乾隆皇帝", "Ⅷ": "viii", "ﬁn": "fin", "İ": "i̇", "头髮": "头发", "": "",
	} {
		if got := Fold(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	if got := FoldMatch("臺灣 ＡＢ"); got != "臺灣 ab" {
		t.Errorf("for matching, characters are not converted: %q", got)
	}
	for _, s := range []string{"我們喜歡𠮷野家的牛肉飯", "鬱鬱蔥蔥", strings.Repeat("體", 100)} {
		if got := Simplify(s); utf8.RuneCountInString(got) != utf8.RuneCountInString(s) {
			t.Errorf("%q changed its length to %q", s, got)
		}
	}
}

// TestFoldIsIdempotent tries every character there is.
func TestFoldIsIdempotent(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		s := string(r)
		for name, f := range map[string]func(string) string{"FoldMatch": FoldMatch, "Normalize": Normalize} {
			if once := f(s); f(once) != once && r != '薴' { // 薴 → 苧 → 苎 in OpenCC's own table
				t.Errorf("%s of %U is %q, again %q", name, r, once, f(once))
			}
		}
	}
}

// TestC2_Normalize: what is and what is not the same statement.
func TestC2_Normalize(t *testing.T) {
	same := [][2]string{
		{"I like Tea.", "i  like tea"}, {"我喜欢喝茶。", "我喜欢喝茶"}, {"我喜欢，喝茶", "我喜欢, 喝茶"}, {"用 Go 写代码", "用Go写代码"},
		{"ＡＢＣ（１）", "abc(1)"}, {"我喜歡喝茶", "我喜欢喝茶"}, {"wait!!!", "wait!"}, {"“hi”", "\"hi\""}, {"a\u00a0b", "a b"},
	}
	differ := [][2]string{
		{"I like tea", "I don't like tea"}, {"我喜欢茶", "我不喜欢茶"}, {"port 80", "port 8080"}, {"is it?", "is it"}, {"a -1", "a 1"},
		{"温度 -5 度", "温度 5 度"}, {"v1.2", "v12"}, {"1.5", "15"}, {"ab c", "a bc"}, {"他来", "她来"}, {"x = 1", "x = 2"}, {"3 点", "4 点"}, {"no - way", "no + way"},
	}
	for _, p := range same {
		if a, b := Normalize(p[0]), Normalize(p[1]); a != b {
			t.Errorf("%q and %q differ: %q, %q", p[0], p[1], a, b)
		}
	}
	for _, p := range differ {
		if a, b := Normalize(p[0]), Normalize(p[1]); a == b {
			t.Errorf("%q and %q are both %q", p[0], p[1], a)
		}
	}
}

// TestC2_NormalizeTool: runs that differ only in times, durations, counters and process ids are the same; ports,
// versions, amounts and readings never are masked.
func TestC2_NormalizeTool(t *testing.T) {
	same := [][2]string{
		{"2026-11-30T10:30:00Z started", "2026-11-29T08:01:59.123Z started"},
		{"2026/11/30 10:30:00 ERROR disk full", "2026/12/01 11:31:01 ERROR disk full"},
		{"[10:30:05] ok", "[23:59:59] ok"},
		{"build finished in 3.2s", "build finished in 14.9s"},
		{"took 120ms", "took 98 ms"},
		{"tests took 2m3s", "tests took 1m59s"},
		{"耗时 3.5 秒", "耗时 12 秒"}, {"用时3分20秒", "用时2分5秒"},
		{"0.02s elapsed", "1.20s elapsed"},
		{"pid 4711 exited", "pid 9 exited"}, {"nginx[pid=12] up", "nginx[pid=99] up"}, {"进程号：123 已退出", "进程号：456 已退出"},
		{"attempt 3/10 failed", "attempt 4/10 failed"}, {"第3次重试", "第12次重试"},
		{"timestamp: 1764470400", "timestamp: 1764470999"}, {"时间戳 1764470400123", "时间戳 1764470400999"},
	}
	differ := [][2]string{
		{"listening on port 8080", "listening on port 9090"}, {"监听端口 8080", "监听端口 9090"},
		{"version 1.2.3", "version 1.2.4"}, {"go1.25", "go1.26"}, {"版本 v2", "版本 v3"},
		{"total $120", "total $130"}, {"共 120 元", "共 130 元"}, {"总额 1764470400 元", "总额 1764470401 元"},
		{"temperature 21.5", "temperature 22.5"}, {"温度 21 度", "温度 22 度"}, {"disk 42% full", "disk 43% full"},
		{"meeting on 2026-11-30", "meeting on 2026-12-01"}, {"会议 10:30 开始", "会议 11:30 开始"},
		{"timeout 30s", "timeout 60s"}, {"超时设为30秒", "超时设为60秒"}, {"10.0.0.1:6379", "10.0.0.1:6380"},
		{"3 files", "4 files"}, {"3个文件", "4个文件"}, {"processor 4", "processor 8"}, {"room 12", "room 13"}, {"第3章", "第4章"},
		{"exit code 1", "exit code 2"}, {"tel 13800138000", "tel 13800138001"},
	}
	for _, p := range same {
		if a, b := NormalizeTool(p[0]), NormalizeTool(p[1]); a != b {
			t.Errorf("%q and %q differ: %q, %q", p[0], p[1], a, b)
		}
		if a, b := Normalize(p[0]), Normalize(p[1]); a == b {
			t.Errorf("%q and %q are the same without masking too", p[0], p[1])
		}
	}
	for _, p := range differ {
		if a, b := NormalizeTool(p[0]), NormalizeTool(p[1]); a == b {
			t.Errorf("%q and %q are both %q", p[0], p[1], a)
		}
	}
}

// TestDeterminism: everything twice, in one process.
func TestDeterminism(t *testing.T) {
	one := func() string {
		d := Analyze(mixed)
		return fmt.Sprint(d.Terms(), Sparse(d.Terms()), d.Keywords(30), d.Tags(9), d.Entities(99), d.Summary(200))
	}
	first := one()
	for range 5 {
		if one() != first {
			t.Fatal("the same text gave something else")
		}
	}
}

// A title of signs alone is one token with its brackets: looking for what follows it never ended.
func TestATitleOfSignsEnds(t *testing.T) {
	for in, want := range map[string]string{"《？》": "？", "看《……》和《红楼梦》": "红楼梦", "《！》《—》": "—", "《\ufffd》": "\ufffd", "《》": "", "《《》": ""} {
		found := false
		for _, e := range Entities(in, 32) {
			found = found || e.Text == want
		}
		if !found && want != "" {
			t.Errorf("%q: %q is not among %+v", in, want, Entities(in, 32))
		}
	}
}
