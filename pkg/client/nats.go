package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nats.go/micro"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// NATS talks to Siltstone over a NATS connection: to the services silt.ingest, silt.query, silt.forget, silt.archive and silt.status,
// and, with Enqueue, into the stream SILT_IN. Safe for concurrent use.
type NATS struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	tenant  string
	account bool
	timeout time.Duration

	mu    sync.Mutex
	blobs *events.Blobs // opened with the first large body
}

// NATSOption changes one thing of a NATS client.
type NATSOption interface{ applyNATS(*NATS) error }

type natsOption func(*NATS) error

func (o natsOption) applyNATS(n *NATS) error { return o(n) }

// WithTimeout bounds every call whose context has no deadline; without it 10 s. A write that waits for the index has at
// least 30 s.
func WithTimeout(d time.Duration) NATSOption {
	return natsOption(func(n *NATS) error {
		if d <= 0 {
			return schema.Invalid("timeout", "must be positive")
		}
		n.timeout = d
		return nil
	})
}

// InTenantAccount is for a connection in an account of the tenant's own, which imports Siltstone's services (see
// deploy/nats/accounts.conf). The account says whose the requests are, so a tenant cannot be named beside it. Such an
// account does not reach the object store: a turn over the server's message limit has to go over HTTP.
func InTenantAccount() NATSOption {
	return natsOption(func(n *NATS) error { n.account = true; return nil })
}

// subjectOwnIn is where a tenant's own account imports its events.InSubject.
const subjectOwnIn = "silt.in"

// headerWait asks silt.ingest to answer once what it accepted is searchable.
const headerWait = "Silt-Wait"

// defaultTenant is whose a request without a name is.
const defaultTenant = "default"

// NewNATS returns a client over nc, which it neither closes nor changes. It does not touch the network.
func NewNATS(nc *nats.Conn, opts ...NATSOption) (*NATS, error) {
	if nc == nil {
		return nil, schema.Invalid("nc", "must not be nil")
	}
	n := &NATS{nc: nc, timeout: 10 * time.Second}
	for _, o := range opts {
		if err := o.applyNATS(n); err != nil {
			return nil, fmt.Errorf("new NATS client: %w", err)
		}
	}
	if n.account && n.tenant != "" {
		return nil, schema.Invalid("tenant", "is the account's where the connection is in the tenant's own")
	}
	if n.tenant == "" {
		n.tenant = defaultTenant
	}
	var err error
	if n.js, err = jetstream.New(nc); err != nil {
		return nil, fmt.Errorf("new NATS client: %w", err)
	}
	return n, nil
}

// Publish offers one turn to an ingester and returns once the log has it. Where the turn has no id the server draws
// one, and then a second try is a second event: give ids to be able to repeat. Where no ingester runs the error is
// [schema.CodeUnavailable]; [NATS.Enqueue] needs none.
func (n *NATS) Publish(ctx context.Context, t schema.Turn, opts ...WriteOption) (schema.Accepted, error) {
	raw, err := encode(t)
	if err != nil {
		return schema.Accepted{}, fmt.Errorf("encode turn: %w", err)
	}
	if len(raw) > n.room() && t.ID == "" { // its claim needs a name
		t.ID = newID()
		if raw, err = encode(t); err != nil {
			return schema.Accepted{}, fmt.Errorf("encode turn: %w", err)
		}
	}
	return n.PublishRaw(ctx, raw, opts...)
}

// PublishRaw offers one turn as JSON; those bytes are what the raw layer keeps. One that does not fit into a message
// must have an id.
func (n *NATS) PublishRaw(ctx context.Context, raw []byte, opts ...WriteOption) (out schema.Accepted, err error) {
	m := &nats.Msg{Subject: events.SubjectIngest, Header: nats.Header{}, Data: raw}
	ctx, cancel := n.boundWrite(ctx, m, opts)
	defer cancel()
	if len(raw) > n.room() {
		t, err := schema.Decode[schema.Turn](raw)
		if err != nil {
			return out, fmt.Errorf("publish turn: %w", err)
		}
		if err := n.claim(ctx, t.ID, m); err != nil {
			return out, err
		}
	}
	err = n.do(ctx, m, &out)
	return out, err
}

// Enqueue hands one turn over and returns its id once the server has stored it on its way to intake, whether or not
// an ingester runs. A turn without an id is given one, so that nothing is doubled on the way. An invalid turn is
// refused here, naming the field: later there is nobody to tell. On an error the id is returned too; handing the turn
// over again under it is safe.
func (n *NATS) Enqueue(ctx context.Context, t schema.Turn) (id string, err error) {
	if t.ID == "" {
		t.ID = newID()
	}
	if err := t.Validate(); err != nil {
		return t.ID, fmt.Errorf("enqueue turn: %w", err)
	}
	raw, err := encode(t)
	if err != nil {
		return t.ID, fmt.Errorf("encode turn: %w", err)
	}
	return t.ID, n.enqueue(ctx, t.ID, raw)
}

// EnqueueRaw hands over one turn as JSON; those bytes are what the raw layer keeps. It returns the id in them, "" where
// there is none; such a turn is a new event with every try, and must fit into a message.
func (n *NATS) EnqueueRaw(ctx context.Context, raw []byte) (id string, err error) {
	t, err := schema.Decode[schema.Turn](raw)
	if err != nil {
		return t.ID, fmt.Errorf("enqueue turn: %w", err)
	}
	return t.ID, n.enqueue(ctx, t.ID, raw)
}

func (n *NATS) enqueue(ctx context.Context, id string, raw []byte) error {
	ctx, cancel := bound(ctx, n.timeout)
	defer cancel()
	m := &nats.Msg{Subject: events.InSubject(n.tenant), Header: nats.Header{}, Data: raw}
	if n.account {
		m.Subject = subjectOwnIn
	}
	if id != "" {
		// The body's hash is part of it: another body under the same id has to reach intake, which refuses it.
		m.Header[jetstream.MsgIDHeader] = []string{events.LogMsgID(schema.EventUUID(n.tenant, id)) + ":" + schema.Hash(raw)[:16]}
	}
	if len(raw) > n.largest() {
		if err := n.claim(ctx, id, m); err != nil {
			return err
		}
	}
	if _, err := n.js.PublishMsg(ctx, m, jetstream.WithExpectStream(events.StreamIn)); err != nil {
		return natsError("enqueue turn", err)
	}
	return nil
}

// largest is the longest body that goes into a message of a stream.
func (n *NATS) largest() int {
	if n.account {
		return n.room()
	}
	return min(events.MaxInWork, n.room())
}

// room is what the server's limit leaves for a body beside the headers.
func (n *NATS) room() int { return max(0, int(n.nc.MaxPayload())-1024) }

// claim stores the body of m in the object store and leaves its claim in m.
func (n *NATS) claim(ctx context.Context, id string, m *nats.Msg) error {
	if n.account {
		return schema.Permanent(schema.CodeTooLarge, nil, "publish turn: %d bytes do not fit into a message, and the object store is beyond a tenant's account: use HTTP", len(m.Data))
	}
	if id == "" {
		return schema.Invalid("id", "is required of a turn over %d bytes", events.MaxInWork)
	}
	blobs, err := n.openBlobs(ctx)
	if err != nil {
		return natsError("publish turn", err)
	}
	// The name is the one under which the log will keep this body: intake finds it there, nothing is stored twice and
	// nothing is left over.
	ev := schema.Event{Envelope: schema.Envelope{UUID: schema.EventUUID(n.tenant, id)}, Body: m.Data}
	h, body, err := blobs.Encode(ctx, "in", ev)
	if err != nil {
		return natsError("publish turn", err)
	}
	m.Header[events.HeaderClaim], m.Data = h[events.HeaderClaim], body
	return nil
}

func (n *NATS) openBlobs(ctx context.Context) (*events.Blobs, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.blobs == nil {
		b, err := events.OpenBlobs(ctx, n.js)
		if err != nil {
			return nil, err
		}
		n.blobs = b
	}
	return n.blobs, nil
}

// Query asks a user's memory.
func (n *NATS) Query(ctx context.Context, q schema.Query) (out schema.Reply, err error) {
	err = n.request(ctx, events.SubjectQuery, q, &out)
	return out, err
}

// Forget makes a user's turns and memories go; with DryRun it only says what would.
func (n *NATS) Forget(ctx context.Context, f schema.Forget) (out schema.ForgetReply, err error) {
	err = n.request(ctx, events.SubjectForget, f, &out)
	return out, err
}

// Archive prunes turns of a user, of each of which the index keeps a document; with DryRun it only says which.
func (n *NATS) Archive(ctx context.Context, a schema.Archive) (out schema.ArchiveReply, err error) {
	err = n.request(ctx, events.SubjectArchive, a, &out)
	return out, err
}

// Status tells how far the pipeline is for the tenant.
func (n *NATS) Status(ctx context.Context) (out schema.StatusReply, err error) {
	ctx, cancel := bound(ctx, n.timeout)
	defer cancel()
	err = n.do(ctx, &nats.Msg{Subject: events.SubjectStatus, Header: nats.Header{}}, &out)
	return out, err
}

// request calls a service of Siltstone's.
func (n *NATS) request(ctx context.Context, subject string, in, out any) error {
	ctx, cancel := bound(ctx, n.timeout)
	defer cancel()
	b, err := encode(in)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	return n.do(ctx, &nats.Msg{Subject: subject, Header: nats.Header{}, Data: b}, out)
}

// do sends a request and reads the answer.
func (n *NATS) do(ctx context.Context, m *nats.Msg, out any) error {
	if !n.account {
		m.Header[events.HeaderTenant] = []string{n.tenant}
	}
	res, err := n.nc.RequestMsgWithContext(ctx, m)
	if err != nil {
		return natsError("request "+m.Subject, err)
	}
	if code := res.Header.Get(micro.ErrorCodeHeader); code != "" || res.Header.Get(micro.ErrorHeader) != "" {
		var w schema.WireError
		if err := json.Unmarshal(res.Data, &w); err != nil || w.Code == "" {
			status, _ := strconv.Atoi(code)
			w = schema.WireError{Code: codeOf(status), Message: res.Header.Get(micro.ErrorHeader)}
		}
		after := retryAfter(res.Header.Get("Retry-After"))
		e := answered(w, after)
		if after > 0 { // the service says so, whatever the code
			e.Retry, e.After = true, after
		}
		return e
	}
	if err := json.Unmarshal(res.Data, out); err != nil {
		return schema.Permanent(schema.CodeInternal, err, "%s answers with something else than the JSON expected", m.Subject)
	}
	return nil
}

// bound gives ctx a time limit unless it has one.
func bound(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// waitLimit is how long the services answer at most, a wait for the index included.
const waitLimit = 30 * time.Second

// boundWrite puts what the options of a write say into its message, and bounds it: a wait is given its time.
func (n *NATS) boundWrite(ctx context.Context, m *nats.Msg, opts []WriteOption) (context.Context, context.CancelFunc) {
	if !writeOf(opts).wait {
		return bound(ctx, n.timeout)
	}
	m.Header[headerWait] = []string{"indexed"}
	return bound(ctx, max(n.timeout, waitLimit))
}

// newID draws 128 random bits.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}
