package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestDefaultIsValid(t *testing.T) {
	c := Default()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
}

func TestLoadLaysLayersOverOneAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	yaml := "read:\n  mode: legacy\n  timeout: 2s\nhttp:\n  addr: 127.0.0.1:1\n  max_turn: 1000\nroles: [ingester]\ntools:\n  - name: x\n    no_memory: true\n    cleaner: [\"json:a\"]\n"
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"SILTSTONE_HTTP_ADDR=127.0.0.1:2", "SILTSTONE_INJECT_RENDER_MODE=flat", "SILTSTONE_STAGES=clean, vectorize", "SILTSTONE_TEST_REDIS_URL=x", "HOME=/h"}
	c, err := Load(path, env, map[string]string{"http.addr": "127.0.0.1:3", "retrieval.enabled": "false"})
	if err != nil {
		t.Fatal(err)
	}
	if c.HTTP.Addr != "127.0.0.1:3" || c.HTTP.MaxTurn != 1000 || c.Read.Mode != "legacy" || c.Read.Timeout != 2*time.Second ||
		c.Inject.RenderMode != "flat" || c.Retrieval.Enabled || c.Inject.TokenBudget != 3000 {
		t.Errorf("loaded %+v", c)
	}
	if !c.Has("ingester") || c.Has("retriever") || !c.RunsStage("vectorize") || c.RunsStage("decide") {
		t.Errorf("roles %v, stages %v", c.Roles, c.Stages)
	}
	if len(c.Tools) != 1 || c.Tools[0].Name != "x" || !*c.Tools[0].NoMemory || !slices.Equal(*c.Tools[0].Cleaner, []string{"json:a"}) || c.Tools[0].Ingest != nil {
		t.Errorf("tools %+v", c.Tools)
	}
}

// TestToolsKeepWhatTheyDoNotSet: what a configured tool does not name is nil, which keeps what holds; false, 0 and
// an empty list are values.
func TestToolsKeepWhatTheyDoNotSet(t *testing.T) {
	yes, no := true, false
	for yaml, want := range map[string]schema.ToolPolicy{
		"ingest: true":                          {Ingest: &yes},
		"no_memory: false":                      {NoMemory: &no},
		"no_memory: true\n    cleaner:":         {NoMemory: &yes},
		"cleaner: []":                           {Cleaner: &[]string{}},
		"cleaner: ansi":                         {Cleaner: &[]string{"ansi"}},
		"cleaner:\n      - ansi\n      - html?": {Cleaner: &[]string{"ansi", "html?"}},
		"ingest: false\n    no_memory: false":   {Ingest: &no, NoMemory: &no},
	} {
		c, err := Load(toolsFile(t, "  - name: cmd_run\n    "+yaml+"\n"), nil, nil)
		if err != nil {
			t.Errorf("%q: %v", yaml, err)
			continue
		}
		if want.Name = "cmd_run"; !reflect.DeepEqual(c.Tools, []schema.ToolPolicy{want}) {
			t.Errorf("%q: %s, want %s", yaml, asJSON(c.Tools), asJSON(want))
		}
	}
}

func TestToolsAreChecked(t *testing.T) {
	for yaml, says := range map[string][]string{
		"  - ingest: true\n":                          {"tools[0]", "has no name"},
		"  - name: cmd_run\n":                         {"tools[0]", "cmd_run", "at least one of"},
		"  - name: cmd_run\n    no_memory: perhaps\n": {"NoMemory"},
		"  - name: cmd_run\n    no_memory: \"\"\n":    {"empty value"},
		"  - name: cmd_run\n    nomemry: true\n":      {"nomemry"},
		"  - name: cmd_run\n    cleaner: [\"\"]\n":    {"tools[0]", "cleaner[0]"},
		"  - name: \"a  b\"\n    ingest: true\n":      {"tools[0]", "white space"},
		"  - name: other\n    ingest: true\n  - name: My-Tool\n    ingest: true\n  - name: my_tool\n    no_memory: true\n": {"tools[2]", "my_tool", "tools[1]", "My-Tool"},
	} {
		_, err := Load(toolsFile(t, yaml), nil, nil)
		if err == nil {
			t.Errorf("%q is taken", yaml)
			continue
		}
		for _, s := range says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%q: %q does not say %q", yaml, err, s)
			}
		}
	}
}

func toolsFile(t *testing.T, tools string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte("tools:\n"+tools), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func asJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestLoadRefusesWhatItDoesNotKnow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte("read:\n  mod: legacy\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		env        []string
		flags      map[string]string
		says       []string
	}{
		{"file key", path, nil, nil, []string{"read.mod ", "did you mean read.mode?"}},
		{"environment", "", []string{"SILTSTONE_READ_MODES=legacy"}, nil, []string{"SILTSTONE_READ_MODES", "SILTSTONE_READ_MODE?"}},
		{"value", "", []string{"SILTSTONE_READ_MODE=new"}, nil, []string{"read.mode", "hybrid, legacy"}},
		{"open bind", "", nil, map[string]string{"http.addr": "0.0.0.0:8317"}, []string{"http.addr", "loopback"}},
		{"open embedded server", "", nil, map[string]string{"nats.listen": "0.0.0.0:4222"}, []string{"nats.listen"}},
		{"not a number", "", []string{"SILTSTONE_EMBED_DIM=many"}, nil, []string{"dim"}},
		{"empty number", "", []string{"SILTSTONE_EMBED_DIM="}, nil, []string{"dim"}},
		{"not the built-in embedder's", "", []string{"SILTSTONE_EMBED_DIM=384"}, nil, []string{"embed.dim", "256", "embed.url"}},
		{"too long for the store", "", []string{"SILTSTONE_EMBED_DIM=65537", "SILTSTONE_EMBED_URL=http://127.0.0.1:1/v1", "SILTSTONE_EMBED_MODEL=m"}, nil, []string{"embed.dim", "1 and 65536"}},
		{"two faults at once", "", []string{"SILTSTONE_READ_MODE=x", "SILTSTONE_LOG_LEVEL=y"}, nil, []string{"read.mode", "log.level"}},
		{"traces to no server", "", []string{"SILTSTONE_TRACE_URL=127.0.0.1:4318"}, nil, []string{"trace.url"}},
		{"more than all traces", "", []string{"SILTSTONE_TRACE_RATIO=1.5"}, nil, []string{"trace.ratio"}},
		{"no number of traces", "", []string{"SILTSTONE_TRACE_RATIO=NaN"}, nil, []string{"trace.ratio"}},
		{"missing file", "/nonexistent/c.yaml", nil, nil, []string{"/nonexistent/c.yaml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(c.path, c.env, c.flags)
			refused(t, err, c.says)
		})
	}
}

func TestDimensionsOfAServerAreTheStores(t *testing.T) {
	for dim, want := range map[string]bool{"8": true, "8192": true, "0": false, "65537": false} {
		_, err := Load("", []string{"SILTSTONE_EMBED_URL=http://127.0.0.1:1/v1", "SILTSTONE_EMBED_MODEL=m", "SILTSTONE_EMBED_DIM=" + dim}, nil)
		if (err == nil) != want {
			t.Errorf("%s dimensions: %v", dim, err)
		}
	}
}

func TestEveryKeyIsDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys() {
		if k.Help == "" {
			t.Errorf("%s has no help", k.Name)
		}
		if k.Env != "" && seen[k.Env] {
			t.Errorf("%s stands for two keys", k.Env)
		}
		seen[k.Env] = true
	}
}

// refused fails the test unless err is an error that says all of says.
func refused(t *testing.T, err error, says []string) {
	t.Helper()
	if err == nil {
		t.Fatal("taken")
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not say %q", err, s)
		}
	}
}
