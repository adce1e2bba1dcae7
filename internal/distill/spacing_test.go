package distill

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// spaced is s with the spaces of Chinese typography between Chinese and letters or digits.
func spaced(s string) string {
	var b strings.Builder
	var last rune
	for _, r := range s {
		if isHan(last) && alnum(r) || alnum(last) && isHan(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// told is what the facts of a turn say, their contents aside.
func told(r Result) string {
	var b strings.Builder
	for _, f := range r.Facts {
		fmt.Fprintln(&b, f.Rule, f.Type, f.Subject, f.Predicate, f.Object, f.Negated, f.Replaces, f.Slot, f.Explicit)
	}
	return b.String()
}

// Every Chinese utterance of the sets, as it is and with a name in letters for the value it gives, says the same with
// these spaces and without, and keeps what was written.
func TestSpacingBetweenScriptsChangesNoFact(t *testing.T) {
	n := 0
	check := func(s string) {
		tight, wide := closed(s), spaced(closed(s))
		if tight == wide || langOf(tight) != "zh" || langOf(wide) != "zh" || strings.ContainsAny(s, "`<>|") {
			return
		}
		n++
		a, b := readText(t, schema.SegInput, tight), readText(t, schema.SegInput, wide)
		if told(a) != told(b) {
			t.Errorf("%s says\n%s%s says\n%s", tight, told(a), wide, told(b))
		}
		for _, m := range b.Facts {
			if strings.Contains(tight, m.Content) && !strings.Contains(wide, m.Content) {
				t.Errorf("%q keeps %q", wide, m.Content)
			}
		}
	}
	for _, f := range setFiles(t) {
		for _, u := range load(t, f) {
			if u.Seg != "" && u.Seg != schema.SegInput || langOf(u.Text) != "zh" {
				continue
			}
			check(u.Text)
			for _, g := range u.Facts {
				if k := utf8.RuneCountInString(g.Object); k > 1 && k < 5 {
					check(strings.Replace(u.Text, g.Object, "Kovalan", 1))
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d utterances hold both scripts", n)
	}
}

func TestSpacing(t *testing.T) {
	for _, tc := range []struct{ said, pred, object string }{
		{"我叫 Kevin。", "name", "Kevin"},
		{"请叫我 Mary Ann 就好。", "name", "Mary Ann"},
		{"我在 Google 上班。", "works_at", "Google"},
		{"我从 Google 跳槽到 Ant Group 了。", "works_at", "Ant Group"},
		{"我住在 New York。", "lives_in", "New York"},
		{"我的经理是 Elena Wang。", "manager_is", "Elena Wang"},
		{"我的经理是Elena Wang。", "manager_is", "Elena Wang"},
		{"我女儿叫 Lily。", "knows", "Lily"},
		{"我的狗叫 Coco。", "has", "Coco"},
		{"我的手机是 iPhone 15。", "attribute", "iPhone 15"},
		{"我用 Visual Studio Code。", "uses", "Visual Studio Code"},
	} {
		fs := readText(t, schema.SegInput, tc.said).Facts
		if len(fs) != 1 || fs[0].Predicate != tc.pred || !strings.HasPrefix(fs[0].Object, tc.object) || fs[0].Content != tc.said {
			t.Errorf("%s says %+v", tc.said, fs)
		}
	}
	number, thing := readText(t, schema.SegInput, "我的手机是 13800001111。").Facts, readText(t, schema.SegInput, "我的手机是 iPhone 15。").Facts
	if number[0].Slot == thing[0].Slot {
		t.Error("a make of phone takes the place of its number")
	}
}

func TestClosed(t *testing.T) {
	for in, want := range map[string]string{
		"我叫 Kevin": "我叫Kevin", "用 VS Code 写": "用VS Code写", "第 3 台": "第3台", " 前后 ": " 前后 ", "a b": "a b", "中 文": "中 文", "见 /etc": "见 /etc", "用\u00a0Go": "用Go",
	} {
		if got := closed(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("我住在AbZ09 ，.\t\u00a0"))).Draw(t, "s")
		got := closed(s)
		strip := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) {
					return -1
				}
				return r
			}, s)
		}
		if strip(got) != strip(s) || closed(got) != got {
			t.Fatalf("%q becomes %q", s, got)
		}
	})
}
