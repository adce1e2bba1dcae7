package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Material of the generated turns: everyday sentences of both languages, of which some state facts and most do not.
var (
	zhSubjects = []string{"网关", "订单服务", "库存服务", "报表任务", "监控系统", "登录页面", "支付回调", "搜索接口", "消息队列", "缓存集群"}
	zhVerbs    = []string{"升级到了新版本", "昨晚重启过一次", "需要补充测试", "响应时间变长了", "已经迁移到新机房", "计划下周发布", "由新同事接手维护", "日志里有几条告警", "配置改成了每天同步", "接口文档还没更新"}
	zhTails    = []string{"我们先观察两天再决定要不要回滚。", "负责人说周五之前会给出结论。", "测试环境已经复现了这个问题。", "这件事要写进这周的周报里。", "如果再出现就联系值班同事处理。"}
	enSubjects = []string{"the gateway", "the order service", "the nightly report", "the search index", "the payment callback", "the login page", "the message queue", "the cache cluster", "the build server", "the export job"}
	enVerbs    = []string{"was upgraded last night", "needs one more round of tests", "has become slower since Monday", "moved to the new data centre", "will be released next week", "is maintained by a new colleague", "logged a handful of warnings", "now syncs once a day", "still lacks its documentation", "was restarted by hand"}
	enTails    = []string{"We will watch it for two days before we decide.", "The owner promised an answer by Friday.", "It can be reproduced in the staging environment.", "This belongs into the weekly summary.", "If it happens again we call whoever is on duty."}
	zhRules    = []string{"记住：发布前一定要先跑健康检查。", "我喜欢用表格看数据。", "我现在住在苏州。", "周五之前要交季度总结。"}
	enRules    = []string{"Remember: never deploy on a Friday.", "I prefer charts over tables.", "I live in York now.", "I have to send the forecast by Friday."}
)

// generator makes turns of about 1 KB as JSON, half of them Chinese, of a number of users. Deterministic by seed.
type generator struct {
	r     *rand.Rand
	users int
	start time.Time
	n     int
	run   string // sets the ids of one run apart from those of others
}

func newGenerator(seed uint64, users int, run string) *generator {
	return &generator{r: rand.New(rand.NewPCG(seed, 7)), users: users, start: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), run: run}
}

func pick[T any](r *rand.Rand, s []T) T { return s[r.IntN(len(s))] }

// next is one turn; marker, where it is not "", stands in the input as a word of its own.
func (g *generator) next(marker string) schema.Turn {
	g.n++
	u := g.r.IntN(g.users)
	t := schema.Turn{
		ID: fmt.Sprintf("%s-%d", g.run, g.n), User: fmt.Sprintf("user-%d", u), Agent: "bench",
		Conversation: fmt.Sprintf("c-%d-%d", u, g.n/20), At: g.start.Add(time.Duration(g.n) * time.Minute),
	}
	zh := g.n%2 == 0
	var in, out strings.Builder
	if marker != "" {
		in.WriteString(marker + " ")
	}
	if g.r.IntN(5) == 0 {
		if zh {
			in.WriteString(pick(g.r, zhRules))
		} else {
			in.WriteString(pick(g.r, enRules) + " ")
		}
	}
	for in.Len() < 400 {
		in.WriteString(g.sentence(zh))
	}
	for out.Len() < 250 {
		out.WriteString(g.sentence(zh))
	}
	t.Input, t.Response = in.String(), out.String()
	if g.r.IntN(3) == 0 {
		t.ToolResults = []schema.ToolResult{{Name: "files_read", Output: fmt.Sprintf(`{"path":"/srv/app-%d/config.yaml","content":"port: %d\nversion: v1.%d.0\n"}`, g.r.IntN(50), 8000+g.r.IntN(1000), g.r.IntN(40))}}
	}
	return t
}

func (g *generator) sentence(zh bool) string {
	if zh {
		return fmt.Sprintf("%s%s，编号%d，%s", pick(g.r, zhSubjects), pick(g.r, zhVerbs), g.r.IntN(10000), pick(g.r, zhTails))
	}
	return fmt.Sprintf("%s %s, ticket %d. %s ", pick(g.r, enSubjects), pick(g.r, enVerbs), g.r.IntN(10000), pick(g.r, enTails))
}

// lines is n turns as NDJSON.
func (g *generator) lines(n int) []byte {
	var b []byte
	for range n {
		j, _ := json.Marshal(g.next("")) // a Turn always encodes
		b = append(append(b, j...), '\n')
	}
	return b
}
