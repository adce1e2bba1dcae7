package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
)

// Prefix begins the name of every environment variable that Siltstone reads.
const Prefix = "SILTSTONE_"

// testPrefix is left alone: those variables name servers for the test suites, never the product's settings.
const testPrefix = Prefix + "TEST_"

// Key is one setting.
type Key struct {
	Name    string // read.mode
	Env     string // SILTSTONE_READ_MODE
	Flag    string // read-mode
	Help    string
	Default any
	Type    reflect.Type
}

// Keys lists every setting in the order of the Config type. Lists of objects (tools) are set by file only and
// have no Env and Flag.
func Keys() []Key {
	var out []Key
	walk(reflect.ValueOf(Default()), "", &out)
	return out
}

func walk(v reflect.Value, prefix string, out *[]Key) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name := prefix + f.Tag.Get("koanf")
		if f.Type.Kind() == reflect.Struct {
			walk(v.Field(i), name+".", out)
			continue
		}
		k := Key{Name: name, Help: f.Tag.Get("help"), Default: v.Field(i).Interface(), Type: f.Type}
		if f.Type.Kind() != reflect.Slice || f.Type.Elem().Kind() == reflect.String {
			k.Env = Prefix + strings.ToUpper(strings.ReplaceAll(name, ".", "_"))
			k.Flag = strings.NewReplacer(".", "-", "_", "-").Replace(name)
		}
		*out = append(*out, k)
	}
}

// Load lays the YAML file at path (none where path is empty), the environment (as os.Environ gives it) and flags
// (by key name) over the defaults and validates the whole. It reads the file and nothing else.
func Load(path string, environ []string, flags map[string]string) (Config, error) {
	k := koanf.New(".")
	known := map[string]Key{}
	byEnv := map[string]Key{}
	for _, key := range Keys() {
		known[key.Name] = key
		if key.Env != "" {
			byEnv[key.Env] = key
		}
	}
	cfg := Default()
	if path != "" {
		if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
			return cfg, fmt.Errorf("read configuration %s: %w", path, err)
		}
		for _, name := range k.Keys() {
			if _, ok := known[name]; !ok {
				return cfg, fmt.Errorf("configuration %s: %s is not a known key%s", path, name, nearest(name, known))
			}
		}
	}
	over := map[string]any{}
	for _, kv := range environ {
		name, v, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, Prefix) || strings.HasPrefix(name, testPrefix) {
			continue
		}
		key, ok := byEnv[name]
		if !ok {
			return cfg, fmt.Errorf("environment: %s is not a known variable%s", name, nearest(name, byEnv))
		}
		over[key.Name] = split(key, v)
	}
	for name, v := range flags {
		key, ok := known[name]
		if !ok {
			return cfg, fmt.Errorf("flags: %s is not a known key%s", name, nearest(name, known))
		}
		over[name] = split(key, v)
	}
	if err := k.Load(confmap.Provider(over, "."), nil); err != nil {
		return cfg, fmt.Errorf("lay environment and flags over the configuration: %w", err)
	}
	err := k.UnmarshalWithConf("", &cfg, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Result: &cfg, TagName: "koanf", WeaklyTypedInput: true, ErrorUnused: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(mapstructure.StringToTimeDurationHookFunc(), nonEmptyNumbers),
		MatchName: func(mapKey, field string) bool {
			return strings.ReplaceAll(mapKey, "_", "") == strings.ToLower(strings.ReplaceAll(field, "_", ""))
		},
	}})
	if err != nil {
		return cfg, fmt.Errorf("read configuration: %w", err)
	}
	return cfg, cfg.Validate()
}

// split turns "a,b" into a list for keys that hold lists.
func split(key Key, v string) any {
	if key.Type.Kind() != reflect.Slice {
		return v
	}
	out := []string{}
	for _, p := range strings.Split(v, ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// nonEmptyNumbers refuses "" for a number or boolean, which weak typing would read as zero.
func nonEmptyNumbers(from, to reflect.Type, v any) (any, error) {
	if s, ok := v.(string); ok && s == "" && to.Kind() != reflect.String && to.Kind() != reflect.Slice && to != reflect.TypeFor[time.Duration]() {
		return nil, fmt.Errorf("an empty value is not a %s", to.Kind())
	}
	return v, nil
}

// nearest names the known key that differs least, where one is near.
func nearest[V any](name string, known map[string]V) string {
	best, dist := "", len(name)/2+1
	for k := range known {
		if d := distance(name, k); d < dist || d == dist && k < best {
			best, dist = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost++
			}
			diag = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
