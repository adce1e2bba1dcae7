package eval

import (
	"math"
	"strings"
	"testing"
)

const gold = `sent_id:1	Ann founded the firm Acme of Leeds in 1999 .
1--> Cluster 1:
Ann --> founded --> [the] [firm] Acme [of Leeds]
1--> Cluster 2:
Ann --> founded Acme in --> 1999
Ann --> founded Acme --> in 1999
1--> Cluster 3:
a line that is none
Ann --> lives --> [somewhere]

sent_id:2	安 娜 住 在 波 尔 图 。
2--> Cluster 1:
安 娜 --> 住 在 --> [ 葡 萄 牙 ] 波 尔 图

sent_id:3	李雷在杭州工作。
3--> Cluster 1:
李雷 --> 工作 --> 在[中国]杭州
`

func TestScoreTriples(t *testing.T) {
	g, err := ReadGold(strings.NewReader(gold))
	if err != nil {
		t.Fatal(err)
	}
	s := ScoreTriples(g, []Extracted{
		{"1", "Ann", "founded", "the firm Acme"},
		{"1", "Ann", "founded", "Acme of  Leeds"}, // the same fact again costs nothing
		{"1", "Ann", "founded", "the Acme of"},    // half of what is in brackets
		{"1", "Ann", "founded Acme", "in 1999"},
		{"1", "Ann", "lives", ""},
		{"1", "ann", "founded", "Acme"},
		{"2", "安 娜", "住 在", "波 尔 图"},
		{"2", "安 娜", "住", "在 波 尔 图"},
		{"3", "李 雷", "工 作", "在 中 国 杭 州"},
		{"4", "of", "no", "sentence"},
	})
	want := TripleScore{Sentences: 3, Clusters: 5, Triples: 9, Hit: 5, Wrong: 3}
	if s.Sentences != want.Sentences || s.Clusters != want.Clusters || s.Triples != want.Triples || s.Hit != want.Hit || s.Wrong != want.Wrong {
		t.Errorf("%+v, want %+v", s, want)
	}
	if p, r := 5./8, 1.; math.Abs(s.Precision-p) > 1e-9 || math.Abs(s.Recall-r) > 1e-9 || math.Abs(s.F1-2*p*r/(p+r)) > 1e-9 {
		t.Errorf("%+v", s)
	}
	if s := ScoreTriples(g, nil); s.F1 != 0 || s.Precision != 0 {
		t.Errorf("of nothing: %+v", s)
	}
}

func TestReadGoldRefusesWhatIsNone(t *testing.T) {
	for _, in := range []string{"", "hello", "sent_id:1 no tab", "1--> Cluster 1:\n", strings.Repeat("x", maxGoldLine+1)} {
		if _, err := ReadGold(strings.NewReader(in)); err == nil {
			t.Errorf("%.20q is read", in)
		}
	}
}
