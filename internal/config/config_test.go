package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
	if len(c.Tools) != 1 || !c.Tools[0].NoMemory || len(c.Tools[0].Cleaner) != 1 {
		t.Errorf("tools %+v", c.Tools)
	}
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
		{"two faults at once", "", []string{"SILTSTONE_READ_MODE=x", "SILTSTONE_LOG_LEVEL=y"}, nil, []string{"read.mode", "log.level"}},
		{"missing file", "/nonexistent/c.yaml", nil, nil, []string{"/nonexistent/c.yaml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(c.path, c.env, c.flags)
			if err == nil {
				t.Fatal("taken")
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q does not say %q", err, s)
				}
			}
		})
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
