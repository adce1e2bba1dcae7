package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// DeadLetters reads what lies in SILT_DLQ, and takes letters out. Safe for concurrent use, also by several processes.
type DeadLetters struct {
	js     jetstream.JetStream
	stream jetstream.Stream
	blobs  *Blobs
	kv     jetstream.KeyValue
}

// OpenDeadLetters opens the stream and the buckets that [Ensure] made.
func OpenDeadLetters(ctx context.Context, js jetstream.JetStream, blobs *Blobs) (*DeadLetters, error) {
	s, err := js.Stream(ctx, StreamDLQ)
	if err != nil {
		return nil, fmt.Errorf("open dead letters: %w", mapError(err))
	}
	kv, err := js.KeyValue(ctx, BucketState)
	if err != nil {
		return nil, fmt.Errorf("open dead letters: %w", mapError(err))
	}
	return &DeadLetters{js: js, stream: s, blobs: blobs, kv: kv}, nil
}

// errEnough ends a walk that has what it came for.
var errEnough = errors.New("enough")

// List is a tenant's dead letters ("" for all tenants) in the order in which they were buried, after the position after
// (0 for all), at most limit of them, without bodies. next is the position to go on after, 0 at the end. What is no letter
// of ours is left out, and of several with one id all but the last: a process that died left them, [DeadLetters.Tidy].
func (d *DeadLetters) List(ctx context.Context, tenant string, after uint64, limit int) (out []DeadLetter, next uint64, err error) {
	filter := SubjectsDLQ
	if tenant != "" {
		filter = dlqFilter(tenant)
	}
	var last uint64
	at := map[string]int{} // by subject
	err = walk(ctx, d.js, StreamDLQ, after+1, []string{filter}, true, func(seq uint64, m jetstream.Msg) error {
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		l, err := ParseDeadLetter(m.Headers(), nil, md.Timestamp)
		if err != nil {
			return nil
		}
		if len(out) == limit {
			next = last
			return errEnough
		}
		l.ID, _ = DeadID(m.Subject())
		if before, ok := at[m.Subject()]; ok {
			out[before].ID = ""
		}
		at[m.Subject()] = len(out)
		out, last = append(out, l), seq
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, 0, fmt.Errorf("list dead letters: %w", err)
	}
	if len(at) < len(out) {
		out = slices.DeleteFunc(out, func(l DeadLetter) bool { return l.ID == "" })
	}
	return out, next, nil
}

// Tidy removes those letters of an id whose place a later one has taken and which a process that died left.
func (d *DeadLetters) Tidy(ctx context.Context, tenant, id string) error {
	subject, ok := deadSubject(tenant, id)
	if !ok {
		return noLetter()
	}
	return tidyLetters(ctx, d.stream, subject)
}

// Each calls fn with every dead letter of all tenants, without bodies, until fn errs.
func (d *DeadLetters) Each(ctx context.Context, fn func(DeadLetter) error) error {
	info, err := d.stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("look at the dead letters: %w", mapError(err))
	}
	if info.State.Msgs == 0 {
		return nil
	}
	for after := uint64(0); ; {
		page, next, err := d.List(ctx, "", after, deadPage)
		if err != nil {
			return err
		}
		for _, l := range page {
			if err := fn(l); err != nil {
				return err
			}
		}
		if after = next; next == 0 {
			return nil
		}
	}
}

// deadPage is how many letters Each holds at a time.
const deadPage = 1000

// Get is a tenant's dead letter with the body of the message, where that claims none; [schema.CodeNotFound] where there
// is no letter of this id.
func (d *DeadLetters) Get(ctx context.Context, tenant, id string) (DeadLetter, error) {
	l, _, err := d.get(ctx, tenant, id)
	return l, err
}

func (d *DeadLetters) get(ctx context.Context, tenant, id string) (DeadLetter, *jetstream.RawStreamMsg, error) {
	subject, ok := deadSubject(tenant, id)
	if !ok {
		return DeadLetter{}, nil, noLetter()
	}
	m, err := d.stream.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return DeadLetter{}, nil, noLetter()
	}
	if err != nil {
		return DeadLetter{}, nil, fmt.Errorf("read dead letter: %w", mapError(err))
	}
	l, err := ParseDeadLetter(m.Header, m.Data, m.Time)
	if err != nil {
		return DeadLetter{}, nil, noLetter()
	}
	l.ID = id
	return l, m, nil
}

func noLetter() error {
	return &schema.Error{Code: schema.CodeNotFound, Field: "id", Message: "the tenant has no such dead letter"}
}

// Refused is the whole body of what intake refused, at most maxBody bytes; what l has of it where the rest is gone.
func (d *DeadLetters) Refused(ctx context.Context, tenant, id string, maxBody int64) ([]byte, error) {
	l, m, err := d.get(ctx, tenant, id)
	if err != nil {
		return nil, err
	}
	if err := d.blobs.resolveRefused(ctx, m.Header, maxBody, &l.Event); err != nil {
		return nil, fmt.Errorf("read dead letter: %w", err)
	}
	return l.Event.Body, nil
}

// Drop removes a tenant's dead letter with the body that it claims, as [Blobs.RemoveDead] does. One that is gone is gone.
func (d *DeadLetters) Drop(ctx context.Context, tenant, id string, maxBody int64) error {
	subject, ok := deadSubject(tenant, id)
	if !ok {
		return noLetter()
	}
	l, m, err := d.get(ctx, tenant, id)
	if schema.CodeOf(err) == schema.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if _, claims := m.Header[HeaderClaim]; claims && l.Stream == StreamIn { // another letter may claim the same body
		subject = dlqFilter(tenant)
	}
	return d.blobs.removeDead(ctx, tenant, subject, maxBody, func(l DeadLetter) bool { return l.ID == id })
}

// Back notes that a letter was tried again and cannot go: its count is one higher, and its reason is cause.
func (d *DeadLetters) Back(ctx context.Context, tenant, id string, cause error) error {
	l, m, err := d.get(ctx, tenant, id)
	if err != nil {
		return err
	}
	h := make(nats.Header, len(m.Header))
	for k, v := range m.Header {
		if !reserved(k) {
			h[k] = v
		}
	}
	h[HeaderDeadCount], h[HeaderDeadCode], h[HeaderDeadReason] = []string{strconv.Itoa(l.Count + 1)}, []string{string(schema.CodeOf(cause))}, []string{reasonOf(cause)}
	h[jetstream.MsgIDHeader] = []string{first(m.Header, jetstream.MsgIDHeader) + ":" + strconv.Itoa(l.Count+1)}
	if _, err := d.js.PublishMsg(ctx, &nats.Msg{Subject: m.Subject, Header: h, Data: m.Data}); err != nil {
		return fmt.Errorf("store dead letter: %w", publishError(err))
	}
	return tidyLetters(ctx, d.stream, m.Subject)
}

// keyAttempt is written for its revision alone.
const keyAttempt = "attempt"

// NextAttempt is a number that no retry or repair has had, above 0.
func (d *DeadLetters) NextAttempt(ctx context.Context) (int, error) {
	rev, err := d.kv.Put(ctx, keyAttempt, []byte("1"))
	if err != nil {
		return 0, fmt.Errorf("draw an attempt: %w", mapError(err))
	}
	return int(rev%maxAttempt) + 1, nil
}

// maxAttempt keeps attempts within what their header may say.
const maxAttempt = 1 << 30

// CountByStage is how many dead letters of a tenant there are, by the stage that gave up. The server answers from its index.
func (d *DeadLetters) CountByStage(ctx context.Context, tenant string) (map[string]uint64, error) {
	info, err := d.stream.Info(ctx, jetstream.WithSubjectFilter(dlqFilter(tenant)))
	if err != nil {
		return nil, fmt.Errorf("count dead letters: %w", mapError(err))
	}
	out := map[string]uint64{}
	for subject, n := range info.State.Subjects {
		stage, _, _ := strings.Cut(strings.TrimPrefix(subject, subjectDLQ), ".")
		out[stage] += n
	}
	return out, nil
}
