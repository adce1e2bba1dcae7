package schema

import (
	"encoding/json"
	"testing"
)

func TestClassOnTheWire(t *testing.T) {
	for c, name := range map[Class]string{0: "", ClassTool: "tool", ClassAssistant: "assistant", ClassUser: "user", ClassOperator: "operator"} {
		b, err := json.Marshal(Source{Class: c})
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"event":"","class":"` + name + `"}`; string(b) != want {
			t.Errorf("%s, want %s", b, want)
		}
		var back Source
		if err := json.Unmarshal(b, &back); err != nil || back.Class != c {
			t.Errorf("%q comes back as %v, %v", name, back.Class, err)
		}
		if c != 0 {
			if got, err := ParseClass(name); err != nil || got != c {
				t.Errorf("ParseClass(%q) = %v, %v", name, got, err)
			}
		}
	}
	// The numbers are the order of trust.
	if !(ClassTool < ClassAssistant && ClassAssistant < ClassUser && ClassUser < ClassOperator) {
		t.Error("the classes are not in the order of trust")
	}
}

func TestClassRefusesWhatIsNone(t *testing.T) {
	for _, s := range []string{"", "Tool", "system", "class(9)", "tool "} {
		if c, err := ParseClass(s); err == nil {
			t.Errorf("ParseClass(%q) = %v", s, c)
		}
	}
	for _, s := range []string{`{"class":"system"}`, `{"class":7}`, `{"class":"USER"}`} {
		var src Source
		if err := json.Unmarshal([]byte(s), &src); err == nil || src.Class != 0 {
			t.Errorf("%s decodes as %v, %v", s, src.Class, err)
		}
		if _, err := Decode[Source]([]byte(s)); CodeOf(err) != CodeInvalid {
			t.Errorf("%s: %v", s, err)
		}
	}
	if b, err := json.Marshal(Class(9)); err == nil {
		t.Errorf("class 9 encodes as %s", b)
	}
	if s := Class(9).String(); s != "class(9)" {
		t.Errorf("class 9 is %s", s)
	}
}

func TestLeastIsTheLeastTrusted(t *testing.T) {
	for _, c := range []struct {
		of   []Class
		want Class
	}{
		{nil, 0}, {[]Class{0, 0}, 0}, {[]Class{ClassUser}, ClassUser}, {[]Class{0, ClassUser, 0}, ClassUser},
		{[]Class{ClassUser, ClassTool, ClassOperator}, ClassTool}, {[]Class{ClassOperator, ClassAssistant, 0}, ClassAssistant},
	} {
		if got := Least(c.of...); got != c.want {
			t.Errorf("Least(%v) = %v, want %v", c.of, got, c.want)
		}
	}
}
