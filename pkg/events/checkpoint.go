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
	// Nothing but an erasure removes entries from the log, and it names them: any other hole in it is damage, for the server
	// passes over what it cannot read.
	erased, err := holes(ctx, js, s)
	if err != nil {
		return err
	}
	if c.Hash == "" {
		return nil // nothing was settled yet
	}
	m, err := s.GetMsg(ctx, c.Floor)
	if errors.Is(err, jetstream.ErrMsgNotFound) && named(erased, c.Floor) {
		return nil
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return schema.Permanent(schema.CodeCorrupt, nil, "log entry %d, at the settled floor, cannot be read: the log was damaged; restore it from a copy", c.Floor)
	}
	if err != nil {
		return fmt.Errorf("read log entry %d: %w", c.Floor, mapError(err))
	}
	if h := m.Header[HeaderHash]; len(h) != 1 || h[0] != c.Hash {
		return schema.Permanent(schema.CodeCorrupt, nil, "log entry %d is not the event that the settled floor was taken at: the log was truncated or restored from an old copy", c.Floor)
	}
	return nil
}

// holes refuses a log in which an entry is missing that no erasure names. It returns what erasures name.
func holes(ctx context.Context, js jetstream.JetStream, s jetstream.Stream) ([]schema.SequenceRange, error) {
	st := s.CachedInfo().State
	whole := st.LastSeq + 1 - st.FirstSeq
	if st.LastSeq < st.FirstSeq || st.Msgs == whole && st.NumDeleted == 0 && st.FirstSeq <= 1 {
		return nil, nil
	}
	l, err := OpenLog(ctx, js)
	if err != nil {
		return nil, err
	}
	erased, err := l.Erased(ctx)
	if err != nil {
		return nil, err
	}
	info, err := s.Info(ctx, jetstream.WithDeletedDetails(true))
	if err != nil {
		return nil, fmt.Errorf("look for holes in the log: %w", mapError(err))
	}
	missing := 0
	for _, seq := range info.State.Deleted {
		if !named(erased, seq) {
			missing++
		}
	}
	if missing > 0 {
		return nil, schema.Permanent(schema.CodeCorrupt, nil, "the log holds %d entries from %d to %d, %d are missing that no erasure names: it was damaged; restore it from a copy", st.Msgs, st.FirstSeq, st.LastSeq, missing)
	}
	return erased, nil
}
