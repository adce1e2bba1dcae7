package faults

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// openFiles, set, is how many files a process that a test spawns may open.
const openFiles = "FAULTS_OPEN_FILES"

// limitFiles takes from this process, where it is one that a test spawned, all files but so many.
func limitFiles() {
	if n, err := strconv.ParseUint(os.Getenv(openFiles), 10, 32); err == nil {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			panic(err)
		}
	}
}

// A process that may open few files answers while others hold hundreds of idle connections to every door.
func TestIdleConnectionsLockNobodyOut(t *testing.T) {
	t.Setenv(openFiles, "256")
	dir := filepath.Join(t.TempDir(), "data")
	p := stacktest.Spawn(t, dir, "--nats-listen", stacktest.Loopback, "--redis-listen", stacktest.Loopback, "--qdrant-listen", stacktest.Loopback)
	c := p.As(t, "files")
	c.Put(turn("before", "The pump is in the garden."))
	_, at, _ := strings.Cut(p.URL, "://")
	doors := []string{at}
	connect, err := os.ReadFile(filepath.Join(dir, "connect.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	doors = append(doors, regexp.MustCompile(`127\.0\.0\.1:[0-9]+`).FindAllString(string(connect), -1)...)
	if len(doors) != 4 {
		t.Fatalf("doors %v", doors)
	}
	dial := net.Dialer{Timeout: 200 * time.Millisecond} // a door whose queue is full too lets nobody wait in it
	for _, door := range doors {
		for range 400 {
			if conn, err := dial.DialContext(t.Context(), "tcp", door); err == nil {
				defer conn.Close()
			} else {
				break
			}
		}
	}
	http.DefaultClient.CloseIdleConnections()
	for i := range 20 {
		got, err := publishBare(t.Context(), p.URL, "files", turn("f"+itoa(i), "The lamp is in the attic."))
		if err != nil || got.status != http.StatusAccepted {
			t.Fatalf("beside idle connections: %+v, %v", got, err)
		}
		http.DefaultClient.CloseIdleConnections()
	}
	c.Settle()
	if r := c.Ask(schema.Query{User: "ann", Query: "Where is the lamp?", Now: day}); len(r.Items) == 0 {
		t.Error("nothing is found")
	}
	for line := range strings.Lines(p.Logs.String()) {
		// The embedded NATS server takes a connection before it counts it, so that a burst finds none left for a moment.
		if strings.Contains(line, "too many open files") && !strings.Contains(line, "Temporary Client Accept Error") {
			t.Errorf("it ran out of files: %s", line)
		}
	}
}
