package schema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// hollow is a value of type t in which every pointer points somewhere and every list is nil, but for those of the
// topmost levels that still take one element.
func hollow(t reflect.Type, levels int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(hollow(t.Elem(), levels))
	case reflect.Slice:
		if levels > 0 {
			v.Set(reflect.Append(v, hollow(t.Elem(), levels-1)))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
	case reflect.Struct:
		if t == timeType {
			return v
		}
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(hollow(t.Field(i).Type, levels))
			}
		}
	}
	return v
}

// No answer holds null where a list belongs, however little there is to tell, and as deep as answers go.
func TestNoAnswerHasNullForAList(t *testing.T) {
	seen := 0
	for _, s := range samples {
		if !s.answer {
			continue
		}
		seen++
		for levels := range 3 {
			v := hollow(reflect.TypeOf(s.want), levels)
			b, err := json.Marshal(WithLists(v.Interface()))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(b), "null") {
				t.Errorf("%s with %d levels of lists is %s", s.name, levels, b)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d answers", seen)
	}
}

// An answer that only holds lists of plain items is not copied item by item.
func TestItemsNeedNoCopy(t *testing.T) {
	for typ, want := range map[reflect.Type]bool{reflect.TypeFor[Item](): false, reflect.TypeFor[Memory](): false, reflect.TypeFor[EventStatus](): true} {
		if got := mayLack(typ); got != want {
			t.Errorf("%s may lack a list: %v", typ, got)
		}
	}
}

func TestWithListsCopiesWhatItChanges(t *testing.T) {
	st := EventStatus{Computed: &Computed{Summary: "s"}, UUID: "u"}
	b, err := json.Marshal(WithLists(&st))
	if err != nil || !strings.Contains(string(b), `"keywords":[]`) || st.Computed.Keywords != nil {
		t.Errorf("%s, %v, changed %v", b, err, st.Computed.Keywords)
	}
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for want, v := range map[string]any{
		`{"at":"2026-03-01T00:00:00Z","found":[],"none":null,"ok":true}`: map[string]any{"ok": true, "found": []Item(nil), "none": nil, "at": at},
		`[]`: []ToolDef(nil), `null`: nil, `"x"`: "x", `["a"]`: []string{"a"},
	} {
		if b, err := json.Marshal(WithLists(v)); err != nil || string(b) != want {
			t.Errorf("%s, %v, want %s", b, err, want)
		}
	}
}
