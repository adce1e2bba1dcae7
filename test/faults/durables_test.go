package faults

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// A durable that somebody deletes under its worker is made anew where the log was settled to: what comes next is worked on, and
// what was settled before is not worked on again. One that is moved back does again what it did since then, to the same.
func TestB1_DurablesThatAreDeletedComeBackAtTheCheckpoint(t *testing.T) {
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Pipeline.AckWait = 2 * time.Second // after a stream was made anew clean is held for so long
	s := stacktest.Up(t, cfg)
	c := s.As(t, "durables")
	js, err := jetstream.New(stacktest.Dial(t, s.Connect(t)))
	if err != nil {
		t.Fatal(err)
	}
	const before, more = 120, 10
	n := 0
	put := func(many int) {
		t.Helper()
		turns := make([]schema.Turn, many)
		for i := range turns {
			turns[i] = flood(n + i)
		}
		n += many
		c.PutMany(turns)
		if l := c.Settle().Ledger; l != (schema.Ledger{Accepted: uint64(n), Indexed: uint64(n)}) {
			t.Fatalf("the ledger is %+v, want %d indexed", l, n)
		}
	}
	handled := func() map[string]int {
		out := map[string]int{}
		for _, stage := range []string{events.StageClean, events.StageVectorize, events.StageExtract, events.StageDistill, events.StageDecide} {
			out[stage] = s.Handled(t, stage)
		}
		return out
	}
	put(before)
	for _, x := range []struct{ stream, durable string }{
		{events.StreamLog, events.Durable(events.StageClean, 1)},
		{events.StreamLog, events.Durable(events.StageForget, 1)},
		{events.WorkStream(1), events.Durable(events.StageExtract, 1)},
		{events.WorkStream(1), events.Durable(events.StageDecide, 1)},
		{events.StreamIn, events.StageIntake},
	} {
		floor, was := c.Settle().Floor, handled()
		stacktest.Eventually(t, "the floor to be written down", func() error { return checkpointed(t, js, floor) })
		if err := js.DeleteConsumer(t.Context(), x.stream, x.durable); err != nil {
			t.Fatal(err)
		}
		put(more)
		for stage, did := range handled() {
			if again := did - was[stage] - more; again > more {
				t.Errorf("after %s was deleted %s worked on %d events again", x.durable, stage, again)
			}
		}
		stacktest.Eventually(t, x.durable+" to be back", func() error {
			_, err := js.Consumer(t.Context(), x.stream, x.durable)
			return err
		})
	}
	clean, err := js.Consumer(t.Context(), events.StreamLog, events.Durable(events.StageClean, 1))
	if err != nil {
		t.Fatal(err)
	}
	back := max(clean.CachedInfo().Config.OptStartSeq, 1) // a server moves none to before its beginning
	if _, err := js.ResetConsumerToSequence(t.Context(), events.StreamLog, clean.CachedInfo().Name, back); err != nil {
		t.Fatal(err)
	}
	put(more)
	searchableOnce(t, c, numbers(0, n))
}

// checkpointed is an error until the checkpoint of generation 1 has reached floor.
func checkpointed(t *testing.T, js jetstream.JetStream, floor uint64) error {
	t.Helper()
	kv, err := js.KeyValue(t.Context(), events.BucketState)
	if err != nil {
		return err
	}
	e, err := kv.Get(t.Context(), "checkpoint.1")
	if err != nil {
		return err
	}
	var c events.Checkpoint
	if err := json.Unmarshal(e.Value(), &c); err != nil {
		return err
	}
	if c.Floor < floor {
		return fmt.Errorf("it is at %d of %d", c.Floor, floor)
	}
	return nil
}
