package distill

import (
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// objects are those of the facts that s states, each behind its predicate.
func objects(t *testing.T, s string) []string {
	t.Helper()
	out := []string{}
	for _, f := range readText(t, schema.SegInput, s).Facts {
		out = append(out, f.Predicate+" "+f.Object)
	}
	return out
}

func wantObjects(t *testing.T, cases map[string][]string) {
	t.Helper()
	for in, want := range cases {
		got := objects(t, in)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// What stands between somebody and what is said of him says when or how, and is not his name.
func TestWhenIsNotAName(t *testing.T) {
	wantObjects(t, map[string][]string{
		"我的经理现在是李雷。":               {"manager_is 李雷"},
		"我的经理目前是李雷。":               {"manager_is 李雷"},
		"我的老板如今是李雷。":               {"manager_is 李雷"},
		"我们的经理现在是李雷。":              {"manager_is 李雷"},
		"我的经理之前是王芳。":               {"manager_is 王芳"},
		"我女朋友特别喜欢猫。":               {"likes 猫"},
		"我老婆现在是老师。":                {"job_title 老师"},
		"我哥目前住在上海。":                {"lives_in 上海"},
		"项目的负责人现在是李雷。":             {},
		"我老婆李娜在腾讯上班。":              {"works_at 腾讯", "knows 李娜"},
		"我弟弟小明在北京工作。":              {"works_at 北京", "knows 小明"},
		"My manager is now Elena.": {"manager_is Elena"},
	})
}
