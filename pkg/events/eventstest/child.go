package eventstest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	modeEnv    = "SILT_EVENTSTEST_MODE"
	dirEnv     = "SILT_EVENTSTEST_DIR"
	portEnv    = "SILT_EVENTSTEST_PORT"
	modeServer = "server"
	restartArg = "eventstest-restart"
)

// Main runs a test binary that uses [Child]: call it from TestMain as os.Exit(eventstest.Main(m)). In the
// re-executed binary it becomes the nats-server, or the command that asks for a restart, and never returns.
func Main(m interface{ Run() int }) int {
	switch {
	case os.Getenv(modeEnv) == modeServer:
		serve()
	case len(os.Args) == 3 && os.Args[1] == restartArg:
		if err := askRestart(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "restart nats-server:", err)
			return 1
		}
		return 0
	}
	return m.Run()
}

// serve is the child: a nats-server that ends with its parent, noticed by the end of standard input.
func serve() {
	port, err := strconv.Atoi(os.Getenv(portEnv))
	if err != nil {
		fmt.Fprintln(os.Stderr, "read port:", err)
		os.Exit(1)
	}
	o := options(StoreDir(os.Getenv(dirEnv)))
	o.Port = port
	s, err := server.NewServer(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "create nats-server:", err)
		os.Exit(1)
	}
	s.Start()
	if !s.ReadyForConnections(ReadyTimeout) {
		fmt.Fprintln(os.Stderr, "nats-server does not accept connections")
		os.Exit(1)
	}
	fmt.Println(s.Addr().(*net.TCPAddr).Port)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// ChildServer is a nats-server in a process of its own.
type ChildServer struct {
	dir  string
	ctl  net.Listener
	mu   sync.Mutex // guards what follows
	port int
	cmd  *exec.Cmd
	in   io.Closer
}

// Child starts the test binary again as a nats-server and kills it when the test ends. The test's TestMain must
// call [Main].
func Child(t testing.TB) *ChildServer {
	t.Helper()
	c := &ChildServer{dir: t.TempDir(), port: server.RANDOM_PORT}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Kill)
	ctl, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen for restarts: %v", err)
	}
	c.ctl = ctl
	t.Cleanup(func() { _ = ctl.Close() })
	go c.control()
	return c
}

// URL is where clients connect; it stays the same over restarts.
func (c *ChildServer) URL() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return "nats://127.0.0.1:" + strconv.Itoa(c.port)
}

// Start starts the server on the data and the port that it had before. It blocks until clients can connect.
func (c *ChildServer) Start() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd != nil {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find test binary: %w", err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), modeEnv+"="+modeServer, dirEnv+"="+c.dir, portEnv+"="+strconv.Itoa(c.port))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("open child's input: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("open child's output: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start child: %w", err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		c.port, err = strconv.Atoi(strings.TrimSpace(line))
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return fmt.Errorf("wait for child: %w", err)
	}
	c.cmd, c.in = cmd, in
	return nil
}

// Kill ends the server by SIGKILL: no goodbye to clients, nothing flushed.
func (c *ChildServer) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd == nil {
		return
	}
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
	_ = c.in.Close()
	c.cmd = nil
}

// Restart kills the server and starts it again.
func (c *ChildServer) Restart() error {
	c.Kill()
	return c.Start()
}

// RestartCommand is a command line that restarts the server and waits until it is back, for suites that know
// nothing of this package.
func (c *ChildServer) RestartCommand(t testing.TB) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatalf("find test binary: %v", err)
	}
	return []string{exe, restartArg, c.ctl.Addr().String()}
}

// control serves the restart commands: one connection, one restart, one line of answer. Restarting from here
// keeps the server a child of the test process, so that it cannot outlive it.
func (c *ChildServer) control() {
	for {
		conn, err := c.ctl.Accept()
		if err != nil {
			return
		}
		answer := "ok"
		if err := c.Restart(); err != nil {
			answer = err.Error()
		}
		_, _ = fmt.Fprintln(conn, answer)
		_ = conn.Close()
	}
}

func askRestart(addr string) error {
	conn, err := net.DialTimeout("tcp", addr, ReadyTimeout)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * ReadyTimeout))
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return err
	}
	if line = strings.TrimSpace(line); line != "ok" {
		return fmt.Errorf("child: %s", line)
	}
	return nil
}
