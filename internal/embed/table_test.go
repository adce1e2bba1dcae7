package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"pgregory.net/rapid"
)

func table(t testing.TB) *Table {
	t.Helper()
	tab, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func vector(t testing.TB, tab *Table, text string) []float32 {
	t.Helper()
	vs, err := tab.Embed(context.Background(), []string{text}, schema.EmbedPassage)
	if err != nil {
		t.Fatal(err)
	}
	return vs[0]
}

func cos(a, b []float32) float64 {
	s := 0.0
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

// spelt shows what a text is cut into: words, and # for a trigram.
func spelt(tab *Table, text string) string {
	var out []string
	s := scanner{t: tab.f, trace: func(row, mult int) {
		w := "#"
		if row < tab.f.words {
			w = tab.f.word(row)
		}
		if w == "#" && len(out) > 0 && out[len(out)-1] == "#" {
			return
		}
		if mult != full && w != "#" {
			w += fmt.Sprintf("*%d", mult)
		}
		out = append(out, w)
	}}
	s.scan(text)
	return strings.Join(out, " ")
}

func TestTableFileIsWhole(t *testing.T) {
	tab := table(t)
	if err := tab.f.check(); err != nil {
		t.Fatal(err)
	}
	if n := len(tableBytes); n > 25_000_000 {
		t.Errorf("the file has %d bytes, more than 25 MB", n)
	}
	if tab.Dim() != TableDim {
		t.Errorf("%d dimensions, TableDim says %d", tab.Dim(), TableDim)
	}
}

// TestTableRefusesBrokenFiles: a file that was cut, or whose header was changed, is refused or still safe to use.
func TestTableRefusesBrokenFiles(t *testing.T) {
	b := []byte(tableBytes)
	for at := range tableHeader {
		for _, flip := range []byte{1, 0x80, 0xFF} {
			b[at] ^= flip
			if f, err := openTable(string(b)); err == nil && at < 60 && at != 28 { // any version, and any length of Chinese words up to 8
				t.Errorf("byte %d of the header is not looked at: %+v", at, f.version)
			}
			b[at] ^= flip
		}
	}
	for _, n := range []int{0, 7, 8, 63, 64, 1 << 16, len(b) - 1} {
		if _, err := openTable(tableBytes[:n]); schema.CodeOf(err) != schema.CodeCorrupt {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestTableCuts(t *testing.T) {
	tab := table(t)
	for _, c := range []struct{ text, want string }{
		{"Where is the passport?", "where is the passport"},
		{"I don't know Caroline's", "i don't know caroline"},
		{"getUserName HTTPServer snake_case_id", "get user name http server snake case id"},
		{"iPhone", "iphone"},
		{"utf8 v2.17", "# 8 v2 17"},
		{"C++ and C#, not c", "c++ and c# not c"},
		{"数据库备份失败了", "数据库 备份 失败 了"},
		{"我的护照放在哪里？", "我 的 护照 放在 哪里"},
		{"重启server之后", "重启 server 之后"},
		{"filesystems", "file*192 systems*192"},
		{"café CAFÉ cafe\u0301", "cafe cafe cafe"},
		{"🙂👍🏽", "🙂 👍"},
		{"qzxvkw", "#"},
		{"", "#"},
		{"?!", "#"},
	} {
		if got := spelt(tab, c.text); got != c.want {
			t.Errorf("%q is cut into %q, want %q", c.text, got, c.want)
		}
	}
}

// TestTableFolds: writings of one text have one vector.
func TestTableFolds(t *testing.T) {
	tab := table(t)
	for _, pair := range [][2]string{
		{"Where is my PASSPORT", "where is my passport"},
		{"ＤＥＰＬＯＹ．ｐｙ ８３１７", "deploy.py 8317"},
		{"數據庫備份失敗了，請檢查憑證", "数据库备份失败了，请检查凭证"},
		{"我的護照放在哪裡", "我的护照放在哪里"},
		{"don’t", "don't"},
		{"e\u0301clair", "éclair"},
		{"重启 server 之后", "重启server之后"},
		{"user_name", "user name"},
		{"getUser", "get-user"},
		{"1、买菜；2、做饭", "1,买菜;2,做饭"},
		{"👍🏽", "👍"},
	} {
		if !slices.Equal(vector(t, tab, pair[0]), vector(t, tab, pair[1])) {
			t.Errorf("%q (%s) and %q (%s) differ", pair[0], spelt(tab, pair[0]), pair[1], spelt(tab, pair[1]))
		}
	}
}

// TestTableNearness: what means the same is nearer than what does not, within a language and across.
func TestTableNearness(t *testing.T) {
	tab := table(t)
	for _, c := range []struct{ q, near, far string }{
		{"Where do I keep my passport?", "I keep the passport in the blue drawer.", "Where do we go for lunch on Friday?"},
		{"我的护照放在哪里？", "护照在蓝色抽屉里。", "我们周五去哪里吃午饭？"},
		{"What does she like to drink?", "Coffee without milk is her favourite.", "The server was moved to another port."},
		{"他住在哪个城市", "小王搬到了上海", "数据库的备份昨晚失败了"},
		{"Where is the passport?", "护照在蓝色抽屉里。", "我们周五去吃午饭。"},
		{"数据库备份为什么失败？", "The backup of the database failed because the disk was full.", "She adopted two cats and a dog."},
		{"deployment of the servers", "deploying a server", "depicting a sermon"},
		{"ＤＥＰＬＯＹ．ｐｙ", "deploy.py", "destroy.sh"},
		{"Zorblaxian", "the zorblaxian treaty", "the florvintian treaty"},
	} {
		q := vector(t, tab, c.q)
		if n, f := cos(q, vector(t, tab, c.near)), cos(q, vector(t, tab, c.far)); n <= f+0.05 {
			t.Errorf("%q: %.3f to %q, %.3f to %q", c.q, n, c.near, f, c.far)
		}
	}
}

// TestTableProperties holds for texts of any bytes: a unit vector, the same each time, and neither more white space
// nor punctuation between words changes it.
func TestTableProperties(t *testing.T) {
	tab := table(t)
	runes := rapid.SliceOf(rapid.OneOf(
		rapid.RuneFrom([]rune("abcXYZ019 _-.,'’\"+#\n\x00")), rapid.RuneFrom([]rune("的我数据库備份護照，。？")),
		rapid.RuneFrom([]rune("🙂👍🏽é\u0301ßİＡ１ｶﾞ\u200d\ufeff\ufffd𠀀")), rapid.Rune(),
	))
	rapid.Check(t, func(t *rapid.T) {
		text := string(runes.Draw(t, "runes"))
		if rapid.Bool().Draw(t, "broken") {
			text += string(rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(t, "bytes"))
		}
		v := vector(t2(t), tab, text)
		n := 0.0
		for _, x := range v {
			n += float64(x) * float64(x)
		}
		if !(math.Abs(n-1) < 1e-5) {
			t.Fatalf("length² %v", n)
		}
		if !slices.Equal(v, vector(t2(t), tab, text)) {
			t.Fatal("it differs the second time")
		}
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '.' })
		if len(words) > 0 && utf8.ValidString(text) {
			a, b := vector(t2(t), tab, strings.Join(words, " ")), vector(t2(t), tab, strings.Join(words, " .  "))
			if !slices.Equal(a, b) && strings.IndexFunc(text, func(r rune) bool { return r != ' ' && r != '.' && r != '+' && r != '#' }) >= 0 {
				if spelt(tab, strings.Join(words, " ")) != "#" { // punctuation alone stands for itself
					t.Fatalf("white space changes %q", words)
				}
			}
		}
	})
}

// t2 lets helpers of testing.TB take a rapid.T.
func t2(t *rapid.T) testing.TB { return rapidTB{t: t} }

type rapidTB struct {
	testing.TB
	t *rapid.T
}

func (r rapidTB) Helper()           {}
func (r rapidTB) Fatal(args ...any) { r.t.Fatal(args...) }

func TestTableAllocatesNothing(t *testing.T) {
	tab := table(t)
	out := make([]float32, tab.Dim())
	text := strings.Join(short, " ") + strings.Repeat("长文本没有空格也不分配内存", 50) + strings.Repeat("averylongidentifierThatNeverEnds", 20)
	if n := testing.AllocsPerRun(20, func() { tab.one(text, out) }); n != 0 {
		t.Errorf("%v allocations a text, want none", n)
	}
}

// TestTableSumsDoNotOverflow: a text of many weighty words has the direction of one of them.
func TestTableSumsDoNotOverflow(t *testing.T) {
	tab := table(t)
	one, many := vector(t, tab, "passport"), vector(t, tab, strings.Repeat("passport ", 5000))
	if !slices.Equal(one, many) {
		t.Errorf("cosine %v of a word to five thousand of it", cos(one, many))
	}
}

// TestTableIsFixed guards stored vectors: other vectors need another name. It holds on every platform.
func TestTableIsFixed(t *testing.T) {
	tab := table(t)
	h := sha256.New()
	for _, s := range append(short, "", "?!", "qzxvkw Zorblaxian utf8 🙂") {
		for _, x := range vector(t, tab, s) {
			fmt.Fprintf(h, "%08x", math.Float32bits(x))
		}
	}
	got := tab.Model() + " " + hex.EncodeToString(h.Sum(nil))[:16]
	const want = "table-v1-256 4825ba55be202f6d"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzTable(f *testing.F) {
	for _, s := range append(short[:len(short):len(short)], longWords[:]...) {
		f.Add(s)
	}
	tab := table(f)
	f.Fuzz(func(t *testing.T, s string) {
		v := vector(t, tab, s)
		if n := cos(v, v); !(math.Abs(n-1) < 1e-5) {
			t.Errorf("length² %v", n)
		}
	})
}

// longWords are words that fill what a word has room for, before an apostrophe that would go on with it.
var longWords = [...]string{
	strings.Repeat("𐌰", 16) + "'a", strings.Repeat("a", 60) + "𐌰’a", strings.Repeat("a", 61) + "'a", strings.Repeat("a", 64) + "'a", strings.Repeat("é", 32) + "'é",
}

func TestTableTakesWordsOfAnyLength(t *testing.T) {
	tab := table(t)
	for _, s := range longWords {
		if v := vector(t, tab, s); !(math.Abs(cos(v, v)-1) < 1e-5) {
			t.Errorf("%q has a vector of length² %v", s, cos(v, v))
		}
	}
}

var short = []string{
	"Where did Caroline put the blue passport holder last week?", "I moved the retrieval service to port 8317 on Friday.",
	"我的护照放在哪里？我记得上周五还在抽屉里。", "数据库备份失败了，请查看 backup.log 并重新运行脚本。", "Melanie: we went camping with the kids, it was great 🙂",
	"getUserName returns nil when the session_id has expired", "下周三下午三点和王医生见面", "She prefers tea to coffee and never eats peanuts.",
}

func BenchmarkTable(b *testing.B) {
	tab := table(b)
	out := make([]float32, tab.Dim())
	n := 0
	for b.Loop() {
		tab.one(short[n%len(short)], out)
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "texts/s")
	b.ReportAllocs()
}

// BenchmarkTableOpen is the work at the start of a process.
func BenchmarkTableOpen(b *testing.B) {
	for b.Loop() {
		if _, err := NewTable(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
}
