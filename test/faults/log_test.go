package faults

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// logDir is where the embedded server keeps the log.
func logDir(t *testing.T, data string) string {
	t.Helper()
	found := ""
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == events.StreamLog {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		t.Fatalf("no log in %s: %v", data, err)
	}
	return found
}

// replaceLog puts a copy in the place of the log.
func replaceLog(t *testing.T, data, from string) {
	t.Helper()
	to := logDir(t, data)
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// fixedAddr is a loopback address that is free now: a process that holds does not say that it is ready.
func fixedAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", stacktest.Loopback)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

var errNotYet = errors.New("not yet")

// get is the status and body of a request.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// lived is a configuration whose data directory holds turns, with a copy of the log from when it held the first of them.
func lived(t *testing.T) (cfg config.Config, copied string) {
	t.Helper()
	cfg = stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.HTTP.Addr = fixedAddr(t)
	copied = filepath.Join(t.TempDir(), "copy")
	for i, turns := range [][]schema.Turn{
		{turn("a1", "The boat is called Heron."), turn("a2", "The mast of the boat is eleven metres.")},
		{turn("b1", "The oven takes four loaves."), turn("b2", "Never bake on Mondays.")},
	} {
		s, err := stacktest.Start(cfg)
		if err != nil {
			t.Fatal(err)
		}
		c := s.As(t, "boats")
		c.Put(turns...)
		witnessed(t, c, uint64(2*i+2))
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := os.CopyFS(copied, os.DirFS(logDir(t, cfg.Data))); err != nil {
				t.Fatal(err)
			}
		}
	}
	return cfg, copied
}

// A log that was put back from an older copy is held before anything is served, says so everywhere, and is gone on with
// once somebody accepts it: as if the turns that it lacks had never been.
func TestALogFromAnOlderCopyIsHeldUntilItIsAccepted(t *testing.T) {
	cfg, copied := lived(t)
	replaceLog(t, cfg.Data, copied)
	started := make(chan *stacktest.Stack, 1)
	failed := make(chan error, 1)
	go func() {
		s, err := stacktest.Start(cfg)
		started <- s
		failed <- err
	}()
	url := "http://" + cfg.HTTP.Addr
	stacktest.Eventually(t, "the process to hold", func() error {
		if code, body := get(t, url+"/readyz"); code != http.StatusServiceUnavailable || !strings.Contains(body, "shortened") {
			return errNotYet
		}
		return nil
	})
	if code, _ := get(t, url+"/healthz"); code != http.StatusOK {
		t.Errorf("the process that holds is not alive: %d", code)
	}
	if _, body := get(t, url+"/metrics"); !strings.Contains(body, `silt_log_integrity_errors_total{kind="shortened"} 1`) {
		t.Error("the metric does not count it")
	}
	c, err := client.NewHTTP(url, client.WithTenant("boats"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.Log(t.Context())
	if err != nil || !l.Held || l.Last != 2 || len(l.Faults) != 1 || l.Faults[0].From != 3 || l.Faults[0].To != 4 {
		t.Errorf("the log is %+v, %v", l, err)
	}
	for what, err := range map[string]error{
		"publish": func() error { _, err := c.Publish(t.Context(), turn("c1", "Too early.")); return err }(),
		"query":   func() error { _, err := c.Query(t.Context(), schema.Query{User: "ann", Query: "boat"}); return err }(),
		"status":  func() error { _, err := c.Status(t.Context()); return err }(),
	} {
		if schema.CodeOf(err) != schema.CodeUnavailable || !strings.Contains(err.Error(), "shortened") {
			t.Errorf("%s while it is held: %v", what, err)
		}
	}
	select {
	case s := <-started:
		t.Fatalf("it serves: %v", s)
	default:
	}
	if l, err = c.AcceptLog(t.Context()); err != nil || l.Held || len(l.Faults) > 0 {
		t.Fatalf("accept: %+v, %v", l, err)
	}
	s := <-started
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	boats := s.As(t, "boats")
	if st := boats.Settle(); st.Ledger.Accepted != 2 || st.Ledger.Indexed != 2 || len(st.LogFaults) > 0 {
		t.Errorf("after it was accepted: %+v", st)
	}
	boats.Put(turn("c1", "The boat sails in May."))
	text := ""
	for _, it := range boats.Ask(schema.Query{User: "ann", Query: "boat oven loaves", Now: day, Limit: 50}).Items {
		text += it.Content + "\n"
	}
	for word, want := range map[string]bool{"Heron": true, "in May": true, "loaves": false} {
		if strings.Contains(text, word) != want {
			t.Errorf("%q is found: %v\n%s", word, !want, text)
		}
	}
	if code, body := get(t, url+"/readyz"); code != http.StatusOK {
		t.Errorf("not ready afterwards: %s", body)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if s, err = stacktest.Start(cfg); err != nil { // and the next start finds nothing
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
}

// What is read of one tenant alone, the others' points being copied, is read of all once another log was accepted: the copies
// went with all the rest.
func TestAnAcceptedLogIsReadOfEveryTenant(t *testing.T) {
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.HTTP.Addr = fixedAddr(t)
	copied := filepath.Join(t.TempDir(), "copy")
	s, err := stacktest.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	boats, ovens := s.As(t, "boats"), s.As(t, "ovens")
	boats.Put(turn("a1", "The boat is called Heron."))
	ovens.Put(turn("b1", "The oven takes four loaves."))
	boats.Settle()
	ovens.Settle()
	gen := boats.Replayed(schema.ReplayRequest{Tenant: "boats", Switch: true}).Replay.Generation
	stacktest.Eventually(t, "the switch", func() error {
		if l, err := boats.Replays(t.Context()); err != nil || l.Active != gen {
			return errors.Join(err, errNotYet)
		}
		return nil
	})
	witnessed(t, boats, 2)
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(copied, os.DirFS(logDir(t, cfg.Data))); err != nil {
		t.Fatal(err)
	}
	if s, err = stacktest.Start(cfg); err != nil {
		t.Fatal(err)
	}
	boats = s.As(t, "boats")
	boats.Put(turn("a2", "The mast is eleven metres."))
	witnessed(t, boats, 3)
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	replaceLog(t, cfg.Data, copied)
	s = accepted(t, cfg)
	for _, name := range []string{"boats", "ovens"} {
		c := s.As(t, name)
		if st := c.Settle(); st.Ledger.Accepted != 1 || st.Ledger.Indexed != 1 {
			t.Errorf("%s after the log was accepted: %+v", name, st.Ledger)
		}
		if n := len(c.Ask(schema.Query{User: "ann", Query: "boat oven", Now: day}).Items); n == 0 {
			t.Errorf("nothing of %s is found", name)
		}
		id, err := c.Audit(t.Context(), schema.AuditRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if a := c.Finished(id).Audit; a.Faults > 0 {
			t.Errorf("the audit of %s finds %+v", name, a.Found)
		}
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
}

// witnessed waits until n entries are.
func witnessed(t *testing.T, c *stacktest.Tenant, n uint64) {
	t.Helper()
	stacktest.Eventually(t, "the log to be witnessed", func() error {
		l, err := c.Log(t.Context())
		if err == nil && l.Witnessed < n {
			return errNotYet
		}
		return err
	})
}

// accepted starts a process on a log that holds it, and accepts that.
func accepted(t *testing.T, cfg config.Config) *stacktest.Stack {
	t.Helper()
	started, failed := make(chan *stacktest.Stack, 1), make(chan error, 1)
	go func() {
		s, err := stacktest.Start(cfg)
		started <- s
		failed <- err
	}()
	c, err := client.NewHTTP("http://"+cfg.HTTP.Addr, client.WithTenant("boats"))
	if err != nil {
		t.Fatal(err)
	}
	stacktest.Eventually(t, "the process to hold", func() error {
		if l, err := c.Log(t.Context()); err != nil || !l.Held {
			return errors.Join(err, errNotYet)
		}
		return nil
	})
	if l, err := c.AcceptLog(t.Context()); err != nil || l.Held {
		t.Fatalf("accept: %+v, %v", l, err)
	}
	s := <-started
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	return s
}

// Whoever puts the right log back need accept nothing.
func TestALogThatIsPutRightIsServedAgain(t *testing.T) {
	cfg, copied := lived(t)
	right := filepath.Join(t.TempDir(), "right")
	if err := os.CopyFS(right, os.DirFS(logDir(t, cfg.Data))); err != nil {
		t.Fatal(err)
	}
	replaceLog(t, cfg.Data, copied)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx, app.Options{Config: cfg, Logger: slog.New(slog.DiscardHandler)}) }()
	stacktest.Eventually(t, "the process to hold", func() error {
		if code, _ := get(t, "http://"+cfg.HTTP.Addr+"/readyz"); code != http.StatusServiceUnavailable {
			return errNotYet
		}
		return nil
	})
	stop()
	if err := <-ended; err != nil {
		t.Errorf("a process that holds ends with %v", err)
	}
	replaceLog(t, cfg.Data, right)
	s := stacktest.Up(t, cfg)
	if st := s.As(t, "boats").Settle(); st.Ledger.Indexed != 4 || len(st.LogFaults) > 0 {
		t.Errorf("with the right log: %+v", st)
	}
}

// One entry that the disk has spoiled holds nothing up: it is reported until it is accepted.
func TestADamagedEntryIsReportedAndServedAround(t *testing.T) {
	cfg, _ := lived(t)
	blocks, err := filepath.Glob(filepath.Join(logDir(t, cfg.Data), "msgs", "*.blk"))
	if err != nil || len(blocks) == 0 {
		t.Fatalf("blocks %v, %v", blocks, err)
	}
	raw, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(raw, []byte("eleven metres"))
	if at < 0 {
		t.Fatal("the entry is not in the block")
	}
	raw[at] ^= 1
	if err := os.WriteFile(blocks[0], raw, 0o600); err != nil {
		t.Fatal(err)
	}
	s := stacktest.Up(t, cfg)
	c := s.As(t, "boats")
	if code, body := get(t, s.URL+"/readyz"); code != http.StatusServiceUnavailable || !strings.Contains(body, "damaged") {
		t.Errorf("ready: %d %s", code, body)
	}
	if st := c.Settle(); len(st.LogFaults) != 1 || st.LogFaults[0].Kind != schema.LogDamaged || st.LogFaults[0].From != 2 {
		t.Errorf("status %+v", st)
	}
	c.Put(turn("c1", "The boat sails in May."))
	if l, err := c.AcceptLog(t.Context()); err != nil || len(l.Faults) > 0 {
		t.Errorf("accept: %+v, %v", l, err)
	}
	if code, body := get(t, s.URL+"/readyz"); code != http.StatusOK {
		t.Errorf("accepted: %d %s", code, body)
	}
}
