package distill

import "testing"

// A list is cut between its items, and neither inside a word nor inside the name of one thing.
func TestListsAreCutBetweenItems(t *testing.T) {
	wantObjects(t, map[string][]string{
		"我喜欢高跟鞋。":      {"likes 高跟鞋"},
		"我喜欢随和的人。":     {"likes 随和的人"},
		"我喜欢和服、汉服。":    {"likes 和服", "likes 汉服"},
		"我喜欢茶和咖啡。":     {"likes 茶", "likes 咖啡"},
		"我讨厌香菜跟芹菜。":    {"dislikes 香菜", "dislikes 芹菜"},
		"我喜欢篮球、足球和网球。": {"likes 篮球", "likes 足球", "likes 网球"},

		"I love rock and roll.":            {"likes rock and roll"},
		"I love mac and cheese.":           {"likes mac and cheese"},
		"I like drum and bass.":            {"likes drum and bass"},
		"I hate fish and chips.":           {"dislikes fish and chips"},
		"I love cats and dogs.":            {"likes cats", "likes dogs"},
		"I like coffee and some cake.":     {"likes coffee", "likes cake"},
		"I don't like tea or coffee.":      {"dislikes tea", "dislikes coffee"},
		"I speak Tagalog and English.":     {"speaks Tagalog", "speaks English"},
		"I'm allergic to nuts and sesame.": {"allergic_to nuts", "allergic_to sesame"},
	})
}
