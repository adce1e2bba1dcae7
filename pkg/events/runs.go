package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Run is one life of a process that holds the streams itself, so that they, and with them the server's count of deliveries
// of what is in memory, begin anew with it. An event that ends such a process would end it again and again, and nobody would
// know: so it is counted on disk, in SILT_STATE, how many lives in a row ended without a word at the same settled floor.
type Run struct {
	// Crashes is how many lives before this one ended so. One may be chance, a kill or a cut of the power; from the second
	// on an event above the floor is suspected.
	Crashes int
	Floor   uint64 // settled floor at the beginning
	// Stuck is as Crashes for requests to forget or to archive, which are carried out behind the floor: how many lives ended so
	// while they were carried out up to the same one, Carried.
	Stuck   int
	Carried uint64
	Last    uint64 // last sequence of the log then

	kv  jetstream.KeyValue
	gen int
}

// runRecord is a Run as SILT_STATE keeps it while it lasts.
type runRecord struct {
	Floor   uint64 `json:"floor"`
	Crashes int    `json:"crashes"`
	Carried uint64 `json:"carried,omitempty"`
	Stuck   int    `json:"stuck,omitempty"`
}

func keyRun(generation int) string { return "run." + strconv.Itoa(generation) }

// BeginRun notes that a process begins to work on a generation whose streams [Ensure] made. It must be the only one that
// does, which whoever holds the streams knows. [Run.End] is to be called before it ends in order.
func BeginRun(ctx context.Context, js jetstream.JetStream, generation int) (*Run, error) {
	r := &Run{gen: generation}
	if err := r.begin(ctx, js); err != nil {
		return nil, fmt.Errorf("note the beginning of work on generation %d: %w", generation, err)
	}
	return r, nil
}

func (r *Run) begin(ctx context.Context, js jetstream.JetStream) error {
	var err error
	if r.kv, err = js.KeyValue(ctx, BucketState); err != nil {
		return mapError(err)
	}
	s, err := js.Stream(ctx, StreamLog)
	if err != nil {
		return mapError(err)
	}
	r.Last = s.CachedInfo().State.LastSeq
	cp, _, err := readCheckpoint(ctx, r.kv, r.gen)
	if err != nil {
		return err
	}
	r.Floor = cp.Floor
	forget, err := s.Consumer(ctx, Durable(StageForget, r.gen))
	if err != nil {
		return mapError(err)
	}
	r.Carried = forget.CachedInfo().AckFloor.Stream
	e, err := r.kv.Get(ctx, keyRun(r.gen))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
	case err != nil:
		return mapError(err)
	default:
		var before runRecord
		r.Crashes, r.Stuck = 1, 1
		if json.Unmarshal(e.Value(), &before) == nil {
			if before.Floor == r.Floor {
				r.Crashes += before.Crashes
			}
			if before.Carried == r.Carried {
				r.Stuck += before.Stuck
			}
		}
	}
	b, err := json.Marshal(runRecord{r.Floor, r.Crashes, r.Carried, r.Stuck})
	if err != nil {
		return err
	}
	_, err = r.kv.Put(ctx, keyRun(r.gen), b)
	return mapError(err)
}

// suspectAfter is how many crashes at one floor make the events above it suspects.
const suspectAfter = 2

// Suspects reports whether ev may be what ended the lives before: it was in the log, and not settled. Such an event runs
// alone ([RouterConfig.Suspects]).
func (r *Run) Suspects(ev schema.Event) bool {
	if ev.Seq > r.Last {
		return false
	}
	late := ev.Op == schema.OpForget || ev.Op == schema.OpArchive
	return r.Crashes >= suspectAfter && ev.Seq > r.Floor || late && r.Stuck >= suspectAfter && ev.Seq > r.Carried
}

// End notes that the process ends in order.
func (r *Run) End(ctx context.Context) error {
	if err := r.kv.Purge(ctx, keyRun(r.gen)); err != nil {
		return fmt.Errorf("note the end of work on generation %d: %w", r.gen, mapError(err))
	}
	return nil
}
