package distill

import "strings"

var (
	reMatterIllZh = gated(`写|讲|聊|谈|研究|查(?:了|一|过)|看(?:了|一)|读(?:了|一)|关于|有关|了解|介绍|翻译|科普|(?:朋友|同学|同事|邻居|客户|病人|患者|亲戚|学生)(?:也|都|就)*(?:有|得|患|是|查|$)`)
	reOfIllZh     = gated(`^[\p{Han}]{0,2}?的(?:书|论文|文章|报告|资料|讲座|课|病人|患者|孩子|朋友|人|新闻|电影|纪录片)`)
)

// illOfOthersZh reports whether what is said up to an illness, and behind it, makes it a matter that somebody deals with, or
// another person's: 写一篇关于抑郁症的论文, 有个朋友有糖尿病.
func illOfOthersZh(said, behind string) bool {
	for _, w := range [...]string{"得了", "患了", "患上", "查出", "犯了", "确诊"} { // 写代码得了颈椎病
		if i := strings.LastIndex(said, w); i >= 0 && !reMatterIllZh.match(said[i:]) && !containsAny(said[:i], "朋友", "同学", "同事", "邻居") {
			return false
		}
	}
	return reMatterIllZh.match(said) || reOfIllZh.match(behind)
}

// withoutDegreeZh is what somebody has a little of, without that it is little: 点湿疹.
func withoutDegreeZh(ill string) string {
	for _, w := range [...]string{"一点儿", "一点", "点儿", "点", "些"} {
		if rest, ok := strings.CutPrefix(ill, w); ok {
			return rest
		}
	}
	return ill
}
