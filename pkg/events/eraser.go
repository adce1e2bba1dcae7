package events

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Eraser removes what a user has in the streams, byte for byte: a message is overwritten where it lies before it goes.
// Each of its methods may be called again and changes nothing then. It is safe for concurrent use.
type Eraser struct {
	js     jetstream.JetStream
	log    *Log
	state  jetstream.KeyValue
	orphan time.Duration // after which a raw body that nothing claims is nobody's
}

// OpenEraser opens what [Ensure] made.
func OpenEraser(ctx context.Context, js jetstream.JetStream, l *Log) (*Eraser, error) {
	kv, err := js.KeyValue(ctx, BucketState)
	if err != nil {
		return nil, fmt.Errorf("open eraser: %w", mapError(err))
	}
	return &Eraser{js: js, log: l, state: kv, orphan: orphanAge}, nil
}

// userOps are the ops of the log that have a user.
var userOps = []schema.Op{schema.OpTurn, schema.OpMemory, schema.OpPin, schema.OpForget, schema.OpSetting, schema.OpArchive}

// Entries is [Log.ScanUser] for everything that a user has in the log.
func (e *Eraser) Entries(ctx context.Context, tenant, user string, upTo uint64, fn func(schema.Event, error) error) error {
	return e.log.ScanUser(ctx, tenant, user, userOps, upTo, fn)
}

// RemoveEntries removes entries of the log by sequence. They must have been named by an erasure before: see
// [Log.Erased]. told is called after each with how many are done. The server rewrites the file of a message for each one
// that it overwrites, at most 8 MiB.
func (e *Eraser) RemoveEntries(ctx context.Context, seqs []uint64, told func(done int)) error {
	for i, seq := range seqs {
		if err := overwrite(ctx, e.log.stream, seq); err != nil {
			return fmt.Errorf("erase log entry %d: %w", seq, err)
		}
		told(i + 1)
	}
	return nil
}

// orphanAge is far longer than a body may be on its way into the log: it is stored before the message that claims it.
const orphanAge = 24 * time.Hour

// RemoveBlobs removes the bodies of events by their inside ids, raw and derived, of every generation; not those that an
// entry of the tenant's log claims which does not go, for an id may have been given twice. Raw bodies that nothing claims go
// too once they are old: what was never accepted may be anybody's, and no entry tells whose.
func (e *Eraser) RemoveBlobs(ctx context.Context, tenant string, uuids map[string]bool, goes func(seq uint64) bool) error {
	list, err := e.log.blobs.store.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list blobs: %w", mapError(err))
	}
	names := map[string]bool{}
	var old []string
	for _, o := range list {
		p := strings.Split(o.Name, ".")
		if len(p) >= 3 && uuids[p[2]] { // as blobName makes them
			names[o.Name] = true
		} else if p[0] == stageRaw && time.Since(o.ModTime) >= e.orphan {
			old = append(old, o.Name)
		}
	}
	orphans, err := e.unclaimed(ctx, old)
	if err != nil {
		return err
	}
	for _, name := range orphans {
		if err := e.log.blobs.erase(ctx, name); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return nil
	}
	err = walk(ctx, e.js, StreamLog, 1, []string{LogFilter(tenant, "")}, true, func(seq uint64, m jetstream.Msg) error {
		if name, _, err := parseClaim(m.Headers()[HeaderClaim]); err == nil && !goes(seq) {
			delete(names, name)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for claims in the log: %w", err)
	}
	for name := range names {
		if err := e.log.blobs.erase(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// unclaimed are those of names that nothing claims: no entry of the log, of any tenant, and no dead letter. While publishes
// wait for intake, which nobody else may read, there are none. Names are of bodies that were stored long ago, so that who
// claims one has done so.
func (e *Eraser) unclaimed(ctx context.Context, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	in, err := e.js.Stream(ctx, StreamIn)
	if err != nil {
		return nil, fmt.Errorf("look at what waits for intake: %w", mapError(err))
	}
	if in.CachedInfo().State.Msgs > 0 {
		return nil, nil
	}
	// What has left it since is in one of these: it gets there first.
	claims, err := e.log.blobs.deadClaims(ctx)
	if err != nil {
		return nil, err
	}
	err = walk(ctx, e.js, StreamLog, 1, []string{SubjectsLog}, true, func(_ uint64, m jetstream.Msg) error {
		if name, _, err := parseClaim(m.Headers()[HeaderClaim]); err == nil {
			claims[name] = true
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for claims in the log: %w", err)
	}
	return slices.DeleteFunc(names, func(n string) bool { return claims[n] }), nil
}

// RemoveWork removes what a generation has still to do for a user of what the log held up to sequence upTo.
func (e *Eraser) RemoveWork(ctx context.Context, generation int, tenant, user string, upTo uint64) error {
	s, err := e.js.Stream(ctx, WorkStream(generation))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open work stream: %w", mapError(err))
	}
	filters := []string{WorkSubject(generation, schema.OpCleaned, tenant, user), WorkSubject(generation, schema.OpFact, tenant, user)}
	err = walk(ctx, e.js, WorkStream(generation), 1, filters, true, func(seq uint64, m jetstream.Msg) error {
		if env, err := ParseEnvelope(m.Headers()); err != nil || env.User != user || env.Seq > upTo {
			return nil
		}
		return overwrite(ctx, s, seq)
	})
	if err != nil {
		return fmt.Errorf("erase work of generation %d: %w", generation, err)
	}
	return nil
}

// RemoveState removes what SILT_STATE has of a user: settings, what was injected, the jobs of requests to forget and to
// archive that are erased themselves, and what the tenant's audits found, for they name events.
func (e *Eraser) RemoveState(ctx context.Context, tenant, user string) error {
	s, err := e.js.Stream(ctx, "KV_"+BucketState)
	if err != nil {
		return fmt.Errorf("open state: %w", mapError(err))
	}
	// With a marker first, for who watches the bucket.
	if err := e.state.Purge(ctx, keySetting(tenant, user)); err != nil {
		return fmt.Errorf("erase settings: %w", mapError(err))
	}
	keys := []string{keySetting(tenant, user), keyInjectedOf(tenant, user) + ".*"}
	erased, err := e.log.Erased(ctx)
	if err != nil {
		return err
	}
	list, err := e.state.ListKeysFiltered(ctx, "job.*")
	if err != nil {
		return fmt.Errorf("list jobs: %w", mapError(err))
	}
	defer func() { _ = list.Stop() }()
	for key := range list.Keys() {
		owner, ok := schema.Untoken(strings.TrimPrefix(key, "job."))
		if !ok || !strings.HasPrefix(owner, tenant+"\x00") {
			continue
		}
		entry, err := e.state.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read job: %w", mapError(err))
		}
		var job schema.Job
		if json.Unmarshal(entry.Value(), &job) != nil {
			continue
		}
		if job.Audit != nil && len(job.Audit.Found) > 0 || job.Forget != nil && named(erased, job.Forget.Seq) ||
			job.Archive != nil && named(erased, job.Archive.Seq) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if err := s.Purge(ctx, jetstream.WithPurgeSubject("$KV."+BucketState+"."+key)); err != nil {
			return fmt.Errorf("erase state: %w", mapError(err))
		}
	}
	return nil
}

// Keys of erasures are kept for so long: longer than any worker that knows of the user may hang.
const (
	erasureBegun = 30 * 24 * time.Hour
	erasureDone  = 7 * 24 * time.Hour
)

func keyErasure(id string) string { return "erasure." + schema.Token(id) }

// Begin keeps the key of an erasure, by which its mark is understood.
func (e *Eraser) Begin(ctx context.Context, id string, key schema.ErasureKey) error {
	return e.keepKey(ctx, id, key, erasureBegun)
}

// End has the key of an erasure that is done expire. Without it nobody can tell whose the mark was.
func (e *Eraser) End(ctx context.Context, id string, key schema.ErasureKey) error {
	return e.keepKey(ctx, id, key, erasureDone)
}

func (e *Eraser) keepKey(ctx context.Context, id string, key schema.ErasureKey, ttl time.Duration) error {
	if _, err := e.js.Publish(ctx, "$KV."+BucketState+"."+keyErasure(id), key, jetstream.WithMsgTTL(ttl)); err != nil {
		return fmt.Errorf("keep the key of an erasure: %w", mapError(err))
	}
	return nil
}

// Key is the key of an erasure, nil once it has expired.
func (e *Eraser) Key(ctx context.Context, id string) (schema.ErasureKey, error) {
	entry, err := e.state.Get(ctx, keyErasure(id))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of an erasure: %w", mapError(err))
	}
	return entry.Value(), nil
}

// overwrite overwrites and removes a message; one that is gone is removed.
func overwrite(ctx context.Context, s jetstream.Stream, seq uint64) error {
	err := s.SecureDeleteMsg(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) { // another process may have been faster
		if _, look := s.GetMsg(ctx, seq); errors.Is(look, jetstream.ErrMsgNotFound) {
			err = nil
		}
	}
	if err != nil {
		return mapError(err)
	}
	return nil
}

// erase overwrites and removes a blob, chunk by chunk, with its description last, which leads to the chunks. One that is
// gone is erased; one that is claimed elsewhere must not be.
func (b *Blobs) erase(ctx context.Context, name string) error {
	info, err := b.store.GetInfo(ctx, name, jetstream.GetObjectInfoShowDeleted())
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for blob %s: %w", name, mapError(err))
	}
	stream := "OBJ_" + StoreBlobs
	s, err := b.js.Stream(ctx, stream)
	if err != nil {
		return fmt.Errorf("open blobs: %w", mapError(err))
	}
	chunks := "$O." + StoreBlobs + ".C." + info.NUID
	err = walk(ctx, b.js, stream, 1, []string{chunks}, true, func(seq uint64, _ jetstream.Msg) error { return overwrite(ctx, s, seq) })
	if err == nil {
		var m *jetstream.RawStreamMsg
		m, err = s.GetLastMsgForSubject(ctx, "$O."+StoreBlobs+".M."+objectName(name))
		if err == nil {
			err = overwrite(ctx, s, m.Sequence)
		} else if errors.Is(err, jetstream.ErrMsgNotFound) {
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("erase blob %s: %w", name, mapError(err))
	}
	return nil
}

// objectName is the name of an object as its subject holds it.
func objectName(name string) string { return base64.URLEncoding.EncodeToString([]byte(name)) }
