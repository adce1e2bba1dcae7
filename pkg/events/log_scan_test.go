package events

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestReadSaysWhatIsWrong(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	_, err := l.Read(ctx, 1)
	wantCode(t, err, schema.CodeNotFound, true)

	// A body that does not match its hash, as silent damage of the store would leave it.
	ev := turnEvent("acme", "u", "a", "body")
	ev.Version, ev.BodyHash = 1, schema.Hash([]byte("other"))
	ack, err := js.PublishMsg(ctx, &nats.Msg{Subject: LogSubject("acme", "u", schema.OpTurn), Header: Headers(ev.Envelope), Data: ev.Body})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Read(ctx, ack.Sequence)
	wantCode(t, err, schema.CodeCorrupt, true)
}

func TestLastCountAndScan(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	if n, err := l.Last(ctx, "acme"); n != 0 || err != nil {
		t.Errorf("last of an empty log: %d, %v", n, err)
	}
	evs := turnEvents(30, "a")
	evs[4].Tenant, evs[4].UUID = "a.b", ""
	evs[9].Op, evs[9].User = schema.OpTool, ""
	evs[20].Op = schema.OpForget
	evs[12].Body = []byte(strings.Repeat("long", MaxRawInLog))
	seqs := mustAppend(t, ctx, l, evs...)
	for tenant, want := range map[string]uint64{"acme": seqs[29], "a.b": seqs[4], "": seqs[29], "a": 0, "*": 0} {
		if n, err := l.Last(ctx, tenant); n != want || err != nil {
			t.Errorf("last of %q: %d, %v; want %d", tenant, n, err, want)
		}
	}
	if n, err := l.LastForget(ctx); n != seqs[20] || err != nil {
		t.Errorf("last forget: %d, %v", n, err)
	}
	for k, want := range map[[2]string]uint64{{"acme", ""}: 29, {"acme", "turn"}: 27, {"", "tool"}: 1, {"a.b", "turn"}: 1, {"no", ""}: 0} {
		if n, err := l.Count(ctx, k[0], schema.Op(k[1])); n != want || err != nil {
			t.Errorf("count %v: %d, %v; want %d", k, n, err, want)
		}
	}
	scan := func(from uint64, tenant string, ops ...schema.Op) (got []uint64) {
		err := l.Scan(ctx, from, ops, tenant, func(e schema.Event) error { got = append(got, e.Seq); return nil })
		if err != nil {
			t.Error(err)
		}
		return got
	}
	if got := scan(1, ""); !slices.Equal(got, seqs) {
		t.Errorf("scan of all: %v", got)
	}
	if got := scan(seqs[5], "", schema.OpTool, schema.OpForget); !slices.Equal(got, []uint64{seqs[9], seqs[20]}) {
		t.Errorf("scan of two ops: %v", got)
	}
	if got := scan(1, "a.b"); !slices.Equal(got, seqs[4:5]) {
		t.Errorf("scan of a tenant: %v", got)
	}
	if got := append(scan(seqs[29]+1, ""), scan(1, "nobody")...); got != nil {
		t.Errorf("scan of nothing: %v", got)
	}
	// An erased end does not leave the scan waiting for it.
	if err := l.stream.DeleteMsg(ctx, seqs[29]); err != nil {
		t.Fatal(err)
	}
	if got := scan(1, ""); !slices.Equal(got, seqs[:29]) {
		t.Errorf("scan after an erasure: %v", got)
	}
}

// TestScanLeavesNoConsumer: however often the log is read, the server's limit of consumers is not used up.
func TestScanLeavesNoConsumer(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	mustAppend(t, ctx, l, turnEvents(3, "a")...)
	s, err := js.Stream(ctx, StreamLog)
	if err != nil {
		t.Fatal(err)
	}
	count := func() int {
		i, err := s.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return i.State.Consumers
	}
	before := count()
	for range 20 {
		if err := l.Scan(ctx, 1, nil, "", func(schema.Event) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(); n != before {
		t.Errorf("%d consumers are left behind", n-before)
	}
}

func TestSeqAtFindsTheFirstEntryOfAMoment(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	if n, err := l.SeqAt(ctx, time.Now()); err != nil || n != 1 {
		t.Errorf("of an empty log: %d, %v", n, err)
	}
	var evs []schema.Event
	for i := range 9 {
		evs = append(evs, turnEvent("acme", "u", fmt.Sprintf("s%d", i), "x"))
	}
	seqs := mustAppend(t, ctx, l, evs...)
	for _, seq := range seqs {
		m, err := l.stream.GetMsg(ctx, seq)
		if err != nil {
			t.Fatal(err)
		}
		for d, want := range map[time.Duration]uint64{0: seq, 1: seq + 1} {
			n, err := l.SeqAt(ctx, m.Time.Add(d))
			// Entries of one batch may have one time: then it is the first of them, and the one behind all of them.
			if err != nil || d == 0 && n > want || d > 0 && n < want {
				t.Errorf("entry %d and %d ns: %d, %v", seq, d, n, err)
			}
		}
	}
	if n, err := l.SeqAt(ctx, time.Now().Add(-time.Hour)); err != nil || n != 1 {
		t.Errorf("long before: %d, %v", n, err)
	}
	if n, err := l.SeqAt(ctx, time.Now().Add(time.Hour)); err != nil || n != seqs[8]+1 {
		t.Errorf("long after: %d, %v", n, err)
	}
	s, err := js.Stream(ctx, StreamLog)
	if err != nil {
		t.Fatal(err)
	}
	for c := range s.ListConsumers(ctx).Info() {
		if c.Config.Durable == "" {
			t.Errorf("a consumer is left: %s", c.Name)
		}
	}
}
