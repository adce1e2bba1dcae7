package schema

import (
	"reflect"
	"strings"
)

// WithLists is v as an answer is encoded: a list that must be there and has nothing in it is empty, never null, which
// few clients expect. It looks into structs, also behind pointers, and into maps of anything, not into what lists hold;
// what it changes it copies.
func WithLists(v any) any {
	rv := reflect.ValueOf(v)
	if !rv.IsValid() {
		return v
	}
	return withLists(rv).Interface()
}

func withLists(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8 {
			return reflect.MakeSlice(v.Type(), 0, 0)
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			p := reflect.New(v.Type().Elem())
			p.Elem().Set(withLists(v.Elem()))
			return p
		}
	case reflect.Struct:
		if v.Type() == timeType {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && (f.Type.Kind() != reflect.Slice || !strings.Contains(f.Tag.Get("json"), ",omit")) {
				out.Field(i).Set(withLists(v.Field(i)))
			}
		}
		return out
	case reflect.Map:
		if v.IsNil() || v.Type().Elem().Kind() != reflect.Interface {
			return v
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, k := range v.MapKeys() {
			e := v.MapIndex(k)
			if !e.IsNil() {
				e = withLists(e.Elem())
			}
			out.SetMapIndex(k, e)
		}
		return out
	}
	return v
}
