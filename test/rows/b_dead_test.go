package rows

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// What a stage gives up can be seen, tried again and dropped, by its own tenant alone, and the account adds up all along.
func TestB4_DeadLettersAreSeenRetriedAndDropped(t *testing.T) {
	e := stacktest.NewEmbedder(t)
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Embed.URL, cfg.Embed.Model, cfg.Embed.Dim = e.URL, "test", stacktest.Dim
	s := stacktest.Up(t, cfg)
	c, other := s.As(t, "dead"), s.As(t, "other")
	for _, who := range []string{"lighthouse keeper", "postman", "baker"} {
		c.Put(turn("of-the-"+who[:4], "This one of the "+who+" the embedder cannot take: "+stacktest.Refused, "Noted."))
	}
	c.Put(turn("fine", "The ferry leaves from pier nine.", "Noted."))
	account := func(want schema.Ledger) {
		t.Helper()
		if l := c.Settle().Ledger; l != want {
			t.Fatalf("the ledger is %+v, want %+v", l, want)
		}
	}
	account(schema.Ledger{Accepted: 4, Indexed: 1, Dead: 3})

	letters := func() []schema.DeadLetter {
		t.Helper()
		var out []schema.DeadLetter
		for cursor := ""; ; {
			page, err := c.DeadLetters(t.Context(), cursor, 2)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Items) > 2 {
				t.Fatalf("a page of %d", len(page.Items))
			}
			if out = append(out, page.Items...); page.Cursor == "" {
				return out
			}
			cursor = page.Cursor
		}
	}
	ds := letters()
	if len(ds) != 3 {
		t.Fatalf("letters %+v", ds)
	}
	for _, d := range ds {
		if d.Stage != "vectorize" || d.Generation != 1 || d.Count != 1 || d.Seq == 0 || d.At.IsZero() || !strings.Contains(d.Reason, "400") || d.Original != nil {
			t.Errorf("letter %+v", d)
		}
	}
	first := ds[0]
	if d, err := c.DeadLetter(t.Context(), first.ID, false); err != nil || d.Original != nil || d.Event != first.Event {
		t.Errorf("shown: %+v, %v", d, err)
	}
	raw, err := c.Event(t.Context(), first.Event)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := c.DeadLetter(t.Context(), first.ID, true); err != nil || string(d.Original) != string(raw) {
		t.Errorf("the original is %q, %v, want %q", d.Original, err, raw)
	}
	// Another tenant has no such letter, whatever it does with the id.
	for _, ask := range []struct{ method, path string }{{"GET", "/v1/dlq/" + first.ID}, {"POST", "/v1/dlq/" + first.ID + "/retry"}, {"DELETE", "/v1/dlq/" + first.ID}} {
		if code, body := other.Send(ask.method, ask.path, "application/json", ""); code != http.StatusNotFound {
			t.Errorf("%s for another tenant is answered with %d: %s", ask.method, code, body)
		}
	}
	if page, err := other.DeadLetters(t.Context(), "", 0); err != nil || len(page.Items) != 0 {
		t.Errorf("another tenant sees %+v, %v", page.Items, err)
	}

	// Tried again with the fault still there, it comes back under its id, counted.
	for want := 2; want <= 3; want++ {
		if _, err := c.RetryDead(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		stacktest.Eventually(t, "the letter to be back", func() error {
			d, err := c.DeadLetter(t.Context(), first.ID, false)
			if err != nil || d.Count != want {
				return fmt.Errorf("%+v, %w", d, err)
			}
			return nil
		})
		if n := len(letters()); n != 3 {
			t.Errorf("%d letters after a retry in vain", n)
		}
		account(schema.Ledger{Accepted: 4, Indexed: 1, Dead: 3})
	}

	// Dropped: the letter is gone, the event stays dead.
	if r, err := c.DropDead(t.Context(), ds[1].ID); err != nil || r.State != schema.DeadDropped {
		t.Fatalf("dropped: %+v, %v", r, err)
	}
	if _, err := c.DeadLetter(t.Context(), ds[1].ID, false); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("the dropped letter: %v", err)
	}
	account(schema.Ledger{Accepted: 4, Indexed: 1, Dead: 3})

	// Forgotten: its letter goes, and cannot be brought back.
	if _, err := c.Forget(t.Context(), schema.Forget{User: "ann", IDs: []string{ds[2].Event}}); err != nil {
		t.Fatal(err)
	}
	account(schema.Ledger{Accepted: 4, Indexed: 1, Dead: 2, Forgotten: 1})
	if _, err := c.RetryDead(t.Context(), ds[2].ID); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("a forgotten letter is tried again: %v", err)
	}

	// With the fault mended it is indexed, found once, and the letter goes.
	e.Mended.Store(true)
	r, err := c.RetryDead(t.Context(), first.ID)
	if err != nil || r.State == schema.DeadAgain {
		t.Fatalf("retried: %+v, %v", r, err)
	}
	stacktest.Eventually(t, "the letter to go", func() error {
		if n := len(letters()); n != 0 {
			return fmt.Errorf("%d letters", n)
		}
		return nil
	})
	account(schema.Ledger{Accepted: 4, Indexed: 2, Dead: 1, Forgotten: 1})
	if st := c.What(first.Event); st.State != "indexed" {
		t.Errorf("the event is %s", st.State)
	}
	if items := c.Ask(ask("lighthouse keeper")).Items; count(items, "lighthouse keeper") != 1 {
		t.Errorf("found: %v", contents(items))
	}
	if code, _ := c.Send("POST", "/v1/dlq/"+first.ID+"/retry", "application/json", ""); code != http.StatusNotFound {
		t.Errorf("a letter that is gone is tried again with %d", code)
	}

	// What intake refuses goes through intake again.
	js, err := jetstream.New(stacktest.Dial(t, s.Connect(t)))
	if err != nil {
		t.Fatal(err)
	}
	bad := `{"user":"ann","input":`
	if _, err := js.Publish(t.Context(), events.InSubject("dead"), []byte(bad)); err != nil {
		t.Fatal(err)
	}
	stacktest.Eventually(t, "the bad turn to die", func() error {
		if ds = letters(); len(ds) != 1 {
			return fmt.Errorf("%d letters", len(ds))
		}
		return nil
	})
	if d, err := c.DeadLetter(t.Context(), ds[0].ID, true); err != nil || d.Stage != "intake" || string(d.Original) != bad {
		t.Errorf("the letter of intake: %+v, %v", d, err)
	}
	if r, err := c.RetryDead(t.Context(), ds[0].ID); err != nil || r.State != schema.DeadAgain || r.Reason == "" {
		t.Errorf("a bad turn tried again: %+v, %v", r, err)
	}
	if d, err := c.DeadLetter(t.Context(), ds[0].ID, true); err != nil || d.Count != 2 || string(d.Original) != bad {
		t.Errorf("the letter that is back: %+v, %v", d, err)
	}
	if _, err := c.DropDead(t.Context(), ds[0].ID); err != nil {
		t.Error(err)
	}
	if n := len(letters()); n != 0 {
		t.Errorf("%d letters at the end", n)
	}
	account(schema.Ledger{Accepted: 4, Indexed: 2, Dead: 1, Forgotten: 1})
}

// What died in a generation that was pruned since cannot be tried again there: such a letter goes, and says why, while the
// account of what is read stands. A letter about what was copied from there stays.
func TestB4_LettersOfAPrunedGenerationGoWithAReason(t *testing.T) {
	e := stacktest.NewEmbedder(t)
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Embed.URL, cfg.Embed.Model, cfg.Embed.Dim = e.URL, "test", stacktest.Dim
	s := stacktest.Up(t, cfg)
	c, other := s.As(t, "dead"), s.As(t, "other")
	other.Put(turn("bad", "This the embedder cannot take either: "+stacktest.Refused, "Noted."))
	c.Put(turn("bad", "This the embedder cannot take: "+stacktest.Refused, "Noted."), turn("fine", "The ferry leaves from pier nine.", "Noted."))
	of := func(generation int) (out []schema.DeadLetter) {
		t.Helper()
		l, err := c.DeadLetters(t.Context(), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range l.Items {
			if d.Generation == generation {
				out = append(out, d)
			}
		}
		return out
	}
	job := c.Replayed(schema.ReplayRequest{Tenant: "dead"})
	old := of(1)
	if len(old) != 1 || len(of(2)) != 1 || job.Replay.Report.Dead.Now != 2 {
		t.Fatalf("letters %+v and %+v, report %+v", old, of(2), job.Replay.Report)
	}
	if _, err := c.Switch(t.Context(), schema.SwitchRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Prune(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	stacktest.Eventually(t, "the letter of the pruned generation to go", func() error {
		r, err := c.RetryDead(t.Context(), old[0].ID)
		switch {
		case schema.CodeOf(err) == schema.CodeNotFound: // by itself, before it was asked for
			return nil
		case err != nil: // the generation is going, and not gone yet
			return err
		case r.State != schema.DeadDropped || !strings.Contains(r.Reason, "generation 1"):
			t.Errorf("the answer is %+v", r)
		}
		return nil
	})
	if left := of(1); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	if left := of(2); len(left) != 1 {
		t.Errorf("of the one that is read: %+v", left)
	}
	if l := c.Settle().Ledger; l != (schema.Ledger{Accepted: 2, Indexed: 1, Dead: 1}) {
		t.Errorf("the ledger is %+v", l)
	}
	// What the new generation has of another tenant was copied, dead as it was: its letter is about that, and can be tried.
	if l := other.Settle().Ledger; l != (schema.Ledger{Accepted: 1, Dead: 1}) {
		t.Errorf("the other's ledger is %+v", l)
	}
	e.Mended.Store(true)
	ls, err := other.DeadLetters(t.Context(), "", 0)
	if err != nil || len(ls.Items) != 1 {
		t.Fatalf("the other's letters are %+v, %v", ls, err)
	}
	if _, err := other.RetryDead(t.Context(), ls.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	stacktest.Eventually(t, "the other's event to be indexed", func() error {
		ls, err := other.DeadLetters(t.Context(), "", 0)
		if l := other.Settle().Ledger; err != nil || len(ls.Items) > 0 || l != (schema.Ledger{Accepted: 1, Indexed: 1}) {
			return fmt.Errorf("%+v, %+v, %w", ls.Items, l, err)
		}
		return nil
	})
}
