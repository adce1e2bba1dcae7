package events

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A process that dies between the letter that takes another's place and the removal of that one leaves both: one is shown,
// the later, and the other goes with whatever is done about the id next.
func TestOfTwoLettersOfOneIDTheLaterHolds(t *testing.T) {
	ctx, _, js := ensured(t)
	b, err := OpenBlobs(ctx, js)
	if err != nil {
		t.Fatal(err)
	}
	d, err := OpenDeadLetters(ctx, js, b)
	if err != nil {
		t.Fatal(err)
	}
	bury := func(key, count, reason string) {
		t.Helper()
		m := &nats.Msg{Subject: DLQSubject(StageClean, "acme", key), Header: nats.Header{}, Data: []byte("{}")}
		for k, v := range map[string]string{
			HeaderDeadStage: StageClean, HeaderDeadDurable: Durable(StageClean, 1), HeaderDeadStream: StreamLog, HeaderDeadSubject: LogSubject("acme", "u", schema.OpTurn),
			HeaderDeadSeq: "7", HeaderDeadCount: count, HeaderDeadCode: string(schema.CodeInvalid), HeaderDeadReason: reason,
		} {
			m.Header.Set(k, v)
		}
		if _, err := js.PublishMsg(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	lying := func() uint64 {
		t.Helper()
		info, err := d.stream.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return info.State.Msgs
	}
	bury("twice", "1", "first")
	bury("once", "1", "alone")
	bury("twice", "2", "second")
	list, next, err := d.List(ctx, "acme", 0, 10)
	if err != nil || next != 0 || len(list) != 2 || list[0].Reason != "alone" || list[1].Reason != "second" || list[1].Count != 2 {
		t.Errorf("listed %+v, %d, %v", list, next, err)
	}
	for range 2 { // doing it again changes nothing
		for _, l := range list {
			if err := d.Tidy(ctx, "acme", l.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := lying(); n != 2 {
		t.Errorf("%d letters lie there after tidying, want 2", n)
	}
	bury("twice", "3", "third") // once more, and it is tried again before anybody tidies up
	if err := d.Back(ctx, "acme", list[1].ID, errors.New("fourth")); err != nil {
		t.Fatal(err)
	}
	if l, err := d.Get(ctx, "acme", list[1].ID); err != nil || l.Count != 4 || lying() != 2 {
		t.Errorf("%d lie there, the last is %+v, %v", lying(), l, err)
	}
	if err := d.Tidy(ctx, "acme", StageClean+"-none"); err != nil {
		t.Errorf("tidy what is not there: %v", err)
	}
}
