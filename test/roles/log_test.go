package roles

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// ready waits until a process says that it is ready, or that it is not for a reason.
func ready(t *testing.T, c *stacktest.Child, reason string) {
	t.Helper()
	stacktest.Eventually(t, "the process to tell how it is: "+reason, func() error {
		r, err := http.Get(c.URL + "/readyz")
		if err != nil {
			return err
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if red := r.StatusCode != http.StatusOK; err == nil && (red != (reason != "") || !strings.Contains(string(b), reason)) {
			err = fmt.Errorf("%d %s", r.StatusCode, b)
		}
		return err
	})
}

// Processes that leave the witness of the log to others tell of what those find while they run, and what is accepted at one
// of their edges is accepted by the one that found it.
func TestEveryProcessTellsOfALogThatIsDamagedWhileItRuns(t *testing.T) {
	s := newSite(t)
	ingester, retriever := s.role("ingester"), s.role("retriever")
	s.role("distiller")
	c := ingester.As(t, "demo")
	turns := make([]schema.Turn, 10)
	for i := range turns {
		turns[i] = schema.Turn{ID: fmt.Sprint("t", i), User: "ann", Input: fmt.Sprintf("The pump %d is in the garden.", i), At: day}
	}
	seq := c.Put(turns...)[4].Seq
	c.Settle()
	witnessed := func(n uint64) {
		t.Helper()
		stacktest.Eventually(t, "the log to be witnessed", func() error {
			l, err := c.Log(t.Context())
			if err == nil && l.Witnessed < n {
				err = fmt.Errorf("%+v", l)
			}
			return err
		})
	}
	witnessed(10)
	ready(t, ingester, "")
	ready(t, retriever, "")

	cfg, err := config.Load(s.connect(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	js, err := events.OpenJetStream(stacktest.Dial(t, cfg))
	if err != nil {
		t.Fatal(err)
	}
	log, err := js.Stream(t.Context(), events.StreamLog)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.SecureDeleteMsg(t.Context(), seq); err != nil {
		t.Fatal(err)
	}
	ready(t, ingester, "missing")
	ready(t, retriever, "missing")
	if l, err := c.AcceptLog(t.Context()); err != nil || len(l.Faults) > 0 {
		t.Fatalf("accept: %+v, %v", l, err)
	}
	ready(t, ingester, "")
	ready(t, retriever, "")
	c.Put(schema.Turn{ID: "later", User: "ann", Input: "The pump is in the shed.", At: day})
	witnessed(11) // by the one that found the fault, which has looked since
	if st := c.Settle(); len(st.LogFaults) > 0 {
		t.Errorf("what was accepted is found again: %+v", st.LogFaults)
	}
	ready(t, retriever, "")
}
