package config

import (
	"reflect"
	"regexp"
	"testing"
)

// The example changes nothing as it is, and sets every key to its default once the marks before the keys are gone.
func TestExampleIsTheDefaults(t *testing.T) {
	r, err := Resolve(Sources{File: write(t, Example())})
	if err != nil || !reflect.DeepEqual(r.Config, Default()) {
		t.Errorf("as it is: %v, %+v", err, r.Config)
	}
	all := regexp.MustCompile(`(?m)^( *)#(\S|  )`).ReplaceAllString(Example(), "$1$2")
	r, err = Resolve(Sources{File: write(t, all)})
	if err != nil {
		t.Fatalf("%v in\n%s", err, all)
	}
	if len(r.Config.Tools) != 2 {
		t.Errorf("%d tools", len(r.Config.Tools))
	}
	r.Config.Tools = nil
	for i, v := range r.Values() {
		if want := Keys()[i]; v.Key.Text(v.Value) != want.Text(want.Default) || v.Origin.Layer != FromFile {
			t.Errorf("%s is %v by %v, want %v by the file", v.Key.Name, v.Value, v.Origin, want.Default)
		}
	}
}
