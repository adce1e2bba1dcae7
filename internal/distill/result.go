package distill

import (
	"regexp"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// rulesResult reads what an assistant did or found: reports of results. Its advice, its jokes and what it repeats
// of the user's words are no facts.
var rulesResult = []rule{
	{"en.result.did", subjAny, true, regexp.MustCompile(`(?i)^(?:done[:,.!—-]* *)?(?:I|I've|I have|we|we've|we have) (?:have )?(?:now |just |successfully |also )*(deployed|created|saved|moved|installed|set|configured|updated|renamed|merged|booked|scheduled|added|upgraded|migrated|written|wrote|uploaded|published|changed|enabled|disabled|registered|ordered|exported|restored|pinned|fixed|reserved|placed|stored) (.+)$`), pReported, .6, nil},
	{"en.result.passive", subjAny, true, regexp.MustCompile(`(?i)^((?:the|your|a) .{2,60}?|[\p{Lu}][\w./-]+) (?:is|was|has been|have been|are|were) (?:now |successfully )*(?:deployed|created|saved|moved|installed|configured|renamed|merged|booked|scheduled|upgraded|migrated|uploaded|published|exported|restored|stored|reserved|confirmed) (?:to|at|in|on|under|as|for|from) (.+)$`), pReported, .6, nil},
	{"zh.result.did", subjAny, true, regexp.MustCompile(`^(?:好的?[，,])?(?:我)?(?:已经?|刚刚?|成功)(?:帮你|为您|为你|帮您|成功)?(?:将|把|在)?(.{0,40}?)(部署|创建|保存|移动|移到|安装|配置|更新|重命名|合并|预订|预约|添加|升级|迁移|写入|上传|发布|修改|改成|启用|禁用|注册|下单|导出|恢复|设置|存到|订好|设为)(.{2,})$`), pReported, .6, nil},
}

// rulesReference are the rows of the other tables that hold in anybody's mouth: ports, versions, paths, addresses.
var rulesReference = map[string]bool{
	"en.port": true, "en.version": true, "en.path": true, "en.url": true, "zh.port": true, "zh.version": true, "zh.path": true, "zh.url": true,
}

var reAdviceEn = gated(`(?i)\b(?:you can|you could|you should|you may|you might|i recommend|i suggest|i would|i'd|consider|try|let me|would you|for example|e\.g\.|such as|typically|usually|generally|by default|if you|for instance|recommend|suggest)\b`)
var reAdviceZh = gated(`建议|推荐|可以|您可|如果|比如|例如|一般|通常|默认|试试|不妨|最好|应该|我会选|要不要|需要我`)

// response reads what the assistant said.
func (r *reader) response(seg *schema.Segment) {
	for _, sent := range sentences(seg.Text) {
		lang := langOf(sent)
		if strings.ContainsAny(sent, "?？") || lang == "en" && reAdviceEn.match(sent) || lang == "zh" && reAdviceZh.match(sent) {
			continue
		}
		c := newClause(tidy(sent), strings.TrimRight(sent, ".。!！ "), lang, r.env.At, !containsAny(strings.ToLower(sent), "book", "schedul", "reserv", "confirm", "appoint", "预订", "预约", "订好", "安排"))
		c.sub = subject{kind: subjThing, text: "assistant"}
		c.setVP(c.text)
		read := false
		for i := range rulesResult {
			rl := &rulesResult[i]
			if rl.name[:2] != lang || !rl.re.MatchString(c.text) || !specific(c.text[1:]) && lang == "en" {
				continue
			}
			r.add(seg, c, fact{pred: pReported, object: c.text, conf: rl.conf, imp: pReported.imp}, rl, sent)
			read = true
			break
		}
		if !read {
			read = r.reference(seg, sent, .5)
		}
		if !read {
			r.openTriples(seg, sent, len(r.out.Triples))
		}
	}
}

// reference reads ports, versions, paths and addresses out of a sentence that is not the user's.
func (r *reader) reference(seg *schema.Segment, sent string, conf float64) bool {
	found := false
	for _, c := range clauses(sent, speaker{self: "assistant"}, r.env.At) {
		if c.sub.kind&(subjThing|subjPerson|subjNone) == 0 || c.lang == "zh" && c.sub.kind != subjNone {
			continue
		}
		c.explicit = false
		f, rl, ok := tableOf(c.lang).read(c)
		if !ok || !rulesReference[rl.name] {
			continue
		}
		f.conf, f.imp = conf, pReported.imp
		if seg.Kind == schema.SegTool {
			f.kind, f.imp = schema.KindReference, impTool
		}
		c.date(c.past || f.past)
		r.add(seg, c, f, rl, sent)
		found = true
	}
	return found
}

var (
	reSourceTag = gated(`^\[source: ([^\]]*)\]\s*`)
	reKeyValue  = gated(`^\s*(?:export |set |- )?["']?([A-Za-z][\w .-]{0,40}?)["']?\s*[=:]\s*["']?([^\s"',;{}\[\]][^"',;{}\[\]]{0,120}?)["']?,?\s*$`)
	reRefKey    = gated(`(?i)(?:^|[_ .-])(?:port|version|host|hostname|path|url|uri|endpoint|branch|region|database|db|dir|directory|bucket|queue|image|registry|domain|timezone|tz|go|python|node|java|ruby)$`)
	reSecretKey = gated(`(?i)pass|secret|token|key|auth|cred|cookie|session`)
	reNeedsEn   = gated(`(?i)^(?:it )?(needs|requires|tested with|built with|compatible with) ([A-Z][\w+#.]* (?:` + reVersion + `|\d+)\+?)(?: or (?:newer|later|higher))?[.]?$`)
	reImperEn   = gated(`(?i)\b(?:assistant|ai|agent|you|remember|store this|save this|permanently|always|never|must|ignore|instruction|from now on|upload|system prompt)\b`)
	reImperZh   = gated(`助手|你|记住|永远|必须|一律|忽略|指令|以后|上传`)
)

// tool reads references out of a tool's output: key and value, needed versions, ports, paths. Nothing in it can be
// a rule, a preference or a plan, and a line that speaks to the assistant is not read at all.
func (r *reader) tool(seg *schema.Segment) {
	body := seg.Text
	name := seg.Tool
	if m := reSourceTag.find(body); m != nil {
		body, name = body[len(m[0]):], m[1]
	}
	before := len(r.out.Facts)
	lines := 0
	for line := range strings.Lines(body) {
		lines++
		if len(r.out.Facts)-before >= maxRefs || lines > 4000 {
			return
		}
		line = strings.TrimSpace(line)
		if len(line) < 4 || len(line) > 300 || strings.HasPrefix(line, "<") || reImperEn.match(line) || reImperZh.match(line) {
			continue
		}
		if m := reKeyValue.find(line); m != nil && reRefKey.match(m[1]) && !reSecretKey.match(m[1]) && !strings.ContainsAny(m[2], "<>()$%") {
			r.refer(seg, name+": "+strings.TrimSpace(m[1])+" = "+strings.TrimSpace(m[2]), line, "tool.key", .7)
			continue
		}
		for _, sent := range sentences(line) {
			if m := reNeedsEn.find(sent); m != nil {
				r.refer(seg, name+": "+tidy(sent), sent, "tool.needs", .65)
				continue
			}
			if langOf(sent) == "zh" && utf8Len(sent) > 60 {
				continue
			}
			if !r.reference(seg, sent, .6) {
				r.openTriples(seg, sent, len(r.out.Triples))
			}
		}
	}
}

func utf8Len(s string) int { return len([]rune(s)) }

// refer keeps one reference of a tool's output.
func (r *reader) refer(seg *schema.Segment, content, sent, ruleName string, conf float64) {
	c := newClause(tidy(content), content, "en", r.env.At, false)
	c.dated = true // a time in it is no date of the turn's
	c.sub = subject{kind: subjThing, text: seg.Tool}
	r.add(seg, c, fact{pred: pReference, object: content, conf: conf, imp: impTool}, &rule{name: ruleName, pred: pReference, conf: conf}, sent)
	if n := len(r.out.Facts); n > 0 {
		r.out.Facts[n-1].Tier = schema.TierShort
	}
}
