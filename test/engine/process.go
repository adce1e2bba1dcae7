// Package engine runs Qdrant's own engine, the PyPI package qdrant-edge-py, in a child process, for what holds the embedded
// vector server against it.
package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// PythonVar is the environment variable that names a Python which has the package; `make versus` sets one up.
const PythonVar = "SILTSTONE_TEST_EDGE_PYTHON"

// Process is a child that reads requests, a line of JSON each, [name, argument], and answers each with a line of JSON. It
// is for one goroutine.
type Process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Start starts cmd; what it writes to its standard error goes to ours.
func Start(cmd *exec.Cmd) (*Process, error) {
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	return &Process{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

// Ask sends a request and returns the line that answers it. It blocks until that is there or the process ends.
func (p *Process) Ask(name string, argument any) ([]byte, error) {
	line, err := json.Marshal([]any{name, argument})
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("write to the engine: %w", err)
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the engine's process ended: %w", err)
	}
	return answer, nil
}

// Close ends the process, which it does when its input does, and waits for it.
func (p *Process) Close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }
