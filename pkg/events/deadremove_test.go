package events

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// buryLetter puts a dead letter where burying does; more keeps apart several of a stage.
func buryLetter(t *testing.T, ctx context.Context, js jetstream.JetStream, stage, tenant, stream, more string, h nats.Header, body []byte) {
	t.Helper()
	if h == nil {
		h = nats.Header{}
	}
	for k, v := range map[string]string{HeaderDeadStage: stage, HeaderDeadStream: stream, HeaderDeadSubject: InSubject(tenant), HeaderDeadSeq: "1", HeaderDeadCount: "1"} {
		h.Set(k, v)
	}
	if _, err := js.PublishMsg(ctx, &nats.Msg{Subject: DLQSubject(stage, tenant, stage+stream+more), Header: h, Data: body}); err != nil {
		t.Fatal(err)
	}
}

func TestRemoveDeadTakesLettersAndWhatOnlyTheyHold(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	b := l.Blobs()
	big := bytes.Repeat([]byte("x"), max(MaxRawInLog, MaxInWork)+1)
	raw := mustAppend(t, ctx, l, turnEvent("acme", "u", "raw", string(big)))[0]
	entry, err := l.stream.GetMsg(ctx, raw)
	if err != nil {
		t.Fatal(err)
	}
	bury := func(stage, tenant, stream string, h nats.Header, body []byte) {
		t.Helper()
		buryLetter(t, ctx, js, stage, tenant, stream, "", h, body)
	}
	work := derived(t, "a", 3, big)
	wh, claim, err := b.Encode(ctx, StageClean, work)
	if err != nil {
		t.Fatal(err)
	}
	refused := turnEvent("acme", "u", "in", string(big)+"in")
	ih, _, err := b.encode(ctx, "in", refused, MaxRawInLog) // as a client does it
	if err != nil {
		t.Fatal(err)
	}
	delete(entry.Header, jetstream.ExpectedStreamHeader) // as burying does
	bury(StageClean, "acme", StreamLog, entry.Header, entry.Data)
	bury(StageExtract, "acme", WorkStream(1), wh, claim)
	bury(StageIntake, "acme", StreamIn, nats.Header{HeaderClaim: ih[HeaderClaim]}, claimed)
	bury(StageIntake, "other", StreamIn, nil, []byte("another tenant's"))
	if _, err := js.PublishMsg(ctx, &nats.Msg{Subject: DLQSubject(StageClean, "acme", "foreign"), Data: []byte("no letter of ours")}); err != nil {
		t.Fatal(err)
	}

	var seen []string
	look := func(d DeadLetter) bool {
		if d.Stream == StreamIn && d.Event.Tenant == "acme" && !bytes.Equal(d.Event.Body, refused.Body) {
			t.Errorf("what intake refused is handed out as %d bytes", len(d.Event.Body))
		}
		if d.At.IsZero() || time.Since(d.At) > time.Hour {
			t.Errorf("buried at %v", d.At)
		}
		seen = append(seen, d.Stream+" "+d.Event.ID)
		return false
	}
	if err := b.RemoveDead(ctx, "acme", 16<<20, look); err != nil {
		t.Fatal(err)
	}
	if want := []string{StreamLog + " raw", WorkStream(1) + " a", StreamIn + " "}; !slices.Equal(seen, want) {
		t.Errorf("looked at %q, want %q", seen, want)
	}
	for range 2 {
		if err := b.RemoveDead(ctx, "acme", 16<<20, func(DeadLetter) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	dlq, err := js.Stream(ctx, StreamDLQ)
	if err != nil {
		t.Fatal(err)
	}
	if n := dlq.CachedInfo().State.Msgs; n != 2 {
		t.Errorf("%d dead letters are left, want another tenant's and the foreign one", n)
	}
	if _, err := b.Resolve(ctx, wh, nil); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("the body of a removed letter: %v", err)
	}
	if ev, err := l.Read(ctx, raw); err != nil || !bytes.Equal(ev.Body, big) {
		t.Errorf("the log's own body: %v", err)
	}
	// A body that is gone keeps no letter alive, nor the search from ending.
	bury(StageIntake, "acme", StreamIn, nats.Header{HeaderClaim: {"in.0.none " + schema.Hash(nil)}}, claimed)
	if err := b.RemoveDead(ctx, "acme", 16<<20, func(DeadLetter) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if _, err := dlq.GetLastMsgForSubject(ctx, DLQSubject(StageIntake, "acme", StageIntake+StreamIn)); err != jetstream.ErrMsgNotFound {
		t.Errorf("a letter without its body is left: %v", err)
	}
}

func TestScanUserReadsOneUsersEntriesAndReportsDamage(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	big := string(bytes.Repeat([]byte("x"), MaxRawInLog+1))
	mine := "u"
	other := "" // of the same shard
	for i := 0; other == ""; i++ {
		if n := "v" + string(rune('a'+i%26)) + string(rune('a'+i/26)); schema.Shard("acme", n) == schema.Shard("acme", mine) {
			other = n
		}
	}
	var seqs []uint64
	for i, ev := range []schema.Event{
		turnEvent("acme", mine, "1", "one"), turnEvent("acme", other, "2", "two"), turnEvent("acme", mine, "3", big), turnEvent("acme", "w", "4", "four"),
		turnEvent("other", mine, "5", "five"), turnEvent("acme", mine, "6", "six"), turnEvent("acme", mine, "7", "seven"),
	} {
		if i == 5 {
			ev.Op = schema.OpMemory
		}
		seqs = append(seqs, mustAppend(t, ctx, l, ev)[0])
	}
	scan := func(upTo uint64, ops ...schema.Op) (ids []string, faults int) {
		t.Helper()
		err := l.ScanUser(ctx, "acme", mine, ops, upTo, func(ev schema.Event, err error) error {
			if err != nil {
				faults++
			}
			ids = append(ids, ev.ID)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return ids, faults
	}
	for _, c := range []struct {
		upTo uint64
		ops  []schema.Op
		want []string
	}{
		{^uint64(0), []schema.Op{schema.OpTurn, schema.OpMemory}, []string{"1", "3", "6", "7"}},
		{^uint64(0), []schema.Op{schema.OpTurn}, []string{"1", "3", "7"}},
		{seqs[2], []schema.Op{schema.OpTurn, schema.OpMemory}, []string{"1", "3"}},
		{0, []schema.Op{schema.OpTurn}, nil},
	} {
		if got, faults := scan(c.upTo, c.ops...); !slices.Equal(got, c.want) || faults > 0 {
			t.Errorf("up to %d of %v: %v and %d faults, want %v", c.upTo, c.ops, got, faults, c.want)
		}
	}
	m, err := l.stream.GetMsg(ctx, seqs[2])
	if err != nil {
		t.Fatal(err)
	}
	if err := l.blobs.Delete(ctx, m.Header); err != nil {
		t.Fatal(err)
	}
	if got, faults := scan(^uint64(0), schema.OpTurn); !slices.Equal(got, []string{"1", "3", "7"}) || faults != 1 {
		t.Errorf("with a body gone: %v, %d faults", got, faults)
	}
}
