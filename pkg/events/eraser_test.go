package events

import (
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A body that was stored, and whose entry never came into the log, is nobody's: an erasure takes it along once it is old, and
// nothing that is claimed by whoever it may be.
func TestAnErasureTakesOldBodiesThatNothingClaims(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	e, err := OpenEraser(ctx, js, l)
	if err != nil {
		t.Fatal(err)
	}
	large := func(tenant, id string) schema.Event {
		return turnEvent(tenant, "u", id, `{"user":"u","input":"`+strings.Repeat(id+" ", MaxRawInLog/2)+`"}`)
	}
	mustAppend(t, ctx, l, large("acme", "mine"), large("other", "theirs"))
	stored := func(ev schema.Event) nats.Header {
		t.Helper()
		h, _, err := l.blobs.encode(ctx, stageRaw, ev, MaxRawInLog)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	stored(large("acme", "orphan"))
	letter := &nats.Msg{Subject: DLQSubject(StageIntake, "acme", "m"), Header: nats.Header{HeaderClaim: stored(large("acme", "dead"))[HeaderClaim]}, Data: claimed}
	if _, err := js.PublishMsg(ctx, letter); err != nil {
		t.Fatal(err)
	}
	left := func() []string {
		t.Helper()
		list, err := l.blobs.store.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, ev := range []schema.Event{large("acme", "mine"), large("other", "theirs"), large("acme", "orphan"), large("acme", "dead")} {
			if slices.ContainsFunc(list, func(o *jetstream.ObjectInfo) bool { return o.Name == blobName(stageRaw, ev, schema.Hash(ev.Body)) }) {
				out = append(out, ev.ID)
			}
		}
		return out
	}
	remove := func(want ...string) {
		t.Helper()
		gone := map[string]bool{schema.EventUUID("acme", "mine"): true}
		if err := e.RemoveBlobs(ctx, "acme", gone, func(uint64) bool { return true }); err != nil {
			t.Fatal(err)
		}
		if got := left(); !slices.Equal(got, want) {
			t.Errorf("left are %v, want %v", got, want)
		}
	}
	remove("theirs", "orphan", "dead") // it may be on its way into the log
	e.orphan = 0
	if _, err := js.Publish(ctx, InSubject("acme"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	remove("theirs", "orphan", "dead") // and what waits for intake may claim it
	in, err := js.Stream(ctx, StreamIn)
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	remove("theirs", "dead")
}
