package nats

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Whatever way messages go, their bytes stay in the files, and Scrub takes them away; what stays is there as before, and
// the streams go on, also after another start.
func TestScrubLeavesNothingOfWhatWasRemoved(t *testing.T) {
	dir := t.TempDir()
	s := start(t, Options{StoreDir: dir})
	j := js(t, s)
	ctx := t.Context()
	stream := func(c jetstream.StreamConfig) jetstream.Stream {
		t.Helper()
		c.Storage = jetstream.FileStorage
		st, err := j.CreateStream(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	queue := stream(jetstream.StreamConfig{Name: "QUEUE", Subjects: []string{"queue.>"}, Retention: jetstream.WorkQueuePolicy})
	keys := stream(jetstream.StreamConfig{Name: "KEYS", Subjects: []string{"keys.>"}, MaxMsgsPerSubject: 1})
	limits := stream(jetstream.StreamConfig{Name: "LIMITS", Subjects: []string{"limits.>"}})
	put := func(subject, text string) {
		t.Helper()
		m := &natsgo.Msg{Subject: subject, Header: natsgo.Header{"Who": {text}}, Data: []byte(text)}
		if _, err := j.PublishMsg(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 40 {
		kept := fmt.Sprintf("kept-%02d", i)
		put("queue.gone-subject", "gone-queue")
		put("keys.same", "gone-replaced") // until the last one
		put("keys."+kept, kept)
		put("limits.gone-subject", "gone-purged")
		put("limits."+kept, kept)
		put("limits.deleted", "gone-deleted")
	}
	put("keys.same", "kept-last")
	c, err := queue.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "c", AckPolicy: jetstream.AckExplicitPolicy})
	must(err)
	for got := 0; got < 40; {
		ms, err := c.Fetch(40)
		must(err)
		for m := range ms.Messages() {
			must(m.DoubleAck(ctx))
			got++
		}
	}
	must(limits.Purge(ctx, jetstream.WithPurgeSubject("limits.gone-subject")))
	for {
		m, err := limits.GetLastMsgForSubject(ctx, "limits.deleted")
		if err != nil {
			break
		}
		must(limits.DeleteMsg(ctx, m.Sequence)) // not overwritten
	}
	state := func(st jetstream.Stream) (out []string, last uint64) {
		t.Helper()
		info, err := st.Info(ctx)
		must(err)
		for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
			if m, err := st.GetMsg(ctx, seq); err == nil {
				out = append(out, fmt.Sprintf("%d %s %s %v", m.Sequence, m.Subject, m.Data, m.Header))
			}
		}
		return out, info.State.LastSeq
	}
	streams := []jetstream.Stream{queue, keys, limits}
	var before []string
	var lasts []uint64
	for _, st := range streams {
		ms, last := state(st)
		before, lasts = append(before, ms...), append(lasts, last)
	}
	if len(before) != 81 {
		t.Fatalf("%d messages are left, want 81", len(before))
	}
	if n := holding(t, dir, "gone-"); n == 0 {
		t.Fatal("nothing of what was removed is in the files: the test shows nothing")
	}
	check := func(when string) {
		t.Helper()
		if n := holding(t, dir, "gone-"); n > 0 {
			t.Errorf("%s: what was removed is in %d files", when, n)
		}
		if n := holding(t, dir, "kept-"); n == 0 {
			t.Errorf("%s: what stays is in no file", when)
		}
		var after []string
		for i, st := range streams {
			ms, last := state(st)
			after = append(after, ms...)
			if last != lasts[i] {
				t.Errorf("%s: stream %d ends at %d, before at %d", when, i, last, lasts[i])
			}
		}
		if fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s: left are\n%v\nwant\n%v", when, after, before)
		}
	}
	for range 2 { // the second finds nothing to do
		must(unbroken(t, s, func() error { return s.Scrub(ctx) }))
		check("scrubbed")
	}
	running := s.srv.Load()
	must(s.Mend(ctx))
	if s.srv.Load() != running {
		t.Error("a server that is not broken is started again to mend it")
	}
	must(unbroken(t, s, func() error { return s.Restart(ctx) }))
	check("started again")
	put("limits.kept-more", "kept-more")
	put("queue.next", "kept-next")
	if m, err := limits.GetLastMsgForSubject(ctx, "limits.kept-more"); err != nil || m.Sequence != lasts[2]+1 {
		t.Errorf("the next message is %v, %v; want sequence %d", m, err, lasts[2]+1)
	}
	ms, err := c.Fetch(1)
	must(err)
	n := 0
	for m := range ms.Messages() {
		if string(m.Data()) != "kept-next" {
			t.Errorf("the queue delivers %s", m.Data())
		}
		n++
	}
	if n != 1 {
		t.Errorf("the queue delivers %d messages", n)
	}
}

// unbroken runs f, during which the server must not look broken to who watches it: it stands still because it was told to.
func unbroken(t *testing.T, s *Server, f func() error) error {
	t.Helper()
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			if err := s.Broken(); err != nil {
				t.Errorf("it looks broken meanwhile: %v", err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	err := f()
	close(done)
	watch.Wait()
	return err
}

// What is not as expected is left alone.
func TestScrubBlockRefusesWhatItDoesNotKnow(t *testing.T) {
	for name, b := range map[string][]byte{
		"compressed": []byte("cmp\x01aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
		"cut off":    bytes.Repeat([]byte{1}, 20),
		"no record":  bytes.Repeat([]byte{0xff}, 64),
		"damaged":    append([]byte{40, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}, make([]byte, 18)...),
	} {
		was := bytes.Clone(b)
		if n, err := scrubBlock(b, blockKey("S", 1), func(uint64) bool { return true }); err == nil || n != 0 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if !bytes.Equal(b, was) {
			t.Errorf("%s: it was changed", name)
		}
	}
}

// holding is how many files under dir hold text.
func holding(t *testing.T, dir, text string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
