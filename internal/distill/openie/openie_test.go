package openie

import (
	"slices"
	"strings"
	"testing"
)

func texts(s *Sentence) []string {
	var out []string
	for _, t := range s.Triples {
		out = append(out, s.Text(t.Subject)+" | "+s.Text(t.Relation)+" | "+s.Text(t.Object))
	}
	return out
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"He didn't sell the well-known shop, Tom's, in 2019.", []string{"He | didn't sell | the well-known shop"}},
		{"In 2019 Ann founded Acme and sold it to Bob.", []string{"Ann | founded | Acme", "Ann | founded Acme In | 2019", "Ann | sold | it", "Ann | sold it to | Bob"}},
		{"The deploy was started by Ann and finished by Bob.", []string{"The deploy | was started by | Ann", "The deploy | was finished by | Bob"}},
		{"Kafka stores the events and is run by Tom.", []string{"Kafka | is run by | Tom"}},
		{"Ann, a nurse, works at https://clinic.example/a?b=c.", []string{"Ann | works at | https://clinic.example/a?b=c"}},
		{"彼得·拜沃特斯在布莱顿教英语。", []string{"彼得·拜沃特斯 | 教 | 英语", "彼得·拜沃特斯 | 教英语 | 在布莱顿"}},
		{"公司把服务器迁到了上海。", []string{"公司 | 把服务器迁到了 | 上海"}},
		{"李雷和韩梅梅支持Windows和macOS。", []string{"李雷 | 支持 | Windows", "韩梅梅 | 支持 | macOS"}},
		{"我喜歡臺灣的茶。", []string{"我 | 喜歡 | 臺灣的茶"}},
	} {
		s := EnglishText(c.in)
		if strings.ContainsFunc(c.in, func(r rune) bool { return r > 0x4e00 && r < 0xa000 }) {
			s = Chinese(c.in)
		}
		got := texts(s)
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q: %q, want %q among them", c.in, got, w)
			}
		}
	}
}

// TestVerbsThatDescribeNounsAreSearchedOnce counts the searches: each verb before 的 asks for the verb of what follows.
func TestVerbsThatDescribeNounsAreSearchedOnce(t *testing.T) {
	for _, n := range []int{4, 12, 32} {
		c := &chinese{Sentence: &Sentence{Words: wordsZh(strings.Repeat("认识北京的人", n) + "是老师。"), Lang: "zh"}, verbs: map[[2]int]int{}}
		c.read()
		if c.searched > len(c.Words) {
			t.Errorf("%d describing verbs: %d searches for %d words", n, c.searched, len(c.Words))
		}
	}
	if got := texts(Chinese("认识北京的人是老师。")); !slices.Contains(got, "认识北京的人 | 是 | 老师") {
		t.Errorf("%q", got)
	}
}

// FuzzRead holds every part of a triple to words of the sentence, and the number of triples to its bound.
func FuzzRead(f *testing.F) {
	EnglishText("open the tagger") // not while a worker is watched
	Chinese("打开词典")
	for _, s := range []string{"In 1918 , the town was renamed Jones .", "他在1918年改名为琼斯，并被称为“城”。", "of of of", "的的的", "在", "“”", "A, B and C's D & E - F", "\x00\xff", "it 's n't '", "《"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, s := range []*Sentence{EnglishText(in), EnglishWords(strings.Fields(in)), Chinese(in)} {
			if len(s.Words) > MaxWords || len(s.Triples) > maxTriples {
				t.Errorf("%d words, %d triples", len(s.Words), len(s.Triples))
			}
			for _, tr := range s.Triples {
				for _, p := range []Phrase{tr.Subject, tr.Relation, tr.Object} {
					if len(p) == 0 {
						t.Errorf("an empty part: %+v", tr)
					}
					for _, i := range p {
						if i < 0 || i >= len(s.Words) {
							t.Errorf("word %d of %d", i, len(s.Words))
						}
					}
				}
			}
			s.Edges()
		}
	})
}
