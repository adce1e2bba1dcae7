package distill

import "testing"

// A state that begins the name of a thing is nobody's.
func TestAStateInAName(t *testing.T) {
	wantObjects(t, map[string][]string{
		"单身公寓太贵了。":       {},
		"我们看了房，单身公寓太贵了。": {},
		"结婚纪念日快到了。":      {},
		"离婚率上升了。":        {},
		"退休金太少了。":        {},
		"搬家公司来了。":        {},
		"毕业典礼快到了。":       {},
		"单身。":            {"marital_status 单身"},
		"单身多年。":          {"marital_status 单身"},
		"我单身三年了。":        {"marital_status 单身"},
		"已婚，两个孩子。":       {"marital_status 已婚", "has 两个孩子"},
		"离婚了。":           {"did 离婚了"},
		"退休了。":           {"is 退休"},
	})
}
