package distill

import (
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestTriples(t *testing.T) {
	for in, want := range map[string][][3]string{
		"I live in Porto.":                        {{"user", "lives_in", "Porto"}},
		"My brother John works at Borealis.":      {{"user's brother", "works_at", "Borealis"}, {"user's brother", "name", "John"}},
		"我姐姐王敏在厦门工作。":                             {{"user's older sister", "works_at", "厦门"}, {"user's older sister", "name", "王敏"}},
		"我弟弟叫李雷。":                                 {{"user", "younger_brother", "李雷"}, {"user's younger brother", "name", "李雷"}},
		"My brother is called Tom.":               {{"user", "brother", "Tom"}, {"user's brother", "name", "Tom"}},
		"Farah is a lawyer at Lindqvist.":         {{"Farah", "job_title", "lawyer"}, {"Farah", "works_at", "Lindqvist"}},
		"我在杭州做审计。":                                {{"user", "works_at", "杭州"}, {"user", "job_title", "审计"}},
		"我最喜欢的歌手是陈粒。":                             {{"user", "favourite_歌手", "陈粒"}},
		"我们组有小白、阿康和老姚。":                           {{"we", "has_member", "小白"}, {"we", "has_member", "阿康"}, {"we", "has_member", "老姚"}},
		"Prometheus listens on port 9090.":        {{"Prometheus", "port_of", "9090"}},
		"订单系统由赵磊负责。":                              {{"订单系统", "owner_of", "赵磊"}},
		"Then Halcyon acquired Oakmoor.":          {{"Halcyon", "rel:acquired", "Oakmoor"}},
		"据悉，星河软件收购了云帆科技。":                         {{"星河软件", "rel:收购", "云帆科技"}},
		"Did Halcyon acquire Oakmoor?":            nil,
		"If Halcyon acquired Oakmoor, we'd sell.": nil,
		"Never deploy on Fridays.":                nil,
	} {
		got := readText(t, schema.SegInput, in).Triples
		var edges [][3]string
		for _, tr := range got {
			edges = append(edges, [3]string{tr.Subject, tr.Predicate, tr.Object})
			if tr.Sentence == "" || tr.Rule == "" || tr.Source.Seg != "input" || tr.Source.Class != schema.ClassUser || tr.Confidence <= 0 {
				t.Errorf("%q: %+v", in, tr)
			}
		}
		if !slices.Equal(edges, want) {
			t.Errorf("%q: %v, want %v", in, edges, want)
		}
	}
	tool := readText(t, schema.SegTool, "[source: wiki] Then Halcyon acquired Oakmoor.").Triples
	if len(tool) != 1 || tool[0].Source.Class != schema.ClassTool || tool[0].Confidence >= .5 {
		t.Errorf("%+v", tool)
	}
}

func TestSecretsAreNoFacts(t *testing.T) {
	for _, in := range []string{"My wifi password is hunter2.", "记一下：数据库的密码是 abc123。", "My token is [secret:api_key].", "The admin password is hunter2."} {
		if got := readText(t, schema.SegInput, in).Facts; len(got) != 0 {
			t.Errorf("%q: %+v", in, got)
		}
	}
}
