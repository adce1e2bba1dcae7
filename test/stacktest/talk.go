package stacktest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Tenant is a test's own client of a stack: every failed call fails the test.
type Tenant struct {
	*client.HTTP
	Stack *Stack
	Name  string

	t testing.TB
}

// As is a client of s for a tenant, named after the test where name is "".
func (s *Stack) As(t testing.TB, name string) *Tenant {
	t.Helper()
	if name == "" {
		name = strings.ToLower(strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				return r
			}
			return '-'
		}, t.Name()))
	}
	return &Tenant{HTTP: s.Client(t, name), Stack: s, Name: name, t: t}
}

// Put publishes turns and waits until they are settled.
func (c *Tenant) Put(turns ...schema.Turn) []schema.Accepted {
	c.t.Helper()
	out := make([]schema.Accepted, len(turns))
	for i, turn := range turns {
		a, err := c.Publish(c.t.Context(), turn)
		if err != nil {
			c.t.Fatalf("publish turn %d (%s): %v", i, turn.ID, err)
		}
		out[i] = a
	}
	c.Settle()
	return out
}

// PutMany publishes turns as one batch, without waiting.
func (c *Tenant) PutMany(turns []schema.Turn) schema.BatchReply {
	c.t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i := range turns {
		if err := e.Encode(turns[i]); err != nil {
			c.t.Fatal(err)
		}
	}
	out, err := c.PublishBatch(c.t.Context(), &b)
	if err != nil {
		c.t.Fatalf("publish %d turns: %v", len(turns), err)
	}
	return out
}

// Settle waits until everything of the tenant is settled and returns the status then.
func (c *Tenant) Settle() schema.StatusReply {
	c.t.Helper()
	var st schema.StatusReply
	Eventually(c.t, "the tenant to be idle", func() error {
		var err error
		if st, err = c.Status(c.t.Context()); err != nil {
			return err
		}
		if !st.Idle {
			return fmt.Errorf("floor %d of %d, ledger %+v, stages %+v", st.Floor, st.LastSeq, st.Ledger, st.Stages)
		}
		return nil
	})
	return st
}

// Ask queries and fails the test where that fails.
func (c *Tenant) Ask(q schema.Query) schema.Reply {
	c.t.Helper()
	r, err := c.Query(c.t.Context(), q)
	if err != nil {
		c.t.Fatalf("query %+v: %v", q, err)
	}
	return r
}

// What is what became of an event, with all that was computed from it.
func (c *Tenant) What(id string) schema.EventStatus {
	c.t.Helper()
	st, err := c.EventStatus(c.t.Context(), id, true)
	if err != nil {
		c.t.Fatalf("status of %s: %v", id, err)
	}
	return st
}

// All is every memory of a user, page by page.
func (c *Tenant) All(q schema.MemoryQuery) []schema.Item {
	c.t.Helper()
	var out []schema.Item
	for {
		p, err := c.Memories(c.t.Context(), q)
		if err != nil {
			c.t.Fatalf("list memories: %v", err)
		}
		out = append(out, p.Items...)
		if q.Cursor = p.Cursor; q.Cursor == "" {
			return out
		}
	}
}

// Send makes a bare request, for what the client would not send, and returns the status code and the body.
func (c *Tenant) Send(method, path, contentType, body string) (int, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.Stack.URL+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("X-Silt-Tenant", c.Name)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// Balanced fails the test unless the ledger adds up with nothing pending.
func Balanced(t testing.TB, l schema.Ledger) {
	t.Helper()
	if sum := l.Indexed + l.Duplicate + l.Dropped + l.Dead + l.Forgotten + l.Pending; sum != l.Accepted || l.Pending != 0 {
		t.Errorf("the ledger does not add up to %d with nothing pending: %+v", l.Accepted, l)
	}
}

// Eventually tries until ok returns nil, for [Patience] at most.
func Eventually(t testing.TB, what string, ok func() error) {
	t.Helper()
	end := time.After(Patience())
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ok()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waited in vain for %s: %v", what, err)
		case <-t.Context().Done():
			t.Fatalf("waited for %s: %v", what, errors.Join(t.Context().Err(), err))
		}
	}
}

// Find is the first item whose content holds text.
func Find(items []schema.Item, text string) (schema.Item, bool) {
	for _, it := range items {
		if strings.Contains(it.Content, text) {
			return it, true
		}
	}
	return schema.Item{}, false
}

// Contains reports whether an item says text.
func Contains(it schema.Item, text string) bool { return strings.Contains(it.Content, text) }
