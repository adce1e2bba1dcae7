package versus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	engineproc "github.com/siltstone-ai/siltstone/test/engine"
)

// engine is the real engine in a child process.
type engine struct{ *engineproc.Process }

func startEngine(t *testing.T) *engine {
	t.Helper()
	python := os.Getenv(engineproc.PythonVar)
	if python == "" {
		t.Skip(engineproc.PythonVar + " names no Python with qdrant-edge-py; `make versus` sets one up")
	}
	cmd := exec.Command(python, "engine.py")
	cmd.Env = append(os.Environ(), "VERSUS_DIR="+scratch(t))
	p, err := engineproc.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil && !t.Failed() {
			t.Errorf("the engine's process: %v", err)
		}
	})
	return &engine{p}
}

// scratch is a directory in memory where there is one: what survives a crash is not the question here.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "versus-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// errEngine is an answer of the engine that is an error.
type errEngine struct{ text string }

func (e *errEngine) Error() string { return e.text }

// ask has the engine do what the request of that name says and decodes its answer into answer, unless that is nil.
func (e *engine) ask(name string, req proto.Message, answer any) error {
	body := []byte("{}")
	var err error
	if req != nil {
		if body, err = (protojson.MarshalOptions{UseProtoNames: true}).Marshal(req); err != nil {
			return err
		}
	}
	got, err := e.Ask(name, json.RawMessage(body))
	if err != nil {
		return err
	}
	var reply struct {
		OK  json.RawMessage
		Err *string
	}
	if err := json.Unmarshal(got, &reply); err != nil {
		return fmt.Errorf("the engine said %s: %w", bytes.TrimSpace(got), err)
	}
	if reply.Err != nil {
		return &errEngine{*reply.Err}
	}
	if answer == nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(reply.OK))
	dec.UseNumber()
	return dec.Decode(answer)
}

// refused is the engine's reason not to do something, if err is that.
func refused(err error) (text string, ok bool) {
	var e *errEngine
	if !errors.As(err, &e) {
		return "", false
	}
	return e.text, !strings.HasPrefix(e.text, "PanicException")
}
