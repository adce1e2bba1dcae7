package events

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// The work stream of a generation reserves memory: one generation too many is refused before it is registered, and what
// was made to find out is gone.
func TestRoomForOneMoreGeneration(t *testing.T) {
	js := eventstest.JetStream(t, eventstest.Server(t, func(o *server.Options) { o.JetStreamMaxMemory = 40 << 20 }))
	top := DefaultTopology()
	top.WorkMaxBytes = 16 << 20
	made := 0
	for ; made < 5; made++ {
		err := Room(t.Context(), js, top)
		if schema.CodeOf(err) == schema.CodeConflict {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := js.CreateStream(t.Context(), top.Work(made+1)); err != nil {
			t.Fatalf("there was said to be room for generation %d: %v", made+1, err)
		}
	}
	if made != 2 {
		t.Errorf("room for %d generations of 16 MB in 40 MB", made)
	}
	if _, err := js.Stream(t.Context(), roomStream); err == nil {
		t.Error("the stream that was made to look is still there")
	}
	if err := js.DeleteStream(t.Context(), WorkStream(1)); err != nil {
		t.Fatal(err)
	}
	if err := Room(t.Context(), js, top); err != nil {
		t.Errorf("after one was pruned: %v", err)
	}
}
