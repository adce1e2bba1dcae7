package distill

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/cputime"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// turn is a cleaned turn of a corpus, with a name to find it by.
type turn struct {
	name string
	body schema.Cleaned
}

func (u turn) read() Result {
	return Read(u.body, schema.Envelope{Tenant: "t", User: "u", ID: u.name, UUID: "x", At: sunday, Seq: 1})
}

var kindClass = map[schema.SegmentKind]schema.Class{schema.SegInput: schema.ClassUser, schema.SegResponse: schema.ClassAssistant, schema.SegTool: schema.ClassTool}

func segment(kind schema.SegmentKind, s string) schema.Segment {
	return schema.Segment{Key: string(kind), Kind: kind, Class: kindClass[kind], Text: s}
}

// spokenTurns are all utterances of the sets, each as a user's, an assistant's and a tool's words.
func spokenTurns(t testing.TB) []turn {
	var out []turn
	for _, f := range setFiles(t) {
		for i, u := range load(t, f) {
			for _, k := range []schema.SegmentKind{schema.SegInput, schema.SegResponse, schema.SegTool} {
				out = append(out, turn{fmt.Sprintf("%s:%d:%s", f, i+1, k), schema.Cleaned{Segments: []schema.Segment{segment(k, u.Text)}}})
			}
		}
	}
	return out
}

// exampleTurns are the turns of the demo, uncleaned.
func exampleTurns(t testing.TB) []turn {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "examples", "turns.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []turn
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var u schema.Turn
		if err := json.Unmarshal(sc.Bytes(), &u); err != nil {
			t.Fatal(err)
		}
		c := schema.Cleaned{Segments: []schema.Segment{segment(schema.SegInput, u.Input), segment(schema.SegResponse, u.Response)}}
		for i, r := range u.ToolResults {
			s := segment(schema.SegTool, "[source: "+r.Name+"] "+r.Output)
			s.Key, s.Tool = fmt.Sprint("tool.", i), r.Name
			c.Segments = append(c.Segments, s)
		}
		out = append(out, turn{u.ID, c})
	}
	return out
}

// writer makes turns of about 1 kB by a seed: everyday sentences, utterances of the sets and parts of both, joined,
// cut and garbled, so that rules see what nearly fits as often as what fits.
type writer struct {
	r      *rand.Rand
	spoken [2][]string // en, zh
}

func newWriter(t testing.TB, seed uint64) *writer {
	w := &writer{r: rand.New(rand.NewPCG(seed, 11))}
	for _, f := range setFiles(t) {
		for _, u := range load(t, f) {
			i := 0
			if langOf(u.Text) == "zh" {
				i = 1
			}
			w.spoken[i] = append(w.spoken[i], u.Text)
		}
	}
	return w
}

var everyday = [2][]string{
	{"The gateway was upgraded last night, ticket 4411.", "the order service has become slower since Monday.", "We will watch it for two days before we decide.", "The owner promised an answer by Friday.", "It can be reproduced in the staging environment.", "If it happens again we call whoever is on duty.", "This belongs into the weekly summary.", "the login page moved to the new data centre, ticket 12.", "I looked at the logs and found nothing unusual.", "Could you check whether the export job ran?", "Grafana listens on port 3000 and Prometheus is at localhost:9090.", "The config lives in /etc/app/config.yaml.", "Halcyon acquired Oakmoor in March 2024.", "Done: I've deployed the API to staging-2.", "We need Go 1.26 or newer."},
	{"网关升级到了新版本，编号41，我们先观察两天再决定要不要回滚。", "订单服务昨晚重启过一次，负责人说周五之前会给出结论。", "测试环境已经复现了这个问题。", "这件事要写进这周的周报里。", "库存服务由新同事接手维护。", "如果再出现就联系值班同事处理。", "报表任务的配置改成了每天同步。", "接口文档还没更新。", "帮我看看昨天的日志。", "支付服务监听在8443端口，配置文件在/etc/pay/config.yaml。", "星河软件去年收购了云帆科技。", "已为你把接口部署到预发环境。", "样机先做20台，下周五寄出。"},
}

var pieces = [2][]string{
	{"yesterday", "next Friday", "by 30 June", "in two weeks", "since 2019", "every Monday", "on 2026-07-01", "last month", "three days ago", "I", "my sister", "we", "never", "always", "not", "really", "also", "port 8080", "v1.2.3", "/srv/data", "https://a.example/x", "because", "and", "but", "is", "the", "from now on", "usually", "used to", "no longer", "'s", ":", "—", "May", "ſ", "İ"},
	{"昨天", "下周五", "月底", "三天后", "2026年7月", "每周一", "上个月", "我", "我妹妹", "我们", "从不", "一律", "不", "真的", "也", "端口8080", "v1.2.3", "/srv/data", "因为", "而且", "是", "的", "以后", "通常", "以前", "不再", "，", "：", "（", "了", "过", "请", "Kafka", "周末"},
}

// sentence is one sentence or something like one.
func (w *writer) sentence(lang int) string {
	s := everyday[lang][w.r.IntN(len(everyday[lang]))]
	if w.r.IntN(3) > 0 {
		s = w.spoken[lang][w.r.IntN(len(w.spoken[lang]))]
	}
	for range w.r.IntN(3) {
		s = w.garble(s, lang)
	}
	return s
}

// garble puts in, takes out or doubles a piece at a word's edge (a character's in Chinese), or joins half of another
// sentence on.
func (w *writer) garble(s string, lang int) string {
	sep := []string{" ", ""}[lang]
	ws := strings.Split(s, sep)
	i := w.r.IntN(len(ws))
	switch w.r.IntN(6) {
	case 0, 1:
		ws[i] = pieces[lang][w.r.IntN(len(pieces[lang]))] + sep + ws[i]
	case 2:
		ws = append(ws[:i], ws[i+1:]...)
	case 3:
		ws[i] += sep + ws[i]
	case 4:
		other := strings.Split(w.spoken[lang][w.r.IntN(len(w.spoken[lang]))], sep)
		ws = append(ws[:i], append([]string{[]string{", and", "，"}[w.r.IntN(2)]}, other[w.r.IntN(len(other)):]...)...)
	case 5:
		ws[i] = strings.ToUpper(ws[i])
	}
	return strings.Join(ws, sep)
}

func (w *writer) text(lang, size int) string {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(w.sentence(lang))
		b.WriteString([]string{" ", "\n", "", "\n\n"}[w.r.IntN(4)])
	}
	return b.String()
}

func (w *writer) turns(n int) []turn {
	var out []turn
	for i := range n {
		lang := i % 2
		c := schema.Cleaned{Segments: []schema.Segment{segment(schema.SegInput, w.text(lang, 450)), segment(schema.SegResponse, w.text(lang, 350))}}
		if w.r.IntN(3) == 0 {
			s := segment(schema.SegTool, fmt.Sprintf("[source: files_read] port: %d\nversion: v1.%d.0\n%s", 8000+w.r.IntN(1000), w.r.IntN(40), w.text(1-lang, 150)))
			s.Tool = "files_read"
			c.Segments = append(c.Segments, s)
		}
		if w.r.IntN(8) == 0 {
			c.Speaker = "bob"
		}
		out = append(out, turn{fmt.Sprint("made:", i), c})
	}
	return out
}

// plainTurns are turns of about 1 kB as they come in bulk: everyday talk of both languages that states little.
func plainTurns(n int) []turn {
	r := rand.New(rand.NewPCG(5, 5))
	var out []turn
	for i := range n {
		lang := i % 2
		text := func(size int) string {
			var b strings.Builder
			for b.Len() < size {
				b.WriteString(everyday[lang][r.IntN(len(everyday[lang]))] + []string{" ", ""}[lang])
			}
			return b.String()
		}
		c := schema.Cleaned{Segments: []schema.Segment{segment(schema.SegInput, text(500)), segment(schema.SegResponse, text(350))}}
		if i%3 == 0 {
			c.Segments = append(c.Segments, segment(schema.SegTool, fmt.Sprintf("[source: files_read] {\"path\":\"/srv/app-%d/config.yaml\",\n\"port\": %d,\n\"version\": \"v1.%d.0\"}", i, 8000+i, i%40)))
		}
		out = append(out, turn{fmt.Sprint("plain:", i), c})
	}
	return out
}

// benchTurns is the time that reading one turn takes, and what the processor worked for it.
func benchTurns(b *testing.B, ts []turn) {
	bytes := 0
	for _, u := range ts {
		for _, s := range u.body.Segments {
			bytes += len(s.Text)
		}
		u.read() // dictionaries are opened once
	}
	b.ReportAllocs()
	start, n := cputime.Now(), 0
	for b.Loop() {
		ts[n%len(ts)].read()
		n++
	}
	b.ReportMetric(float64(cputime.Now()-start)/float64(time.Microsecond)/float64(n), "cpu-µs/turn")
	b.ReportMetric(float64(bytes)/float64(len(ts)), "bytes/turn")
}

func BenchmarkRead(b *testing.B) {
	b.Run("plain", func(b *testing.B) { benchTurns(b, plainTurns(60)) })
	b.Run("made", func(b *testing.B) { benchTurns(b, newWriter(b, 3).turns(60)) })
	b.Run("demo", func(b *testing.B) { benchTurns(b, exampleTurns(b)) })
}
