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

// Checkpoint is a settled floor as SILT_STATE keeps it. It only grows. Hash is the body hash of the log entry at
// the floor, "" where that was erased: a log that was truncated, or restored from an old copy, gives its sequences
// to other events, and the floor would then skip them; see [Ensure].
type Checkpoint struct {
	Floor uint64 `json:"floor"`
	Hash  string `json:"hash,omitempty"`
}

func keyCheckpoint(generation int) string { return "checkpoint." + strconv.Itoa(generation) }

// readCheckpoint is a generation's checkpoint and its revision; both zero where there is none.
func readCheckpoint(ctx context.Context, kv jetstream.KeyValue, generation int) (Checkpoint, uint64, error) {
	e, err := kv.Get(ctx, keyCheckpoint(generation))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return Checkpoint{}, 0, nil
	}
	if err != nil {
		return Checkpoint{}, 0, fmt.Errorf("read checkpoint: %w", mapError(err))
	}
	var c Checkpoint
	if err := json.Unmarshal(e.Value(), &c); err != nil {
		return Checkpoint{}, 0, schema.Permanent(schema.CodeCorrupt, err, "checkpoint of generation %d is damaged", generation)
	}
	return c, e.Revision(), nil
}

// writeCheckpoint raises a generation's checkpoint to c; a higher one stays.
func writeCheckpoint(ctx context.Context, kv jetstream.KeyValue, generation int, c Checkpoint) error {
	b, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	for {
		have, rev, err := readCheckpoint(ctx, kv, generation)
		if err != nil || have.Floor >= c.Floor {
			return err
		}
		if rev == 0 {
			_, err = kv.Create(ctx, keyCheckpoint(generation), b)
		} else {
			_, err = kv.Update(ctx, keyCheckpoint(generation), b, rev)
		}
		if !lostRace(err) { // another process was faster: look again
			return mapError(err)
		}
	}
}

// verifyCheckpoint refuses a checkpoint that does not match the log.
func verifyCheckpoint(ctx context.Context, js jetstream.JetStream, c Checkpoint) error {
	s, err := js.Stream(ctx, StreamLog)
	if err != nil {
		return fmt.Errorf("look at the log: %w", mapError(err))
	}
	if last := s.CachedInfo().State.LastSeq; last < c.Floor {
		return schema.Permanent(schema.CodeCorrupt, nil, "the log ends at %d, below the settled floor %d: it was truncated or restored from an old copy", last, c.Floor)
	}
	if c.Hash == "" {
		return nil // nothing was settled yet
	}
	m, err := s.GetMsg(ctx, c.Floor)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil // erased, or lost, which [Witness] tells apart
	}
	if err != nil {
		return fmt.Errorf("read log entry %d: %w", c.Floor, mapError(err))
	}
	if h := m.Header[HeaderHash]; len(h) != 1 || h[0] != c.Hash {
		return schema.Permanent(schema.CodeCorrupt, nil, "log entry %d is not the event that the settled floor was taken at: the log was truncated or restored from an old copy", c.Floor)
	}
	return nil
}
