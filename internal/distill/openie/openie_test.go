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
		{"阿米纽斯，村庄和盟友的领导人，位于山谷。", []string{"阿米纽斯 | 位于 | 山谷"}},
		{"我看到的是一个复制品。", []string{"我看到的 | 是 | 一个复制品"}},
		{"李雷在他位于布莱顿的家中教英语。", []string{"李雷 | 教 | 英语", "李雷 | 教英语 | 在他位于布莱顿的家中"}},
		{"他们没有确定的证据。", []string{"他们 | 没有 | 确定的证据"}},
		{"李雷的决定将获得赞扬。", []string{"李雷的决定 | 将获得 | 赞扬"}},
		{"红队以47比38获胜。", []string{"红队 | 获胜 | 以47比38"}},
		{"他参加过格拉尼库斯战役。", []string{"他 | 参加过 | 格拉尼库斯战役"}},
		{"红队于1967年从查米纳尔出发。", []string{"红队 | 出发 | 从查米纳尔"}},
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

// TestTimeInFrontIsSaidOfOneClause: the year before the first clause is not also when the later ones happened.
func TestTimeInFrontIsSaidOfOneClause(t *testing.T) {
	got := texts(Chinese("2010年，李雷创办了公司，后来他加入了学校。"))
	if !slices.Contains(got, "李雷 | 创办了公司 | 2010年") || !slices.Contains(got, "他 | 加入了 | 学校") {
		t.Errorf("%q", got)
	}
	if slices.Contains(got, "他 | 加入了学校 | 2010年") {
		t.Errorf("the year went on to a later clause: %q", got)
	}
}

// TestWhatIsNoNameIsNoSubject: a clause whose verb the dictionary does not know, and a list, are not what the next clause speaks of.
func TestWhatIsNoNameIsNoSubject(t *testing.T) {
	for _, in := range []string{"八点的高铁，去南昌。", "offer签了，6月1号去宁德时代报到。", "正在自学德语，已经到B1了。", "就五个人：阿Ken、思琪、老谭，外加一个实习生小鹿。"} {
		if got := texts(Chinese(in)); len(got) > 0 {
			t.Errorf("%q: %q, want none", in, got)
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
