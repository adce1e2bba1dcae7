package events

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// refusedTurn is a turn of u's that is stored as a client does it, and its claim.
func refusedTurn(t *testing.T, ctx context.Context, b *Blobs, tenant, id, more string) (claim nats.Header, ev schema.Event) {
	t.Helper()
	ev = turnEvent(tenant, "u", id, `{"id":"`+id+`","user":"u","input":"`+strings.Repeat("x", max(MaxRawInLog, MaxInWork))+`"`+more+`}`)
	h, _, err := b.Encode(ctx, stageRaw, ev)
	if err != nil {
		t.Fatal(err)
	}
	return nats.Header{HeaderClaim: h[HeaderClaim]}, ev
}

// A claim may name what no turn may be long enough for; whoever forgets does not read it, and goes on with the others.
func TestRemoveDeadReadsNoBodyLongerThanATurn(t *testing.T) {
	ctx, _, js := ensured(t)
	b := openLog(t, ctx, js).Blobs()
	claim, ev := refusedTurn(t, ctx, b, "acme", "long", "")
	short, _ := refusedTurn(t, ctx, b, "acme", "s", "")
	buryLetter(t, ctx, js, StageIntake, "acme", StreamIn, "long", claim, claimed)
	buryLetter(t, ctx, js, StageIntake, "acme", StreamIn, "short", short, claimed)
	var got []int
	look := func(d DeadLetter) bool {
		got = append(got, len(d.Event.Body))
		return false
	}
	if err := b.RemoveDead(ctx, "acme", int64(len(ev.Body)-1), look); err != nil {
		t.Fatal(err)
	}
	if want := []int{len(claimed), len(ev.Body) - 3}; !slices.Equal(got, want) {
		t.Errorf("handed out are %v bytes, want %v", got, want)
	}
}

// Whoever may write blobs may write into their descriptions what he likes.
func TestMadeUpSizesOfBlobsAreNotBelieved(t *testing.T) {
	ctx, _, js := ensured(t)
	b := openLog(t, ctx, js).Blobs()
	claim, ev := refusedTurn(t, ctx, b, "acme", "a", "")
	name, _, err := parseClaim(claim[HeaderClaim])
	if err != nil {
		t.Fatal(err)
	}
	info, err := b.store.GetInfo(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []uint64{math.MaxUint64, 1 << 63, math.MaxInt64, 1 << 40} {
		info.Size = size
		raw, err := json.Marshal(info)
		if err != nil {
			t.Fatal(err)
		}
		m := &nats.Msg{Subject: "$O." + StoreBlobs + ".M." + base64.URLEncoding.EncodeToString([]byte(name)), Header: nats.Header{"Nats-Rollup": {"sub"}}, Data: raw}
		if _, err := js.PublishMsg(ctx, m); err != nil {
			t.Fatal(err)
		}
		if n, err := b.Size(ctx, claim); err != nil || n < 1<<40 {
			t.Errorf("size %d: said to be %d, %v", size, n, err)
		}
		if body, err := b.Resolve(ctx, claim, claimed); err != nil || !bytes.Equal(body, ev.Body) {
			t.Errorf("size %d: %d bytes, %v", size, len(body), err)
		}
	}
}

// With a letter goes the body that intake refused, unless somebody else claims it, or it is not certain whose it is.
func TestRemoveDeadTakesRefusedBodiesThatNobodyElseClaims(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	b := l.Blobs()
	bury := func(more string, h nats.Header) {
		t.Helper()
		buryLetter(t, ctx, js, StageIntake, "acme", StreamIn, more, h, claimed)
	}
	there := func(h nats.Header) bool {
		t.Helper()
		_, err := b.Size(ctx, h)
		if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
			t.Fatal(err)
		}
		return err == nil
	}
	alone, _ := refusedTurn(t, ctx, b, "acme", "alone", "")
	logged, ev := refusedTurn(t, ctx, b, "acme", "logged", "") // appended, and the acknowledgement was lost
	mustAppend(t, ctx, l, ev)
	twice, _ := refusedTurn(t, ctx, b, "acme", "twice", "")
	foreign, _ := refusedTurn(t, ctx, b, "other", "foreign", "") // another tenant's, whose name and hash were known
	for more, h := range map[string]nats.Header{"alone": alone, "logged": logged, "twice": twice, "foreign": foreign} {
		bury(more, claimOf(h))
	}
	bury("again", claimOf(twice))

	goes := func(d DeadLetter) bool { // of the two letters of twice the one that is met first stays
		if bytes.Contains(d.Event.Body, []byte(`"twice"`)) && twice != nil {
			twice = nil
			return false
		}
		return true
	}
	kept := claimOf(twice)
	if err := b.RemoveDead(ctx, "acme", 16<<20, goes); err != nil {
		t.Fatal(err)
	}
	if there(alone) || !there(logged) || !there(kept) || !there(foreign) {
		t.Errorf("there are: alone %v, the log's %v, another letter's %v, another tenant's %v", there(alone), there(logged), there(kept), there(foreign))
	}
	for range 2 {
		if err := b.RemoveDead(ctx, "acme", 16<<20, func(DeadLetter) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	if there(kept) || !there(logged) {
		t.Errorf("at last there are: the last letter's %v, the log's %v", there(kept), there(logged))
	}
	dlq, err := js.Stream(ctx, StreamDLQ)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dlq.GetLastMsgForSubject(ctx, SubjectsDLQ); !errors.Is(err, jetstream.ErrMsgNotFound) {
		t.Errorf("letters are left: %v", err)
	}
	if got, err := l.Read(ctx, 1); err != nil || !bytes.Equal(got.Body, ev.Body) {
		t.Errorf("the log's entry: %v", err)
	}
}

// claimOf is a copy: burying adds to it.
func claimOf(h nats.Header) nats.Header { return nats.Header{HeaderClaim: h[HeaderClaim]} }
