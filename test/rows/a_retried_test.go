package rows

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// A request to archive that comes back out of the dead letters archives, and forgets nothing.
func TestA9_ARequestToArchiveThatIsTriedAgainArchives(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(t.TempDir()))
	c := s.As(t, "")
	c.Put(listings()...)
	js, err := jetstream.New(stacktest.Dial(t, s.Connect(t)))
	if err != nil {
		t.Fatal(err)
	}
	archive(t, c, "en")
	log, err := js.Stream(t.Context(), events.StreamLog)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := log.GetLastMsgForSubject(t.Context(), events.SubjectsArchive)
	if err != nil {
		t.Fatal(err)
	}
	tenant, _ := events.TenantOf(entry.Subject)
	letter := nats.NewMsg(events.DLQSubject(events.StageForget, tenant, "x"))
	letter.Data = entry.Data
	for k, v := range entry.Header {
		if strings.HasPrefix(k, "Silt-") {
			letter.Header[k] = v
		}
	}
	for k, v := range map[string]string{
		events.HeaderDeadStage: events.StageForget, events.HeaderDeadDurable: events.Durable(events.StageForget, 1), events.HeaderDeadStream: events.StreamLog,
		events.HeaderDeadSubject: entry.Subject, events.HeaderDeadCount: "3", events.HeaderDeadCode: string(schema.CodeInternal), events.HeaderDeadReason: "a test",
	} {
		letter.Header.Set(k, v)
	}
	letter.Header.Set(events.HeaderDeadSeq, strconv.FormatUint(entry.Sequence, 10))
	if _, err := js.PublishMsg(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	page, err := c.DeadLetters(t.Context(), "", 0)
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("the letters are %+v, %v", page.Items, err)
	}
	r, err := c.RetryDead(t.Context(), page.Items[0].ID)
	if err != nil || r.State != schema.DeadSettled {
		t.Fatalf("tried again: %+v, %v", r, err)
	}
	c.Settle()
	if st := c.What("en"); !st.Archived || st.State != "indexed" {
		t.Errorf("the turn is %+v", st)
	}
	if got := there(t, c, "en", "zh", "talk"); len(got) != 3 {
		t.Errorf("there are %v", got)
	}
	balanced(t, c)
}
