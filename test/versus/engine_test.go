package versus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// pythonVar names the Python that has the engine; `make versus` sets it.
const pythonVar = "SILTSTONE_TEST_EDGE_PYTHON"

// engine is the real engine in a child process.
type engine struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func startEngine(t *testing.T) *engine {
	t.Helper()
	python := os.Getenv(pythonVar)
	if python == "" {
		t.Skip(pythonVar + " names no Python with qdrant-edge-py; `make versus` sets one up")
	}
	cmd := exec.Command(python, "engine.py")
	cmd.Env = append(os.Environ(), "VERSUS_DIR="+scratch(t))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start the engine: %v", err)
	}
	t.Cleanup(func() { // the child ends when its input does
		_ = in.Close()
		if err := cmd.Wait(); err != nil && !t.Failed() {
			t.Errorf("the engine's process: %v", err)
		}
	})
	return &engine{in: in, out: bufio.NewReaderSize(out, 1<<20)}
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
	line, err := json.Marshal([]any{name, json.RawMessage(body)})
	if err != nil {
		return err
	}
	if _, err := e.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write to the engine: %w", err)
	}
	got, err := e.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the engine's process ended: %w", err)
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
