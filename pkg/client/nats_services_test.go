package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// whole connects to the Siltstone of these tests.
func whole(t *testing.T, tenant string) (context.Context, *client.NATS, *client.HTTP) {
	t.Helper()
	nc, err := nats.Connect(natsAddress)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	h, err := client.NewHTTP(httpAddress, client.WithTenant(tenant))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx, over(t, nc, client.WithTenant(tenant)), h
}

func TestNATSPublishIsAnsweredLikeHTTPs(t *testing.T) {
	ctx, c, h := whole(t, "services")
	raw := "{\"id\":\"a\",  \"user\":\"u\",\"input\":\"My kettle is blue. 水壶。\"}\n"
	first, err := c.PublishRaw(ctx, []byte(raw))
	if err != nil || first.ID != "a" || first.Seq == 0 || first.Duplicate {
		t.Fatalf("%+v %v", first, err)
	}
	again, err := h.PublishRaw(ctx, []byte(raw))
	if err != nil || again.Seq != first.Seq || !again.Duplicate {
		t.Errorf("the same over HTTP: %+v %v", again, err)
	}
	if again, err = c.PublishRaw(ctx, []byte(raw)); err != nil || again.Seq != first.Seq || !again.Duplicate {
		t.Errorf("the same again: %+v %v", again, err)
	}
	if _, err := c.PublishRaw(ctx, []byte(`{"id":"a","user":"u","input":"another"}`)); schema.CodeOf(err) != schema.CodeConflict || !schema.IsPermanent(err) {
		t.Errorf("another body under the id: %v", err)
	}
	var e *schema.Error
	if _, err := c.Publish(ctx, schema.Turn{User: "u*", Input: "x"}); !errors.As(err, &e) || e.Field != "user" || e.Code != schema.CodeInvalid {
		t.Errorf("a bad turn: %v", err)
	}
	drawn, err := c.Publish(ctx, schema.Turn{User: "u", Input: "x"})
	if err != nil || len(drawn.ID) != 32 {
		t.Errorf("without an id: %+v %v", drawn, err)
	}
	// One that fits into no message goes through the object store; without an id one is drawn for it.
	big := strings.Repeat("水泵的长故事 a long story. ", 100<<10)
	large, err := c.Publish(ctx, schema.Turn{User: "u", Input: big})
	if err != nil || large.ID == "" {
		t.Fatalf("large: %+v %v", large, err)
	}
	var back schema.Turn
	eventstest.Eventually(t, patience, "the large one can be read", func() bool {
		b, err := h.Event(ctx, large.ID)
		return err == nil && json.Unmarshal(b, &back) == nil
	})
	if back.Input != big {
		t.Errorf("%d bytes come back of %d", len(back.Input), len(big))
	}
	if _, err := c.PublishRaw(ctx, []byte(`{"user":"u","input":"`+big+`"}`)); !errors.As(err, &e) || e.Field != "id" {
		t.Errorf("large, raw, without an id: %v", err)
	}
}

func TestNATSForgetAndStatus(t *testing.T) {
	ctx, c, h := whole(t, "forgetting")
	acc, err := c.Publish(ctx, schema.Turn{ID: "a", User: "u", Input: "My kettle is blue."})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Query(ctx, schema.Query{User: "u", Query: "kettle", MinSeq: acc.Seq})
	if err != nil || len(r.Items) == 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if a, err := c.Archive(ctx, schema.Archive{User: "u", IDs: []string{"a"}, DryRun: true}); err != nil || a.Matched != 1 || a.Job != "" {
		t.Errorf("archive, dry run: %+v %v", a, err)
	}
	if a, err := c.Archive(ctx, schema.Archive{User: "u", IDs: []string{"nosuch"}}); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("archive what is not there: %+v %v", a, err)
	}
	if f, err := c.Forget(ctx, schema.Forget{User: "u", All: true, DryRun: true}); err != nil || f.Matched == 0 || f.Job != "" {
		t.Errorf("dry run: %+v %v", f, err)
	}
	if f, err := c.Forget(ctx, schema.Forget{User: "u", All: true}); err != nil || f.Matched == 0 || f.Job == "" {
		t.Errorf("%+v %v", f, err)
	}
	if r, err := c.Query(ctx, schema.Query{User: "u", Query: "kettle"}); err != nil || len(r.Items) != 0 {
		t.Errorf("afterwards: %+v %v", r.Items, err)
	}
	var st schema.StatusReply
	eventstest.Eventually(t, patience, "the tenant to be idle", func() bool {
		st, err = c.Status(ctx)
		return err == nil && st.Idle
	})
	other, err := h.Status(ctx)
	if err != nil || st.Ledger != other.Ledger || st.Ledger.Forgotten != 1 || st.LastSeq != other.LastSeq {
		t.Errorf("NATS %+v, HTTP %+v %v", st, other, err)
	}
}

func TestNATSPublishBatch(t *testing.T) {
	ctx, c, h := whole(t, "batches")
	var b strings.Builder
	n := 0
	for i := 1; i <= 1201; i++ {
		switch {
		case i%400 == 0:
			b.WriteString("{\"user\":\"u\"}\n")
		case i == 7:
			b.WriteString("\r\n")
		case i == 600: // fits into no message
			fmt.Fprintf(&b, `{"id":"b-%d","user":"u","input":"%s"}`+"\n", i, strings.Repeat("long ", 300<<10))
			n++
		default:
			fmt.Fprintf(&b, `{"id":"b-%d","user":"u","input":"x"}`+"\n", i)
			n++
		}
	}
	body := strings.TrimSuffix(b.String(), "\n")
	out, err := c.PublishBatch(ctx, strings.NewReader(body))
	if err != nil || len(out.Accepted) != n || len(out.Rejected) != 3 {
		t.Fatalf("%d accepted of %d, rejected %+v, %v", len(out.Accepted), n, out.Rejected, err)
	}
	for i, r := range out.Rejected {
		if r.Line != 400*(i+1) || r.Error.Code != schema.CodeInvalid {
			t.Errorf("rejected: %+v", r)
		}
	}
	for i := 1; i < len(out.Accepted); i++ {
		if out.Accepted[i].Seq <= out.Accepted[i-1].Seq {
			t.Fatalf("%+v comes after %+v", out.Accepted[i], out.Accepted[i-1])
		}
	}
	again, err := c.PublishBatch(ctx, strings.NewReader(body))
	if err != nil || len(again.Accepted) != n || again.Accepted[n-1].Seq != out.Accepted[n-1].Seq {
		t.Errorf("the same again: %d, %v", len(again.Accepted), err)
	}
	if st, err := h.Status(ctx); err != nil || st.Ledger.Accepted != uint64(n) {
		t.Errorf("%+v %v", st.Ledger, err)
	}
	if _, err := c.PublishBatch(ctx, iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader that fails: %v", err)
	}
}

func TestNATSPublishWithoutAnIngester(t *testing.T) {
	nc, _ := broker(t, nil)
	c := over(t, nc, client.WithTimeout(2*time.Second))
	if _, err := c.Publish(t.Context(), schema.Turn{User: "u", Input: "x"}); schema.CodeOf(err) != schema.CodeUnavailable || schema.IsPermanent(err) {
		t.Errorf("%v", err)
	}
}
