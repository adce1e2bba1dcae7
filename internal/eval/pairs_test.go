package eval

import (
	"strings"
	"testing"
)

func TestJudgePairs(t *testing.T) {
	pairs, err := ReadPairs(strings.NewReader(`{"lang":"en","a":"x","b":"X","same":true,"set":"s"}
{"lang":"en","a":"x","b":"y","same":true,"set":"s"}

{"lang":"zh","a":"z","b":"Z","same":false,"set":"r"}`))
	if err != nil {
		t.Fatal(err)
	}
	rep, err := JudgePairs(pairs, PairJudge{Merged: strings.EqualFold, Cosine: func(a, _ string) (float64, error) {
		return map[string]float64{"x": .95, "z": .5}[a], nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []PairScore{
		{Set: "r", Lang: "zh", Other: 1, OtherMerged: 1, Least: .5},
		{Set: "s", Lang: "en", Same: 2, SameMerged: 1, SameNear: 2, Least: .95},
		{Set: "all", Lang: "all", Same: 2, SameMerged: 1, SameNear: 2, Other: 1, OtherMerged: 1, Least: .5},
	}
	if len(rep.Scores) != len(want) || len(rep.Wrong) != 1 || rep.Wrong[0].A != "z" {
		t.Fatalf("%+v", rep)
	}
	for i := range want {
		if rep.Scores[i] != want[i] {
			t.Errorf("got  %+v\nwant %+v", rep.Scores[i], want[i])
		}
	}
	for _, bad := range []string{"", `{"a":"x"}`, `{"a":"x","b":"y","text":"z"}`, "[1"} {
		if _, err := ReadPairs(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
