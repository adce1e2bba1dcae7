package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// claimed is the body of a message whose real body is a blob. It is not empty: the client library takes an empty
// message with a status header for one of its own.
var claimed = []byte("@")

// stageRaw is what stands for a stage in the names of raw bodies: those of the log, and of what is on its way to it.
const stageRaw = "in"

// Metadata of a blob: which generation and log sequence it belongs to, so that [Blobs.Sweep] finds what is over.
const (
	metaGeneration = "generation"
	metaSeq        = "seq"
)

var seed = maphash.MakeSeed()

// Blobs is the claim check: a body too large for a message is stored before the message is published, and the
// message carries its name and hash ([HeaderClaim]). A blob is never overwritten; its name says event and stage,
// so that forgetting an event need look at no other's. It is safe for concurrent use.
type Blobs struct {
	js    jetstream.JetStream
	store jetstream.ObjectStore
	put   [64]sync.Mutex // by name: two puts of one name in this process do not race
}

// OpenBlobs opens the store that [Ensure] made.
func OpenBlobs(ctx context.Context, js jetstream.JetStream) (*Blobs, error) {
	s, err := js.ObjectStore(ctx, StoreBlobs)
	if err != nil {
		return nil, fmt.Errorf("open blobs: %w", mapError(err))
	}
	return &Blobs{js: js, store: s}, nil
}

// Encode is ev, which stage publishes into a work stream, as headers and body: over [MaxInWork] bytes the body is
// stored first. It fits [Publisher.Events].
func (b *Blobs) Encode(ctx context.Context, stage string, ev schema.Event) (nats.Header, []byte, error) {
	return b.encode(ctx, stage, ev, MaxInWork)
}

func (b *Blobs) encode(ctx context.Context, stage string, ev schema.Event, limit int) (nats.Header, []byte, error) {
	h := Headers(ev.Envelope)
	if len(ev.Body) <= limit {
		return h, ev.Body, nil
	}
	hash := schema.Hash(ev.Body)
	name := blobName(stage, ev, hash)
	if err := b.keep(ctx, name, hash, ev); err != nil {
		return nil, nil, err
	}
	crash.At(crash.BlobStored)
	h[HeaderClaim] = []string{name + " " + hash}
	return h, claimed, nil
}

// blobName is <stage>.<generation>.<uuid>.<mark>[.<attempt>]. The mark keeps apart two bodies that one id was
// given: the second must not take the place of the first, nor be read for it.
func blobName(stage string, ev schema.Event, hash string) string {
	n := stage + "." + strconv.Itoa(ev.Generation) + "." + ev.UUID + "." + schema.UUID(ev.UUID, stage, hash)[:8]
	if ev.Attempt > 0 {
		n += "." + strconv.Itoa(ev.Attempt)
	}
	return n
}

func (b *Blobs) keep(ctx context.Context, name, hash string, ev schema.Event) error {
	m := &b.put[int(maphash.String(seed, name)%uint64(len(b.put)))]
	m.Lock()
	defer m.Unlock()
	info, err := b.store.GetInfo(ctx, name)
	if err == nil && info.Size == uint64(len(ev.Body)) {
		return nil // the name holds the hash: it is this body, from an earlier attempt
	}
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("look for blob %s: %w", name, mapError(err))
	}
	meta := jetstream.ObjectMeta{Name: name, Metadata: map[string]string{
		metaGeneration: strconv.Itoa(ev.Generation), metaSeq: strconv.FormatUint(ev.Seq, 10),
	}}
	if _, err := b.store.Put(ctx, meta, bytes.NewReader(ev.Body)); err != nil {
		return fmt.Errorf("store blob %s: %w", name, mapError(err))
	}
	return nil
}

// Resolve is the body that a message stands for: body itself without a claim, else the blob's bytes, checked
// against the hash in the claim. A missing blob is retryable (a follower may lag); bytes that do not match are a
// permanent [schema.CodeCorrupt].
func (b *Blobs) Resolve(ctx context.Context, h nats.Header, body []byte) ([]byte, error) {
	c, ok := h[HeaderClaim]
	if !ok {
		return body, nil
	}
	name, hash, err := parseClaim(c)
	if err != nil {
		return nil, err
	}
	data, err := b.read(ctx, name)
	switch {
	case errors.Is(err, jetstream.ErrObjectNotFound):
		return nil, missingBlob(name, err)
	case errors.Is(err, jetstream.ErrDigestMismatch):
		return nil, schema.Permanent(schema.CodeCorrupt, err, "blob %s is damaged", name)
	case err != nil:
		return nil, fmt.Errorf("read blob %s: %w", name, mapError(err))
	case schema.Hash(data) != hash:
		return nil, schema.Permanent(schema.CodeCorrupt, nil, "blob %s does not match its claim", name)
	}
	return data, nil
}

// Size is how many bytes the body has that the headers of a message claim, without reading it; 0 where they claim
// none. Errors are those of [Blobs.Resolve].
func (b *Blobs) Size(ctx context.Context, h nats.Header) (int64, error) {
	c, ok := h[HeaderClaim]
	if !ok {
		return 0, nil
	}
	name, _, err := parseClaim(c)
	if err != nil {
		return 0, err
	}
	info, err := b.store.GetInfo(ctx, name)
	switch {
	case errors.Is(err, jetstream.ErrObjectNotFound):
		return 0, missingBlob(name, err)
	case err != nil:
		return 0, fmt.Errorf("look for blob %s: %w", name, mapError(err))
	}
	return int64(min(info.Size, math.MaxInt64)), nil
}

// missingBlob is retryable: a follower may lag.
func missingBlob(name string, err error) error {
	return schema.Retryable(schema.CodeNotFound, 0, err, "blob %s is not there", name)
}

// believed is up to which size a blob is believed to be as long as its description says: whoever may write blobs may
// write there what he likes.
const believed = 32 << 20

// read is a blob's bytes. Room is made for all of them at once, as far as its size can be believed: GetBytes would grow a
// buffer, and leave as much again behind.
func (b *Blobs) read(ctx context.Context, name string) ([]byte, error) {
	o, err := b.store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	info, err := o.Info()
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	size := int64(min(info.Size, math.MaxInt64))
	data := bytes.NewBuffer(make([]byte, 0, min(size, believed)+bytes.MinRead)) // ReadFrom would grow a full one to see the end
	_, err = data.ReadFrom(io.LimitReader(o, size))                             // one that is shorter or longer: its hash will tell
	return data.Bytes(), errors.Join(err, o.Close())
}

// Delete removes the blob that the headers of a message claim; it does nothing where they claim none or it is
// gone.
func (b *Blobs) Delete(ctx context.Context, h nats.Header) error {
	c, ok := h[HeaderClaim]
	if !ok {
		return nil
	}
	name, _, err := parseClaim(c)
	if err != nil {
		return err
	}
	if err := b.store.Delete(ctx, name); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("delete blob %s: %w", name, mapError(err))
	}
	return nil
}

// Sweep removes the blobs of a generation's work messages whose event is settled (its sequence is at or below
// floor), and returns how many. Raw bodies (generation 0) are never swept, nor is what a dead letter claims: floor
// must have been read before the call, so that what was dead-lettered on the way to it is seen. It lists the
// whole store and all dead letters: once in some minutes is plenty.
func (b *Blobs) Sweep(ctx context.Context, generation int, floor uint64) (int, error) {
	list, err := b.store.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("list blobs: %w", mapError(err))
	}
	dead, err := b.deadClaims(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, o := range list {
		gen, err := strconv.Atoi(o.Metadata[metaGeneration])
		seq, err2 := strconv.ParseUint(o.Metadata[metaSeq], 10, 64)
		if err != nil || err2 != nil || gen < 1 || gen != generation || seq == 0 || seq > floor || dead[o.Name] {
			continue
		}
		if err := b.store.Delete(ctx, o.Name); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
			return n, fmt.Errorf("delete blob %s: %w", o.Name, mapError(err))
		}
		n++
	}
	return n, nil
}

// deadClaims is the names of the blobs that dead letters claim.
func (b *Blobs) deadClaims(ctx context.Context) (map[string]bool, error) {
	names := map[string]bool{}
	err := walk(ctx, b.js, StreamDLQ, 1, []string{SubjectsDLQ}, true, func(_ uint64, m jetstream.Msg) error {
		if name, _, err := parseClaim(m.Headers()[HeaderClaim]); err == nil {
			names[name] = true
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look through the dead letters: %w", err)
	}
	return names, nil
}

func parseClaim(c []string) (name, hash string, err error) {
	if len(c) == 1 {
		if name, hash, ok := strings.Cut(c[0], " "); ok && name != "" && isHex(hash, 64) {
			return name, hash, nil
		}
	}
	return "", "", schema.Invalid(HeaderClaim, "is not a name and a hash")
}
