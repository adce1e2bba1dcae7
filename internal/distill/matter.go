package distill

import (
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Natures of slots of matters.
const (
	natureRule = "rule"
	natureTodo = "todo"
)

// matterSlot is the slot of a rule, of what lifts one, of a to-do and of what closes one; "" for others. All rules of
// a speaker share one, so that decide can compare their words; to-dos, of which there are many, are parted by the term
// that tells most about them.
func (r *reader) matterSlot(p predicate, subj string, m *schema.Memory, f *fact, c *clause) string {
	switch p.name {
	case pRule.name, pPermitted.name, pExempt.name:
		return schema.MatterSlotKey(r.owner, text.Fold(r.sp.self), natureRule, "")
	case pPlan.name, pReminder.name:
		if m.Type == schema.TypeTodoHint {
			return r.todoSlot(subj, undated(m.Object, c))
		}
	case pEvent.name:
		if f.replaces != "" {
			return r.todoSlot(subj, undated(f.replaces, c))
		}
	}
	return ""
}

func (r *reader) todoSlot(subj, object string) string {
	if t := head(object); t != "" {
		return schema.MatterSlotKey(r.owner, subj, natureTodo, t)
	}
	return ""
}

// undated is s without its time expressions.
func undated(s string, c *clause) string {
	ws := findWhens(s, c.clock)
	for i := len(ws) - 1; i >= 0; i-- {
		s = s[:ws[i].start] + " " + s[ws[i].end:]
	}
	return s
}

// head is the term of s that tells most by the built-in table of frequencies, words for what one does left out; "" for
// none.
func head(s string) string {
	best, weight := "", float32(0)
	for _, t := range text.QueryTerms(s) {
		if idleHeads[t.Term] || t.Term[0] < 0x80 && text.Deeds(t.Term) != 0 {
			continue
		}
		if t.Weight > weight || t.Weight == weight && t.Term < best {
			best, weight = t.Term, t.Weight
		}
	}
	return best
}

var idleHeads = wordSet("need must have remember remind by before until due 之前 以前 之后 提交 上交 递交 缴纳 支付 续费 更新 完成 准备 整理 办理 处理 记得")

// done is an event that closes a to-do: what was done with object.
func done(c *clause, object string) (fact, bool) {
	object = strings.TrimSpace(object)
	if head(undated(object, c)) == "" {
		return fact{}, false
	}
	f := fact{pred: pEvent, object: objectOf(c, c.text), replaces: object}
	for _, w := range c.whens() {
		if !w.by && !w.since {
			f.qualifier = w.note()
			break
		}
	}
	return f, true
}
