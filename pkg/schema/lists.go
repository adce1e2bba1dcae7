package schema

import (
	"reflect"
	"strings"
	"sync"
)

// WithLists is v as an answer is encoded: a list that must be there and has nothing in it is empty, never null, which
// few clients expect. It looks into structs, lists and maps of anything, also behind pointers; what it changes it
// copies.
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
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		if v.IsNil() {
			return reflect.MakeSlice(v.Type(), 0, 0)
		}
		if !mayLack(v.Type().Elem()) {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(withLists(v.Index(i)))
		}
		return out
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
			if f.IsExported() && (!optional(f) || v.Field(i).Len() > 0) {
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

// optional reports whether f is a list that is left out where it is empty.
func optional(f reflect.StructField) bool {
	return f.Type.Kind() == reflect.Slice && strings.Contains(f.Tag.Get("json"), ",omit")
}

var lacking sync.Map // reflect.Type → bool

// mayLack reports whether a value of type t can hold a list that must be there: those of other types need no copy.
func mayLack(t reflect.Type) bool {
	if known, ok := lacking.Load(t); ok {
		return known.(bool)
	}
	lacks := lacksWithin(t, map[reflect.Type]bool{})
	lacking.Store(t, lacks)
	return lacks
}

func lacksWithin(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || t == timeType { // a type that holds itself adds nothing
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer:
		return lacksWithin(t.Elem(), seen)
	case reflect.Slice:
		return t.Elem().Kind() != reflect.Uint8
	case reflect.Interface:
		return true
	case reflect.Map:
		return t.Elem().Kind() == reflect.Interface
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			held := f.Type
			if optional(f) {
				held = held.Elem()
			}
			if f.IsExported() && lacksWithin(held, seen) {
				return true
			}
		}
	}
	return false
}
