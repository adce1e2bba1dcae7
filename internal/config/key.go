package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"
)

// Prefix begins the name of every environment variable that Siltstone reads.
const Prefix = "SILTSTONE_"

// testPrefix is left alone: those variables name servers for the test suites, never the product's settings.
const testPrefix = Prefix + "TEST_"

// EnvFile names the configuration file where no --config does.
const EnvFile = Prefix + "CONFIG"

// otherEnv are the variables that are no settings: those of the tool that talks to a server, and EnvFile.
var otherEnv = []string{EnvFile, Prefix + "SERVER", Prefix + "TENANT", Prefix + "TOKEN", Prefix + "TOKEN_FILE", Prefix + "ALLOW_PLAIN_HTTP"}

// Key is one setting.
type Key struct {
	Name    string // read.mode
	Env     string // SILTSTONE_READ_MODE
	Flag    string // read-mode
	Help    string // its effect, in English
	HelpZH  string // and in Chinese
	Default any
	Type    reflect.Type

	secret string // "all", "url" or ""
}

// Keys lists every setting in the order of the Config type. Lists of objects (tools) are set by file only and
// have no Env and Flag.
func Keys() []Key {
	var out []Key
	walk(reflect.ValueOf(Default()), "", func(k Key, _ reflect.Value) { out = append(out, k) })
	return out
}

// walk calls visit with every setting of the structure v and its value there.
func walk(v reflect.Value, prefix string, visit func(Key, reflect.Value)) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name := prefix + f.Tag.Get("koanf")
		if f.Type.Kind() == reflect.Struct {
			walk(v.Field(i), name+".", visit)
			continue
		}
		k := Key{
			Name: name, Help: f.Tag.Get("help"), HelpZH: helpZH[name], Type: f.Type, secret: f.Tag.Get("secret"),
			Default: v.Field(i).Interface(),
		}
		if f.Type.Kind() != reflect.Slice || f.Type.Elem().Kind() == reflect.String {
			k.Env = Prefix + strings.ToUpper(strings.ReplaceAll(name, ".", "_"))
			k.Flag = strings.NewReplacer(".", "-", "_", "-").Replace(name)
		}
		visit(k, v.Field(i))
	}
}

// Group is the part of the name before the dot, "" for a key that stands alone.
func (k Key) Group() string {
	group, _, ok := strings.Cut(k.Name, ".")
	if !ok {
		return ""
	}
	return group
}

// Kind is the kind of value in a word: text, list, number, bool, duration, tools.
func (k Key) Kind() string {
	switch {
	case k.Type == reflect.TypeFor[time.Duration]():
		return "duration"
	case k.Type.Kind() == reflect.Bool:
		return "bool"
	case k.Type.Kind() == reflect.String:
		return "text"
	case k.Type.Kind() != reflect.Slice:
		return "number"
	case k.Type.Elem().Kind() == reflect.String:
		return "list"
	}
	return "tools"
}

// Text is v, a value of k, as one writes it in the environment or as a flag.
func (k Key) Text(v any) string {
	switch x := v.(type) {
	case []string:
		return strings.Join(x, ",")
	case time.Duration:
		return shortDuration(x)
	}
	return fmt.Sprint(v)
}

// shortDuration is d without the zero parts that its String has at the end: 5m and not 5m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

const masked = "***"

// inURL are the parts of a URL, or of a list of them, that may be secrets: all before the last @, and what a query
// string gives. What is not understood is masked rather than shown.
var inURL = []struct {
	at   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://)?.*@`), "${1}" + masked + "@"},
	{regexp.MustCompile(`([?&][^=&,#]*=)[^&,#]*`), "${1}" + masked},
}

// Secret reports whether values of k are, or may hold, a secret.
func (k Key) Secret() bool { return k.secret != "" }

// Masked is v, a value of k, as Text gives it but without its secrets.
func (k Key) Masked(v any) string {
	s := k.Text(v)
	switch k.secret {
	case "":
	case "url":
		for _, part := range inURL {
			s = part.at.ReplaceAllString(s, part.with)
		}
	default:
		if s != "" {
			s = masked
		}
	}
	return s
}
