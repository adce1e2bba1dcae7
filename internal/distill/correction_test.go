package distill

import (
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// TestCorrections_OfTheSentenceBefore: the new value takes the place of the old one, whoever else is not asked.
func TestCorrections_OfTheSentenceBefore(t *testing.T) {
	readings(t, false, map[string]string{
		"The demo is on Tuesday. No wait, Thursday.":                "demo date_of Tuesday; demo date_of Thursday",
		"My sister's name is Ana. Scratch that, Anna.":              "knows ana; knows anna",
		"The database is on port 5432. No, thanks.":                 "database port_of 5432",
		"The demo is on Tuesday. No, I have no idea.":               "demo date_of Tuesday",
		"The release moved from Tuesday to Wednesday.":              "release date_of Wednesday",
		"The standup was pushed back from 9:30 to 10:15 on Friday.": "standup date_of 10:15 on Friday",
	})
	readings(t, false, map[string]string{
		"航班是周二的。不对，是周四。":       "航班 date_of 周二; 航班 date_of 周四",
		"我住在杭州。不对，是苏州。":        "lives_in 杭州; lives_in 苏州",
		"我的生日是5月3号。说错了，是5月8号。": "birthday 5月3号; birthday 5月8号",
		"航班是周二的。不对，是谁订的？":      "航班 date_of 周二",
		"发布从周二改到周三了。":          "发布 date_of 周三",
	})
}

// TestReadings_OfNewcomers are what people said who had not seen the rules.
func TestReadings_OfNewcomers(t *testing.T) {
	readings(t, false, map[string]string{
		"Redis runs on 10.0.0.7:6379.":              "Redis port_of 6379; Redis runs_on 10.0.0.7",
		"The registry listens on localhost:5000.":   "registry port_of 5000",
		"The wiki is at https://wiki.acme.io:8443.": "wiki port_of 8443",
		"We live in Lisbon.":                        "lives_in lisbon",
		"数据库在 10.0.0.5:5432":                        "数据库 port_of 5432; 数据库 runs_on 10.0.0.5",
		"缓存服务跑在 10.0.0.8:6380。":                     "缓存服务 port_of 6380; 缓存服务 runs_on 10.0.0.8",
		"不写 Java 了，改写 Kotlin":                       "uses java; uses kotlin",
		"我不写 PHP 了，改写 Go。":                          "uses php; uses go",
		"我常驻北京":                                     "lives_in 北京",
		"程序常驻内存":                                    "",
		"我有点湿疹":                                     "health 湿疹",
		"我有点过敏性鼻炎":                                  "health 过敏性鼻炎",
		"测试机的数据库端口是3306。":                           "测试机的数据库 port_of 3306",
	})
}

// TestReadings_WhatIsGivenUpHasEnded while what is taken up holds.
func TestReadings_WhatIsGivenUpHasEnded(t *testing.T) {
	for _, said := range []string{"不写 Java 了，改写 Kotlin", "我不写 Java 了，改写 Kotlin。"} {
		got := readText(t, schema.SegInput, said).Facts
		if len(got) != 2 || !got[0].Negated || got[0].Replaces != "Java" || got[1].Negated || got[1].Object != "Kotlin" {
			t.Errorf("%q: %+v", said, got)
		}
	}
}

// TestDatabase_HasOneName whatever it is called by, and other things keep theirs.
func TestDatabase_HasOneName(t *testing.T) {
	for name, want := range map[string]string{
		"测试机的数据库": "测试库", "测试环境的库": "测试库", "测试库": "测试库", "测试机": "测试机", "数据库": "数据库", "仓库": "仓库", "生产数据库": "生产库",
		"staging database": "staging db", "staging server's database": "staging db", "database on staging": "staging db", "staging db": "staging db",
		"staging server": "staging server", "database": "database", "db": "db", "mongodb": "mongodb",
	} {
		if got := database(name); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
}
