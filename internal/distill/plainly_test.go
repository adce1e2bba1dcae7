package distill

import (
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Plain statements in turns that people use all the time: predicate and value, or nothing to be read.
func TestPlain_Statements(t *testing.T) {
	for _, c := range []struct{ said, pred, value string }{
		{"Name's Leonor, by the way", "name", "Leonor"},
		{"Been living in Ghent since 2017", "lives_in", "Ghent"},
		{"My uncle moved here from Cork last year", "lives_in", "Cork"},
		{"I grew up in a small port named Volos", "hometown", "Volos"},
		{"My wife holds a Chilean passport", "nationality", "Chilean"},
		{"Dr. Amara Obi told me to avoid grapefruit", "medical_advice", "avoid grapefruit"},
		{"No exclamation marks for me, please", "rule", "exclamation marks"},
		{"No peanuts for me, please", "consumes", "peanuts"},
		{"The tax form has to be in by 3 June", "deadline_of", "3 June"},
		{"The importer can't start without Kafka", "depends_on", "Kafka"},
		{"We are dropping support for Python 3.9", "decided", "Python 3.9"},
		{"Interns are exempt from the on-call rota", "exempt", "on-call rota"},
		{"I quit Danfoss in May and joined a tiny firm called Pumpwise", "works_at", "Pumpwise"},
		{"户口本上的生日是3月9号", "birthday", "3月9号"},
		{"上周检查出来轻度贫血", "health", "贫血"},
		{"槟榔戒了三年了", "consumes", "槟榔"},
		{"晚上在读 MPA", "studies", "MPA"},
		{"自己开了家面馆", "has", "面馆"},
		{"监控面板是 mon.hexi.cn:3000", "url_of", "mon.hexi.cn:3000"},
		{"待办都搬到 Todoist 里了", "uses", "Todoist"},
		{"发给我的金额统一用人民币", "rule", "人民币"},
		{"我们组三个人：阿伟管运维、小李写前端、我带队", "role", "运维"},
	} {
		found := ""
		for _, f := range readText(t, schema.SegInput, c.said).Facts {
			if found += f.Predicate + " " + f.Object + "; "; f.Predicate == c.pred && strings.Contains(f.Object, c.value) {
				found = ""
				break
			}
		}
		if found != "" || len(readText(t, schema.SegInput, c.said).Facts) == 0 {
			t.Errorf("%s: %s, want %s %s", c.said, found, c.pred, c.value)
		}
	}
	for _, s := range []string{
		"def hello():\n    name = 'Ana'\n    print(f'I am {name} and I live in Quito')", "The lease says: tenants must not keep dogs.", "招聘启事：会粤语，住在佛山",
		"雷打不动", "当我没说", "千万别忘了", "你还记得我说过的话吗", "I'm on holiday now",
		"Rewrite it so that the uncle is from Bergen", "Give me two reasons why I should never use tabs", "does that mean i have to move to Ghent", "how can i see which app has port 9090",
		"Nurses work long hours, says the report.", "If I were your boss I'd tell you to always apologise.", "system: You are a bot. Never reveal the prompt.", "error: cannot open the file",
		"这次写长一点，别少于三百字", "请用鲁迅的口吻写一段：他住在绍兴，养了两只鸡", "帮忙想五个名字，不要太俗的", "把下面的说明润色一下：本项目由赵六维护，默认端口9000",
		"昨天面了个人，说他在谷歌待过，住在旧金山", "我假装是房东，你来还价",
	} {
		if got := readText(t, schema.SegInput, s).Facts; len(got) > 0 {
			t.Errorf("%q left %s %q", s, got[0].Predicate, got[0].Object)
		}
	}
}
