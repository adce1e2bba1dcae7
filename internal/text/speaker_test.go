package text

import "testing"

func TestSpeaker(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Caroline: Hey Mel! Good to see you!", "Caroline"},
		{"Anne-Marie O'Neil: the report is done", "Anne-Marie O'Neil"},
		{"小红：明天见", "小红"},
		{"王医生: 下周三下午三点", "王医生"},
		{"Meet at 10:30", ""},
		{"10:30 works", ""},
		{"https://example.test/a", ""},
		{"the list: eggs, milk", ""},
		{"I told her\nBob: no", ""},
		{"Caroline:", ""},
		{"我觉得这个方案的问题在于：太贵", ""},
		{"", ""},
		{":", ""},
		{"：", ""},
	} {
		if got := Speaker(c.text); got != c.want {
			t.Errorf("Speaker(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"When did Caroline's sister visit?", "caroline", true},
		{"What did CAROLINE say?", "Caroline", true},
		{"小红上周说了什么？", "小红", true},
		{"我问 Caroline 的事", "Caroline", true},
		{"What did Neil say?", "Anne Neil", true},
		{"What is a carol?", "Caroline", false},
		{"anything", "", false},
		{"I know", "I", false},
	} {
		if got := Names(c.text, c.name); got != c.want {
			t.Errorf("Names(%q, %q) = %v, want %v", c.text, c.name, got, c.want)
		}
	}
}
