package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/disk/disktest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// asked is what a bare publish was answered.
type asked struct {
	status int
	code   schema.Code
	after  string
	took   time.Duration
	seq    uint64
}

func publishBare(ctx context.Context, url, tenant string, x schema.Turn) (asked, error) {
	body, err := json.Marshal(x)
	if err != nil {
		return asked{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/events", strings.NewReader(string(body)))
	if err != nil {
		return asked{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Silt-Tenant", tenant)
	begin := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return asked{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return asked{}, err
	}
	var v struct {
		Seq   uint64           `json:"seq"`
		Error schema.WireError `json:"error"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return asked{}, fmt.Errorf("%s: %w", b, err)
	}
	return asked{res.StatusCode, v.Error.Code, res.Header.Get("Retry-After"), time.Since(begin), v.Seq}, nil
}

// readiness is what /readyz says fails.
func readiness(url string) (map[string]string, error) {
	res, err := http.Get(url + "/readyz")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var v struct {
		Failing map[string]string `json:"failing"`
	}
	return v.Failing, json.NewDecoder(res.Body).Decode(&v)
}

// A disk that fills up refuses within two seconds, says so, and is used again once there is room, without a restart of
// the process: whether Siltstone came to its own reserve, or another program took the last byte while events were being
// appended, so that the log itself could not be written. What was acknowledged is there.
func TestAFullDiskRefusesAndRecoversWithoutARestart(t *testing.T) {
	if testing.Short() {
		t.Skip("workers are held back for pipeline.ack_wait")
	}
	for name, c := range map[string]struct {
		left uint64 // bytes that the other program leaves
	}{
		"down to the reserve":  {20 << 20},
		"down to the last one": {0},
	} {
		t.Run(name, func(t *testing.T) {
			disk := disktest.Small(t, "160m")
			p := stacktest.Spawn(t, filepath.Join(disk, "data"))
			lag := stacktest.NewLag(t, p.URL)
			const tenant = "disk"
			var mu sync.Mutex
			acked := map[string]uint64{}
			publish := func(i int) asked {
				id := "d" + itoa(i)
				got, err := publishBare(t.Context(), p.URL, tenant, turn(id, "The pump zq"+itoa(i)+"w is in the garden. "+strings.Repeat("x", 4<<10)))
				if err != nil {
					t.Errorf("publish %s: %v", id, err)
				}
				if got.status == http.StatusAccepted {
					mu.Lock()
					acked[id] = got.seq
					mu.Unlock()
				}
				return got
			}
			publish(0)
			p.As(t, tenant).Settle() // something that can be found while nothing is taken
			n := 1
			for range 2 { // once more: what was mended can break again
				stop, refused := make(chan struct{}), make(chan asked, 1)
				var load sync.WaitGroup
				for w := range 4 {
					load.Go(func() {
						for i := n + w; ; i += 4 {
							select {
							case <-stop:
								return
							default:
							}
							begin := time.Now()
							got := publish(i)
							if got.status == http.StatusAccepted {
								continue
							}
							if got.status != http.StatusServiceUnavailable || got.after == "" || got.took > 2*time.Second+lag.Since(begin) {
								t.Errorf("on a full disk: %+v, where the machine adds %s", got, lag.Since(begin))
							}
							select {
							case refused <- got:
							default:
							}
						}
					})
				}
				free := disktest.Fill(t, disk, c.left)
				select {
				case got := <-refused:
					if got.code != schema.CodeNoSpace {
						t.Errorf("refused as %+v", got)
					}
				case <-time.After(stacktest.Patience()):
					t.Fatal("nothing is refused")
				}
				close(stop)
				load.Wait()
				n += 100_000
				if failing, err := readiness(p.URL); err != nil || failing["disk"] == "" {
					t.Errorf("ready on a full disk: %v, %v", failing, err)
				}
				if r := p.As(t, tenant).Ask(schema.Query{User: "ann", Query: "Where is the pump?", Now: day}); len(r.Items) == 0 {
					t.Error("a full disk keeps answers away")
				}
				free()
				stacktest.Eventually(t, "events to be taken again", func() error {
					if got := publish(n); got.status != http.StatusAccepted {
						return fmt.Errorf("%+v", got)
					}
					return nil
				})
				stacktest.Eventually(t, "the process to be ready", func() error {
					failing, err := readiness(p.URL)
					if err == nil && len(failing) > 0 {
						err = fmt.Errorf("%v", failing)
					}
					return err
				})
				n++
			}
			c := p.As(t, tenant)
			stacktest.Balanced(t, c.Settle().Ledger)
			if len(acked) < 4 {
				t.Fatalf("only %d turns were taken", len(acked))
			}
			for id, seq := range acked {
				st := c.What(id)
				if st.Seq != seq || st.State != "indexed" {
					t.Fatalf("%s was acknowledged at %d: %+v", id, seq, st)
				}
			}
			t.Logf("%d acknowledged turns are there", len(acked))
			if _, err := p.Terminate(t); err != nil {
				t.Errorf("end: %v", err)
			}
		})
	}
}

// A data directory that is removed, or moved away, ends the process in order: a line that says so, status 1 and no panic.
func TestADataDirectoryThatIsRemovedEndsTheProcessInOrder(t *testing.T) {
	for name, remove := range map[string]func(dir string) error{
		"removed":  os.RemoveAll,
		"moved":    func(dir string) error { return os.Rename(dir, dir+".old") },
		"replaced": func(dir string) error { return errors.Join(os.Rename(dir, dir+".old"), os.MkdirAll(dir, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			p := stacktest.Spawn(t, dir, "--jieba-cache", filepath.Join(dir, "words"), "--nats-listen", stacktest.Loopback)
			c := p.As(t, "gone")
			c.Put(turn("a", "The pump is in the garden. 水泵在花园里。"))
			if err := remove(dir); err != nil {
				t.Fatal(err)
			}
			for i := 0; ; i++ { // until nobody answers
				got, err := publishBare(t.Context(), p.URL, "gone", turn("b"+itoa(i), "x"))
				if err != nil {
					break
				}
				if got.status != http.StatusAccepted && got.status != http.StatusServiceUnavailable {
					t.Errorf("answered %+v", got)
				}
			}
			err := p.Await(t)
			if err == nil || err.Error() != "exit status 1" {
				t.Errorf("it ended with %v", err)
			}
			logs := p.Logs.String()
			if !strings.Contains(logs, "the data directory is lost") || strings.Contains(logs, "panic") || strings.Contains(logs, "goroutine ") {
				t.Errorf("it says\n%s", logs)
			}
		})
	}
}
