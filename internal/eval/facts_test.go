package eval

import (
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

var plainReader = FactReader{Subject: func(s string) string { return s }, Person: func(s string) bool { return s == "user's sister" || s == "user's wife" }}

// What is and what is not the fact that a file states.
func TestStated(t *testing.T) {
	may := time.Date(2026, 5, 10, 0, 0, 0, 0, SaidAt.Location())
	lives := schema.Memory{Subject: "user", Predicate: "lives_in", Object: "Basel", Content: "I relocated to Basel.", Type: schema.TypeFact, Kind: schema.KindUser}
	with := func(f func(*schema.Memory)) schema.Memory { m := lives; f(&m); return m }
	for name, tc := range map[string]struct {
		s    Stated
		m    schema.Memory
		want bool
	}{
		"same":                    {Stated{Predicate: "lives_in", Object: "Basel"}, lives, true},
		"case":                    {Stated{Predicate: "lives_in", Object: "basel"}, lives, true},
		"one of several":          {Stated{Predicate: "did|lives_in", Object: "Basel"}, lives, true},
		"in the sentence":         {Stated{Predicate: "lives_in", Object: "relocated"}, lives, true},
		"any predicate":           {Stated{Predicate: "*", Object: "Basel"}, lives, true},
		"another predicate":       {Stated{Predicate: "works_at", Object: "Basel"}, lives, false},
		"another value":           {Stated{Predicate: "lives_in", Object: "Bern"}, lives, false},
		"another subject":         {Stated{Predicate: "lives_in", Object: "Basel"}, with(func(m *schema.Memory) { m.Subject = "user's sister" }), false},
		"anybody":                 {Stated{Predicate: "lives_in", Subject: "*", Object: "Basel"}, with(func(m *schema.Memory) { m.Subject = "user's sister" }), true},
		"a thing of his":          {Stated{Predicate: "lives_in", Object: "Basel"}, with(func(m *schema.Memory) { m.Subject = "user's office" }), true},
		"called":                  {Stated{Predicate: "name|knows", Subject: "user's wife", Object: "Basel"}, with(func(m *schema.Memory) { m.Predicate = "knows" }), true},
		"called otherwise":        {Stated{Predicate: "name", Subject: "user's wife", Object: "Bern"}, with(func(m *schema.Memory) { m.Predicate = "knows" }), false},
		"less of a subject":       {Stated{Predicate: "lives_in", Subject: "user's sister", Object: "Basel"}, with(func(m *schema.Memory) { m.Subject = "user's older sister" }), true},
		"nobody's name":           {Stated{Predicate: "lives_in", Subject: "user's sister", Object: "Basel"}, lives, false},
		"denied":                  {Stated{Predicate: "lives_in", Object: "Basel"}, with(func(m *schema.Memory) { m.Negated = true }), false},
		"not denied":              {Stated{Predicate: "lives_in", Object: "Basel", Negated: true}, lives, false},
		"over":                    {Stated{Predicate: "lives_in", Object: "Basel"}, with(func(m *schema.Memory) { m.ValidTo = may }), false},
		"not over":                {Stated{Predicate: "lives_in", Object: "Basel", Past: true}, lives, false},
		"denied is over":          {Stated{Predicate: "lives_in", Object: "Basel", Past: true}, with(func(m *schema.Memory) { m.Negated = true }), true},
		"over is not denied":      {Stated{Predicate: "lives_in", Object: "Basel", Negated: true}, with(func(m *schema.Memory) { m.ValidTo = may }), false},
		"type":                    {Stated{Predicate: "lives_in", Object: "Basel", Type: "preference"}, lives, false},
		"kind":                    {Stated{Predicate: "lives_in", Object: "Basel", Kind: "project"}, lives, false},
		"day":                     {Stated{Predicate: "lives_in", Object: "Basel", From: "2026-05-10"}, with(func(m *schema.Memory) { m.ValidFrom = may }), true},
		"another day":             {Stated{Predicate: "lives_in", Object: "Basel", From: "2026-05-09"}, with(func(m *schema.Memory) { m.ValidFrom = may }), false},
		"no day":                  {Stated{Predicate: "lives_in", Object: "Basel", Expires: "2026-05-09"}, lives, false},
		"dislikes is not likes":   {Stated{Predicate: "likes", Object: "Basel", Negated: true}, with(func(m *schema.Memory) { m.Predicate = "dislikes" }), true},
		"dislikes is no liking":   {Stated{Predicate: "likes", Object: "Basel"}, with(func(m *schema.Memory) { m.Predicate = "dislikes" }), false},
		"a rule denies in itself": {Stated{Predicate: "rule", Object: "Basel", Negated: true}, with(func(m *schema.Memory) { m.Predicate = "rule" }), true},
	} {
		if got := tc.s.is(&tc.m, &plainReader); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// One fact that was read is right for one that is stated, whichever way they are best given to one another.
func TestFactReport(t *testing.T) {
	us, err := ReadUtterances(strings.NewReader(`{"text":"A","facts":[{"p":"*","o":"x"},{"p":"likes","o":"x"},{"p":"uses","o":"z"}]}
{"text":"Thanks!"}
{"text":"谢谢。"}
`))
	if err != nil {
		t.Fatal(err)
	}
	read := map[string][]schema.Memory{
		"A":       {{Subject: "user", Predicate: "likes", Object: "x"}, {Subject: "user", Predicate: "has", Object: "x"}, {Subject: "user", Predicate: "has", Object: "y"}, {Subject: "user", Predicate: "deadline_of"}},
		"Thanks!": {{Subject: "user", Predicate: "has", Object: "x"}},
	}
	var r FactReport
	if err := r.Add("set", us, FactReader{Subject: plainReader.Subject, Person: plainReader.Person, Read: func(u Utterance) ([]schema.Memory, error) { return read[u.Text], nil }}); err != nil {
		t.Fatal(err)
	}
	if len(r.Scores) != 3 || r.Scores[2] != (FactScore{Set: "set", Lang: "all", Utterances: 3, Stated: 3, Right: 2, Read: 4, None: 2, Alarmed: 1, False: 1}) || r.Scores[1].None != 1 {
		t.Errorf("%+v", r.Scores)
	}
	if s := r.Scores[2]; s.Precision() != .5 || s.Recall() != 2./3 || s.FalseRate() != .5 {
		t.Errorf("precision %v, recall %v, false %v", s.Precision(), s.Recall(), s.FalseRate())
	}
	if len(r.Faults) != 2 || len(r.Faults[0].Missed) != 1 || r.Faults[0].Missed[0].Object != "z" || len(r.Faults[0].Wrong) != 1 || r.Faults[0].Wrong[0].Object != "y" {
		t.Errorf("%+v", r.Faults)
	}
}

func TestReadUtterances_RefusesWhatWouldCountWrongly(t *testing.T) {
	for in, want := range map[string]string{
		`{"text":"A","facts":[{"p":"likes","object":"x"}]}`: "line 1: ",
		`{"facts":[]}`:                           "text: is missing",
		`{"text":"A","facts":[{"o":"x"}]}`:       "facts[0].p: is missing",
		`{"text":"A","seg":"log"}`:               `seg: "log" is none of`,
		"":                                       "no utterances",
		"{\"text\":\"A\"}\n\n{\"text\":\"B\"} {": "",
	} {
		_, err := ReadUtterances(strings.NewReader(in))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", in, err)
		}
	}
}
