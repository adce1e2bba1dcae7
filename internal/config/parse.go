package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
)

// parse sets into, a setting, to what text says. Every layer says it in text, so that a value means the same
// wherever it stands.
func (k Key) parse(text string, into reflect.Value) error {
	if k.Kind() != "text" {
		text = strings.TrimSpace(text)
	}
	fail := func(want string) error {
		if k.Secret() {
			return fmt.Errorf("what is given is not %s", want)
		}
		return fmt.Errorf("%q is not %s", text, want)
	}
	if text == "" && !slices.Contains([]string{"text", "list"}, k.Kind()) {
		return errors.New("an empty value is not a " + k.Kind())
	}
	switch k.Kind() {
	case "text":
		into.SetString(text)
	case "list":
		into.Set(reflect.ValueOf(split(text)))
	case "bool":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fail("true or false")
		}
		into.SetBool(b)
	case "duration":
		d, err := time.ParseDuration(text)
		if err != nil {
			return fail("a duration with its unit, such as 500ms, 30s or 5m")
		}
		into.SetInt(int64(d))
	default:
		if into.Kind() == reflect.Float64 {
			f, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return fail("a number")
			}
			into.SetFloat(f)
			return nil
		}
		n, err := strconv.ParseInt(text, 10, into.Type().Bits())
		if err != nil {
			return fail("a whole number")
		}
		into.SetInt(n)
	}
	return nil
}

// split turns "a, b" into a list.
func split(text string) []string {
	out := []string{}
	for _, p := range strings.Split(text, ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// parseTree sets into, a list of objects, to a tree of YAML.
func parseTree(tree []map[string]any, into reflect.Value) error {
	d, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result: into.Addr().Interface(), WeaklyTypedInput: true, ErrorUnused: true, DecodeHook: nonEmptyNumbers,
		MatchName: func(mapKey, field string) bool { // no_memory is NoMemory
			return strings.ReplaceAll(mapKey, "_", "") == strings.ToLower(field)
		},
	})
	if err != nil {
		return fmt.Errorf("build decoder: %w", err)
	}
	return d.Decode(tree)
}

// nonEmptyNumbers refuses "" for a number or boolean, which weak typing would read as zero.
func nonEmptyNumbers(from, to reflect.Type, v any) (any, error) {
	if s, ok := v.(string); ok && s == "" && to.Kind() != reflect.String && to.Kind() != reflect.Slice {
		return nil, fmt.Errorf("an empty value is not a %s", to.Kind())
	}
	return v, nil
}
