package docs

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// The page of fields, in both languages, has a row for each field that there is, and for none that there is not.
func TestThePageOfFieldsIsWhole(t *testing.T) {
	want := map[string]bool{}
	for _, v := range []any{schema.Turn{}, schema.Query{}, schema.Reply{}, schema.Item{}} {
		for _, name := range fields(v) {
			want[name] = true
		}
	}
	inside := []any{schema.ToolResult{}, schema.QueryFilter{}, schema.Source{}} // named within a row
	for _, page := range []string{"../../docs/api.md", "../../docs/api.zh.md"} {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for line := range strings.Lines(string(b)) {
			cells := strings.SplitN(line, "|", 3)
			if len(cells) < 3 || !strings.Contains(cells[1], "`") {
				continue
			}
			for i, name := range strings.Split(cells[1], "`") {
				if i%2 == 1 {
					got[name] = true
				}
			}
		}
		for name := range want {
			if !got[name] {
				t.Errorf("%s: no row for %s", page, name)
			}
		}
		for name := range got {
			if !want[name] {
				t.Errorf("%s: there is no field %s", page, name)
			}
		}
		for _, v := range inside {
			if list := "`{" + strings.Join(fields(v), ", ") + "}`"; !strings.Contains(string(b), list) {
				t.Errorf("%s does not name %s as %s", page, reflect.TypeOf(v).Name(), list)
			}
		}
	}
}

func fields(v any) (names []string) {
	for f := range reflect.TypeOf(v).Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return names
}
