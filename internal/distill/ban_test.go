package distill

import (
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// What holds for a kind of thing or of work is a rule, in few words too; what is said of this one, for now, of
// somebody, as a question or in an idiom is none.
func TestBansAndManners(t *testing.T) {
	for _, s := range []string{
		"不要香菜。", "面条不要辣椒。", "汤里不要味精", "咖啡不要加糖。", "奶茶里别放珍珠", "Kafka 消息里不要带密码。", "所有邮件都不要附名片。",
		"回复我的时候请用简体中文。", "回答问题时请简洁一点。", "写邮件时请用敬语。", "跟客户沟通时请保持礼貌。",
		"When answering questions, please be concise.", "When you reply to me, please use British spelling.",
	} {
		if fs := readText(t, schema.SegInput, s).Facts; len(fs) != 1 || fs[0].Type != schema.TypeConstraint || fs[0].Content != s {
			t.Errorf("%q says %+v", s, fs)
		}
	}
	for _, s := range []string{
		"这次不要加糖。", "咖啡这次不要加糖。", "现在不要发布。", "今天咖啡不要加糖。", "这杯咖啡不要加糖。", "你不要香菜吗？", "咖啡不要加糖吗？", "不要钱。", "不要紧。", "不要了。",
		"我不要香菜。", "孩子不要上学。", "她不要我了。", "头发不要太短。", "小王不要放鸽子。",
		"你写完的时候请告诉我。", "下班的时候请给我打电话。", "开会的时候请帮我记笔记。", "翻译这篇文章的时候请简洁一点。", "回答这个问题时请简洁一点。",
		"When you reply to this, please be polite.", "When you are done, please tell me.", "When answering, please wait for me.", "Please be quiet when she sleeps.",
	} {
		for _, f := range readText(t, schema.SegInput, s).Facts {
			if f.Type == schema.TypeConstraint {
				t.Errorf("%q is taken for a rule by %s", s, f.Rule)
			}
		}
	}
}
