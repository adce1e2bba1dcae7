package events

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func derived(t testing.TB, id string, seq uint64, body []byte) schema.Event {
	t.Helper()
	ev := turnEvent("acme", "u", id, "raw")
	ev.Version, ev.BodyHash, ev.Generation, ev.Op, ev.Seq, ev.Body = 1, schema.Hash(ev.Body), 1, schema.OpCleaned, seq, body
	return ev
}

func TestClaimCheck(t *testing.T) {
	ctx, _, js := ensured(t)
	b := openLog(t, ctx, js).Blobs()
	small, big := bytes.Repeat([]byte("s"), MaxInWork), bytes.Repeat([]byte("大"), MaxInWork)
	for _, body := range [][]byte{small, big} {
		ev := derived(t, "a", 3, body)
		h, data, err := b.Encode(ctx, StageClean, ev)
		if err != nil {
			t.Fatal(err)
		}
		if claim := h.Get(HeaderClaim); (claim != "") != (len(body) > MaxInWork) || strings.Contains(strings.Split(claim, " ")[0], schema.Hash(body)[:16]) {
			t.Errorf("claim %q on %d bytes: named by event and stage, and only where needed", claim, len(body))
		}
		if len(data) == 0 || len(data) > MaxInWork {
			t.Errorf("%d bytes travel", len(data))
		}
		if got, err := b.Resolve(ctx, h, data); err != nil || !bytes.Equal(got, body) {
			t.Errorf("resolved %d of %d bytes, %v", len(got), len(body), err)
		}
	}
}

func TestBlobsAreNeverOverwritten(t *testing.T) {
	ctx, _, js := ensured(t)
	b := openLog(t, ctx, js).Blobs()
	one, two := bytes.Repeat([]byte("1"), MaxInWork+1), bytes.Repeat([]byte("2"), MaxInWork+1)
	h1, _, err := b.Encode(ctx, StageClean, derived(t, "a", 3, one))
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := parseClaim(h1[HeaderClaim])
	was, err := b.store.GetInfo(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	h2, _, err := b.Encode(ctx, StageClean, derived(t, "a", 3, two))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, _, err := b.Encode(ctx, StageClean, derived(t, "a", 3, one)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if is, err := b.store.GetInfo(ctx, name); err != nil || is.NUID != was.NUID {
		t.Errorf("the blob was written again: %v, %v", is, err)
	}
	for h, want := range map[*nats.Header][]byte{&h1: one, &h2: two} {
		if got, err := b.Resolve(ctx, *h, nil); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %d bytes, %v", (*h)[HeaderClaim], len(got), err)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	ctx, _, js := ensured(t)
	b := openLog(t, ctx, js).Blobs()
	h, _, err := b.Encode(ctx, StageClean, derived(t, "a", 3, bytes.Repeat([]byte("x"), MaxInWork+1)))
	if err != nil {
		t.Fatal(err)
	}
	name, hash, _ := parseClaim(h[HeaderClaim])
	for _, c := range [][]string{{""}, {name}, {name + " " + hash[1:]}, {name + " " + hash, name + " " + hash}, {" " + hash}} {
		_, err := b.Resolve(ctx, nats.Header{HeaderClaim: c}, nil)
		wantCode(t, err, schema.CodeInvalid, true)
	}
	_, err = b.Resolve(ctx, nats.Header{HeaderClaim: {name + " " + schema.Hash([]byte("other"))}}, nil)
	wantCode(t, err, schema.CodeCorrupt, true)
	_, err = b.Resolve(ctx, nats.Header{HeaderClaim: {"no " + hash}}, nil)
	wantCode(t, err, schema.CodeNotFound, false)
	for range 2 {
		if err := b.Delete(ctx, h); err != nil {
			t.Error(err)
		}
	}
	_, err = b.Resolve(ctx, h, nil)
	wantCode(t, err, schema.CodeNotFound, false)
}

// A conflicting body's blob is nobody's: the first event keeps its own, the other's goes.
func TestAConflictLeavesNoBlob(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	first := turnEvent("acme", "u", "a", strings.Repeat("1", MaxRawInLog+1))
	seq := mustAppend(t, ctx, l, first)[0]
	other := first
	other.Body = bytes.Repeat([]byte("2"), MaxRawInLog+1)
	wantCode(t, l.Append(ctx, []schema.Event{other})[0].Err, schema.CodeConflict, true)
	if a := l.Append(ctx, []schema.Event{first})[0]; !a.Duplicate {
		t.Errorf("the first again: %+v", a)
	}
	list, err := l.Blobs().store.List(ctx)
	if err != nil || len(list) != 1 {
		t.Errorf("%d blobs are left, %v", len(list), err)
	}
	if ev, err := l.Read(ctx, seq); err != nil || !bytes.Equal(ev.Body, first.Body) {
		t.Errorf("the first event: %v", err)
	}
}

func TestSweepTakesWhatIsSettled(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	b := l.Blobs()
	big := bytes.Repeat([]byte("x"), MaxInWork+1)
	if n, err := b.Sweep(ctx, 1, 100); n != 0 || err != nil {
		t.Errorf("sweep of nothing: %d, %v", n, err)
	}
	raw := mustAppend(t, ctx, l, turnEvent("acme", "u", "raw", string(big)))[0]
	var hs []nats.Header
	for i, seq := range []uint64{3, 5, 6, 9} {
		ev := derived(t, string(rune('a'+i)), seq, big)
		if seq == 6 {
			ev.Generation = 2
		}
		h, _, err := b.Encode(ctx, StageClean, ev)
		if err != nil {
			t.Fatal(err)
		}
		hs = append(hs, h)
	}
	// The one of 5 is dead: its letter still needs the body.
	if _, err := js.PublishMsg(ctx, &nats.Msg{Subject: DLQSubject(StageExtract, "acme", "e"), Header: nats.Header{HeaderClaim: hs[1][HeaderClaim]}, Data: claimed}); err != nil {
		t.Fatal(err)
	}
	if n, err := b.Sweep(ctx, 1, 8); n != 1 || err != nil {
		t.Errorf("swept %d, %v; want the one of 3", n, err)
	}
	for i, gone := range []bool{true, false, false, false} {
		if _, err := b.Resolve(ctx, hs[i], nil); (err != nil) != gone {
			t.Errorf("blob %d: %v", i, err)
		}
	}
	if _, err := l.Read(ctx, raw); err != nil {
		t.Errorf("a raw body was swept: %v", err)
	}
}
