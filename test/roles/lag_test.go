package roles

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// With nobody at work an ingester takes as many turns as may wait, and refuses more with the time to come again; requests to
// forget pass. Once somebody works it takes turns again.
func TestAnIngesterRefusesTurnsWhileTooManyWait(t *testing.T) {
	const most = 20
	s := newSite(t)
	ingester := s.role("ingester", "--pipeline-max-lag", fmt.Sprint(most))
	c := ingester.As(t, "demo")
	said := func(i int) schema.Turn {
		return schema.Turn{ID: fmt.Sprint("t", i), User: "ann", Input: fmt.Sprintf("The pump %d is in the garden.", i), At: day}
	}
	for i := range most {
		if _, err := c.Publish(t.Context(), said(i)); err != nil {
			t.Fatal(err)
		}
	}
	next := most
	stacktest.Eventually(t, "turns to be refused", func() error {
		_, err := c.Publish(t.Context(), said(next))
		if err == nil {
			next++
			return fmt.Errorf("%d are accepted", next)
		}
		if schema.CodeOf(err) != schema.CodeOverloaded || schema.RetryAfter(err) < time.Second || schema.RetryAfter(err) > time.Minute {
			t.Fatalf("refused with %v, to come again after %s", err, schema.RetryAfter(err))
		}
		return nil
	})
	var batch bytes.Buffer
	for i := range 2 {
		if err := json.NewEncoder(&batch).Encode(said(next + i)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := c.PublishBatch(t.Context(), &batch)
	if err != nil && schema.CodeOf(err) != schema.CodeOverloaded || err == nil && (len(r.Accepted) > 0 || len(r.Rejected) != 2 || r.Rejected[0].Error.Code != schema.CodeOverloaded) {
		t.Errorf("a batch is answered with %+v, %v", r, err)
	}
	if _, err := c.Forget(t.Context(), schema.Forget{User: "ann", IDs: []string{"t0"}}); err != nil {
		t.Errorf("a request to forget: %v", err)
	}
	s.role("distiller")
	stacktest.Eventually(t, "turns to be taken again", func() error {
		_, err := c.Publish(t.Context(), said(next))
		return err
	})
	if l := c.Settle().Ledger; l.Accepted != uint64(next)+1 || l.Forgotten != 1 {
		t.Errorf("the ledger is %+v after %d turns", l, next+1)
	}
}
