package events

import (
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Headers of a Siltstone message. Each is single-valued. The body is never touched: everything about it is here.
const (
	HeaderVersion  = "Silt-Version"
	HeaderUUID     = "Silt-Uuid"
	HeaderID       = "Silt-Id"
	HeaderOp       = "Silt-Op"
	HeaderTenant   = "Silt-Tenant"
	HeaderUser     = "Silt-User" // absent for userless ops
	HeaderAt       = "Silt-At"   // RFC 3339 with the zone the client gave
	HeaderAccepted = "Silt-Accepted"
	HeaderSeq      = "Silt-Seq"    // absent in the log, where the stream sequence is it
	HeaderPolicy   = "Silt-Policy" // absent for revision 0
	HeaderClass    = "Silt-Class"
	HeaderHash     = "Silt-Hash"
	HeaderGen      = "Silt-Gen"     // absent in the log
	HeaderAttempt  = "Silt-Attempt" // absent for 0
	HeaderLow      = "Silt-Low"     // absent for 0
	HeaderEpoch    = "Silt-Epoch"   // absent for 0
	HeaderTrace    = "traceparent"  // the W3C name, so that any tracer finds it
	HeaderClaim    = "Silt-Claim"   // name of the blob that holds the body, which is then "@" (see Blobs)
)

// Headers is the envelope as message headers, newly allocated. It does not check the envelope; zero fields that
// may be absent are left out.
func Headers(e schema.Envelope) nats.Header {
	h := make(nats.Header, 20)
	v := make([]string, 0, 18) // one array behind all the single-valued slices
	set := func(key, val string) {
		v = append(v, val)
		h[key] = v[len(v)-1 : len(v) : len(v)]
	}
	num := func(key string, n uint64) {
		if n != 0 {
			set(key, strconv.FormatUint(n, 10))
		}
	}
	num(HeaderVersion, uint64(max(e.Version, 0)))
	set(HeaderUUID, e.UUID)
	set(HeaderID, e.ID)
	set(HeaderOp, string(e.Op))
	set(HeaderTenant, e.Tenant)
	if e.User != "" {
		set(HeaderUser, e.User)
	}
	set(HeaderAt, e.At.Format(time.RFC3339Nano))
	set(HeaderAccepted, e.Accepted.Format(time.RFC3339Nano))
	num(HeaderSeq, e.Seq)
	num(HeaderPolicy, e.PolicyRev)
	if e.Class != 0 {
		set(HeaderClass, e.Class.String())
	}
	set(HeaderHash, e.BodyHash)
	num(HeaderGen, uint64(max(e.Generation, 0)))
	num(HeaderAttempt, uint64(max(e.Attempt, 0)))
	num(HeaderLow, e.Low)
	num(HeaderEpoch, e.Epoch)
	if e.Trace != "" {
		set(HeaderTrace, e.Trace)
	}
	return h
}

// ParseEnvelope is the inverse of [Headers]. A header that is missing, repeated, too long or malformed is a
// permanent [schema.Error] naming it: nothing mends such a message. Unknown headers are ignored. For an entry of
// the log the caller sets Seq from the stream (see [Decode]).
func ParseEnvelope(h nats.Header) (schema.Envelope, error) {
	p := parser{h: h}
	e := schema.Envelope{
		Version:    int(p.num(HeaderVersion, true, 1<<20)),
		UUID:       p.text(HeaderUUID, true),
		ID:         p.text(HeaderID, true),
		Op:         schema.Op(p.text(HeaderOp, true)),
		Tenant:     p.text(HeaderTenant, true),
		User:       p.text(HeaderUser, false),
		At:         p.time(HeaderAt),
		Accepted:   p.time(HeaderAccepted),
		Seq:        p.num(HeaderSeq, false, 1<<63),
		PolicyRev:  p.num(HeaderPolicy, false, 1<<63),
		Class:      p.class(HeaderClass),
		BodyHash:   p.text(HeaderHash, true),
		Generation: int(p.num(HeaderGen, false, 1<<31-1)),
		Attempt:    int(p.num(HeaderAttempt, false, 1<<31-1)),
		Low:        p.num(HeaderLow, false, 1<<63),
		Epoch:      p.num(HeaderEpoch, false, 1<<63),
		Trace:      p.text(HeaderTrace, false),
	}
	if p.err == nil && !isUUID(e.UUID) {
		p.fail(HeaderUUID, "is not a lower-case UUID")
	}
	if p.err == nil && !isHex(e.BodyHash, 64) {
		p.fail(HeaderHash, "is not a lower-case hex SHA-256")
	}
	if p.err != nil {
		return schema.Envelope{}, p.err
	}
	return e, nil
}

// Decode is a message as an event: the envelope from h, Seq from the log's sequence where the message is a log
// entry. body is kept, not copied; where h holds a claim, the caller resolves it with [Blobs.Resolve].
func Decode(h nats.Header, body []byte, streamSeq uint64) (schema.Event, error) {
	e, err := ParseEnvelope(h)
	if err != nil {
		return schema.Event{}, err
	}
	switch {
	case e.Generation == 0:
		e.Seq = streamSeq
	case e.Seq == 0:
		return schema.Event{}, schema.Invalid(HeaderSeq, "is missing from a derived event")
	}
	return schema.Event{Envelope: e, Body: body}, nil
}

// LogMsgID is the Nats-Msg-Id of an event in the log.
func LogMsgID(uuid string) string { return "in:" + uuid }

// MsgID is the Nats-Msg-Id of what stage derives from a log entry: <stage>:<generation>:<uuid>:<seq>[:<attempt>].
// stage is the one that publishes. The dedupe window of a stream ignores subjects and outlives purges, hence the stage
// and the generation in the id; the sequence, because an event id may stand in the log twice and what is derived from
// the one entry must not be taken for a repetition of the other's; attempts above 0 (repairs, retries from the dead
// letters) pass the window on purpose. A stage may therefore publish one message for an entry and attempt, not several.
func MsgID(stage string, generation int, uuid string, seq uint64, attempt int) string {
	b := make([]byte, 0, len(stage)+len(uuid)+44)
	b = append(b, stage...)
	b = append(b, ':')
	b = strconv.AppendInt(b, int64(generation), 10)
	b = append(b, ':')
	b = append(b, uuid...)
	b = append(b, ':')
	b = strconv.AppendUint(b, seq, 10)
	if attempt > 0 {
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(attempt), 10)
	}
	return string(b)
}

// maxHeader bounds a header value: the longest id, with room.
const maxHeader = 1024

// parser reads single-valued headers and keeps the first fault.
type parser struct {
	h   nats.Header
	err error
}

func (p *parser) fail(key, why string) {
	if p.err == nil {
		p.err = schema.Invalid(key, "%s", why)
	}
}

func (p *parser) text(key string, must bool) string {
	v := p.h[key]
	switch {
	case len(v) == 1 && len(v[0]) <= maxHeader && (v[0] != "" || !must):
		return v[0]
	case len(v) == 0 && !must:
	case len(v) == 0 || v[0] == "" && len(v) == 1:
		p.fail(key, "is missing")
	case len(v) > 1:
		p.fail(key, "is given more than once")
	default:
		p.fail(key, "is over 1024 bytes long")
	}
	return ""
}

func (p *parser) num(key string, must bool, most uint64) uint64 {
	s := p.text(key, must)
	if s == "" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > most {
		p.fail(key, "is not a number in range")
		return 0
	}
	return n
}

func (p *parser) time(key string) time.Time {
	s := p.text(key, true)
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		p.fail(key, "is not a time in RFC 3339")
	}
	return t
}

func (p *parser) class(key string) schema.Class {
	s := p.text(key, true)
	if s == "" {
		return 0
	}
	c, err := schema.ParseClass(s)
	if err != nil {
		p.fail(key, "is not a class")
	}
	return c
}

func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' &&
		isHex(s[:8], 8) && isHex(s[9:13], 4) && isHex(s[14:18], 4) && isHex(s[19:23], 4) && isHex(s[24:], 12)
}

func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
