package decide

import (
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// languages are values of which a rule can have one alone: two rules that ask for the same in two languages cannot both be
// kept. They are first words of rows of matters.
var languages = [...]string{"english", "chinese", "french", "german", "spanish", "italian", "portuguese", "russian", "japanese", "korean"}

// aboutWords tell nothing about what a rule of this kind is for.
var aboutWords = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq("一律 都 统一 所有 一直 总是 说话 聊天 对话 交谈 只 写 说 讲 要 请 务必 必须 改 改用 改成 换成 还是 吧 就 算了 沟通 交流 write written speak talk chat respond convers want everything all instead keep should must only let switch in to") {
		out[w] = true
	}
	return out
}()

// demand is the language that a rule asks for, "" where it asks for none or for several, and what it is asked for: 代码
// 注释请一律用中文写 asks for Chinese in code comments.
func demand(rule string) (value string, about map[string]bool) {
	if forbids(rule) {
		return "", nil
	}
	about = telling(rule)
	for _, l := range languages {
		if !about[l] {
			continue
		}
		if value != "" {
			return "", nil
		}
		value = l
	}
	delete(about, value)
	for w := range aboutWords {
		delete(about, w)
	}
	return value, about
}

// demanding reports whether m is a rule that may ask for a language.
func demanding(m *schema.Memory) bool {
	if m.Type != schema.TypeConstraint || m.Replaces != "" {
		return false
	}
	s := text.Fold(m.Object)
	for _, row := range matters {
		if !isLanguage(row[0]) {
			continue
		}
		for _, w := range row {
			if holds(s, w) {
				return true
			}
		}
	}
	return false
}

func isLanguage(w string) bool {
	for _, l := range languages {
		if l == w {
			return true
		}
	}
	return false
}

// otherValue reports whether the later rule f asks for another language than a does, for the same. One that says that it
// changes something (还是用英文吧) may name less of what it is about.
func otherValue(f, a *schema.Memory) bool {
	if !demanding(f) || !demanding(a) || containsAny(f.Object, "也", " also ", " too", " as well", "both ") {
		return false
	}
	value, about := demand(f.Object)
	before, was := demand(a.Object)
	if value == "" || before == "" || value == before || len(about) > len(was) {
		return false
	}
	for w := range about {
		if !was[w] {
			return false
		}
	}
	return len(about) == len(was) || len(about) > 0 && containsAny(f.Object, "还是", "改", "换", "instead", "switch")
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
