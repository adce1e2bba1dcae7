package config

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEveryValueSaysWhereItCameFrom(t *testing.T) {
	path := write(t, "read:\n  mode: legacy\n  timeout: 2s\nlog:\n  level: debug\nnats:\n")
	r, err := Resolve(Sources{
		Environ: []string{"SILTSTONE_LOG_LEVEL=warn", "SILTSTONE_READ_TIMEOUT=3s", EnvFile + "=" + path, "SILTSTONE_TOKEN=x"},
		Flags:   map[string]string{"read.timeout": "4s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.File != path {
		t.Errorf("read %q, want what %s names", r.File, EnvFile)
	}
	want := map[string]Value{
		"read.mode":    {Value: "legacy", Origin: Origin{FromFile, path + ":2"}},
		"log.level":    {Value: "warn", Origin: Origin{FromEnv, "SILTSTONE_LOG_LEVEL"}},
		"read.timeout": {Value: 4 * time.Second, Origin: Origin{FromFlag, "--read-timeout"}},
		"log.format":   {Value: "text", Origin: Origin{Layer: FromDefault}},
	}
	vs := r.Values()
	if len(vs) != len(Keys()) {
		t.Errorf("%d values of %d keys", len(vs), len(Keys()))
	}
	for _, v := range vs {
		if w, ok := want[v.Key.Name]; ok && (!reflect.DeepEqual(v.Value, w.Value) || v.Origin != w.Origin) {
			t.Errorf("%s is %v from %v, want %v from %v", v.Key.Name, v.Value, v.Origin, w.Value, w.Origin)
		}
	}
}

// A value means the same in every layer.
func TestLayersReadValuesAlike(t *testing.T) {
	for _, c := range []struct{ key, yaml, text string }{
		{"roles", "roles: [ingester, retriever]", "ingester, retriever"},
		{"roles", "roles: ingester,retriever", "ingester,retriever"},
		{"qdrant.key", "qdrant:\n  key: 0123", "0123"},
		{"retrieval.enabled", "retrieval:\n  enabled: false", "false"},
		{"trace.ratio", "trace:\n  ratio: 0.5", "0.5"},
		{"nats.max_log", "nats:\n  max_log: 010", "10"},
		{"pipeline.drain", "pipeline:\n  drain: 5m", "5m"},
		{"embed.model", "x: &m bge\nembed:\n  model: *m", "bge"},
	} {
		t.Run(c.key, func(t *testing.T) {
			yaml := strings.TrimPrefix(c.yaml, "x: &m bge\n")
			if yaml != c.yaml { // an anchor must stand somewhere known
				yaml = "data: &m bge\n" + yaml
			}
			file, err := Load(write(t, yaml), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			flag, err := Load("", nil, map[string]string{c.key: c.text})
			if err != nil {
				t.Fatal(err)
			}
			file.Data, flag.Data = "", ""
			if !reflect.DeepEqual(file, flag) {
				t.Errorf("the file gives\n%+v\nthe flag\n%+v", file, flag)
			}
			if d := Default(); c.key != "qdrant.key" && reflect.DeepEqual(withoutData(d), file) {
				t.Error("nothing was set")
			}
		})
	}
}

func withoutData(c Config) Config { c.Data = ""; return c }

func TestFaultsNameKeyValueAndPlace(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		env        []string
		flags      map[string]string
		says       []string
	}{
		{name: "wrong type in a file", yaml: "embed:\n  dim: many\n", says: []string{`embed.dim: "many" is not a whole number`, "c.yaml:2"}},
		{name: "no unit", yaml: "read:\n  timeout: 30\n", says: []string{`read.timeout: "30" is not a duration`, "c.yaml:2"}},
		{name: "a list for a text", yaml: "data: [a]\n", says: []string{"data: what is given is not a text", "c.yaml:1"}},
		{name: "a group for a value", yaml: "data:\n  dir: a\n", says: []string{"data: what is given is not a text"}},
		{name: "a value for a group", yaml: "read: legacy\n", says: []string{"c.yaml:1: read is a group"}},
		{name: "twice", yaml: "data: a\ndata: b\n", says: []string{"c.yaml:2: data is set in line 1 already"}},
		{name: "wrong group", yaml: "raed:\n  mode: legacy\n", says: []string{"c.yaml:1: raed is not a known key; did you mean read?"}},
		{name: "two documents", yaml: "data: a\n---\ndata: b\n", says: []string{"more than one document"}},
		{name: "no mapping", yaml: "- a\n", says: []string{"not a list of keys and values"}},
		{name: "no YAML", yaml: "data: [\n", says: []string{"c.yaml", "line"}},
		{name: "a tool", yaml: "\n\ntools:\n  - ingest: true\n", says: []string{"tools[0]: has no name (set by ", "c.yaml:3"}},
		{name: "environment", env: []string{"SILTSTONE_EMBED_DIM=many"}, says: []string{`embed.dim: "many" is not a whole number (set by SILTSTONE_EMBED_DIM)`}},
		{name: "too large a number", env: []string{"SILTSTONE_NATS_MAX_LOG=99999999999999999999"}, says: []string{"nats.max_log", "whole number"}},
		{name: "near miss in the environment", env: []string{"SILTSTONE_READ_MOD=legacy"}, says: []string{"SILTSTONE_READ_MOD is not a known variable; did you mean SILTSTONE_READ_MODE?"}},
		{name: "flag", flags: map[string]string{"retrieval.enabled": "maybe"}, says: []string{`retrieval.enabled: "maybe" is not true or false (set by --retrieval-enabled)`}},
		{name: "unknown flag", flags: map[string]string{"read.mod": "x"}, says: []string{"read.mod", "did you mean read.mode?"}},
		{name: "value out of place", flags: map[string]string{"read.mode": "new"}, says: []string{`read.mode: "new" is not one of hybrid, legacy (set by --read-mode)`}},
		{name: "overridden fault", yaml: "embed:\n  dim: many\n", flags: map[string]string{"embed.dim": "256"}, says: []string{"c.yaml:2"}},
		{name: "all at once", yaml: "raed:\n  mode: x\nembed:\n  dim: many\n", env: []string{"SILTSTONE_LOGLEVEL=x"}, says: []string{"raed", "embed.dim", "SILTSTONE_LOG_LEVEL?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Sources{Environ: c.env, Flags: c.flags}
			if c.yaml != "" {
				s.File = write(t, c.yaml)
			}
			_, err := Resolve(s)
			refused(t, err, c.says)
		})
	}
}

func TestNothingSaidKeepsTheDefault(t *testing.T) {
	for _, yaml := range []string{"", "# nothing\n", "read:\n", "read:\n  mode:\n", "~\n", "--- \n"} {
		c, err := Load(write(t, yaml), nil, nil)
		if err != nil || !reflect.DeepEqual(c, Default()) {
			t.Errorf("%q: %v, %+v", yaml, err, c)
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	keys := map[string]Key{}
	for _, k := range Keys() {
		keys[k.Name] = k
		last := k.Name[strings.LastIndexAny(k.Name, "._")+1:]
		if k.Secret() != (slices.Contains([]string{"url", "password", "secret"}, last) || strings.HasSuffix(k.Name, ".key")) {
			t.Errorf("%s: is a secret: %v", k.Name, k.Secret())
		}
	}
	for _, c := range []struct{ key, value, want string }{
		{"qdrant.key", "hunter2", "***"},
		{"qdrant.key", "", ""},
		{"nats.url", "nats://hunter2@a:4222", "nats://***@a:4222"},
		{"nats.url", "nats://u:hun,ter2@a:4222,nats://hunter2@b", "nats://***@b"},
		{"redis.url", "redis://:hun@ter2@a:6379/0", "redis://***@a:6379/0"},
		{"redis.url", "redis://:hun/ter2@a", "redis://***@a"},
		{"embed.url", "https://a/v1?key=hunter2&x=hunter3#y", "https://a/v1?key=***&x=***#y"},
		{"embed.url", "https://a/v1", "https://a/v1"},
		{"read.mode", "hybrid", "hybrid"},
	} {
		if got := keys[c.key].Masked(c.value); got != c.want {
			t.Errorf("%s %q is shown as %q, want %q", c.key, c.value, got, c.want)
		}
	}
}

func TestEveryKeyIsDocumentedInChinese(t *testing.T) {
	left := maps.Clone(helpZH)
	for _, k := range Keys() {
		if k.HelpZH == "" || k.HelpZH == k.Help {
			t.Errorf("%s has no Chinese help: it goes into zh.go", k.Name)
		}
		delete(left, k.Name)
	}
	for name := range left {
		t.Errorf("zh.go explains %s, which is no key", name)
	}
}

// The file is the operator's, but one cut off, or of another program, must be refused and not crash.
func FuzzFile(f *testing.F) {
	for _, s := range []string{"read:\n  mode: legacy\n", "a: &a [*a]\n", "tools:\n  - name: x\n", "? {a: b}\n: c\n", "&x read: {<<: *x}\n", "data: !!binary x\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := Load(write(t, s), nil, nil)
		if err == nil && c.Validate() != nil {
			t.Errorf("%q gives what is not valid", s)
		}
	})
}
