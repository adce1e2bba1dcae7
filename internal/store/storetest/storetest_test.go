package storetest

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/embedded/qdrantd"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
)

// childEnv makes the test binary a vector server in a process of its own.
const childEnv = "STORETEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		fmt.Println("error:", serveChild(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func serveChild(dir string) error {
	srv, err := qdrantd.Open(dir, qdrantd.Options{})
	if err != nil {
		return err
	}
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + lis.Addr().String())
	return srv.Serve(lis)
}

// tcpQdrant is the embedded server in another process, over TCP.
func tcpQdrant(t *testing.T) VectorServer {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+t.TempDir())
	out, err := cmd.StdoutPipe()
	ok(t, err)
	ok(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var url string
	if _, err := fmt.Fscan(bufio.NewReader(out), &url); err != nil {
		t.Fatal(err)
	}
	return VectorServer{Name: "tcp", Options: qdrant.Options{URL: url}}
}

func TestCacheOnEmbedded(t *testing.T)    { Cache(t, EmbeddedRedis(t)) }
func TestCacheOnRedisServer(t *testing.T) { Cache(t, LocalRedis(t)) }
func TestCacheOnNamedServer(t *testing.T) { Cache(t, NamedRedis(t)) }

func TestVectorsOnEmbedded(t *testing.T)    { Vectors(t, EmbeddedQdrant(t)) }
func TestVectorsOverTCP(t *testing.T)       { Vectors(t, tcpQdrant(t)) }
func TestVectorsOnNamedServer(t *testing.T) { Vectors(t, NamedQdrant(t)) }

func TestProtocolOnEmbedded(t *testing.T)    { Protocol(t, EmbeddedQdrant(t)) }
func TestProtocolOverTCP(t *testing.T)       { Protocol(t, tcpQdrant(t)) }
func TestProtocolOnNamedServer(t *testing.T) { Protocol(t, NamedQdrant(t)) }
