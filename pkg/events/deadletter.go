package events

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Headers of a dead letter, beside those of the message that it copies.
const (
	headerDead = "Silt-Dead-" // what they begin with

	HeaderDeadStage   = "Silt-Dead-Stage"
	HeaderDeadDurable = "Silt-Dead-Durable"
	HeaderDeadStream  = "Silt-Dead-Stream"
	HeaderDeadSubject = "Silt-Dead-Subject"
	HeaderDeadSeq     = "Silt-Dead-Seq"   // stream sequence of the message
	HeaderDeadCount   = "Silt-Dead-Count" // deliveries it had
	HeaderDeadCode    = "Silt-Dead-Code"  // schema.Code
	HeaderDeadReason  = "Silt-Dead-Reason"
	HeaderDeadCut     = "Silt-Dead-Cut" // "1": the body did not fit beside these headers and is left out
)

// DeadLetter is a message that no retry mends, as it stands in SILT_DLQ.
type DeadLetter struct {
	ID      string // stage and what tells its letters apart, [DeadID]; one that comes back keeps it
	Stage   string
	Durable string // the stage's in its generation
	Stream  string // where the message was, with Subject and Seq
	Subject string
	Seq     uint64
	Count   int // deliveries, those of letters that it came back from included
	Code    schema.Code
	Reason  string
	At      time.Time    // when it was buried
	Cut     bool         // the body did not fit into the dead letter; where it is a log entry, the log has it
	Event   schema.Event // zero but for the body where the message is no event, and for the tenant where it came from SILT_IN; a claim is not resolved
}

// Generation is the one whose stage gave the event up, 0 for intake.
func (d DeadLetter) Generation() int {
	_, n, _ := strings.Cut(d.Durable, "_")
	gen, _ := strconv.Atoi(n) // that of a durable that is not ours is of no generation
	return max(gen, 0)
}

// DeadID is the id of the dead letter under a subject of SILT_DLQ; ok is false where that is no such subject.
func DeadID(subject string) (id string, ok bool) {
	p := strings.Split(subject, ".")
	if len(p) != 5 || !strings.HasPrefix(subject, subjectDLQ) {
		return "", false
	}
	return p[2] + "-" + p[4], true
}

// deadSubject is where a tenant's dead letter of this id lies; ok is false for what cannot be an id.
func deadSubject(tenant, id string) (subject string, ok bool) {
	stage, key, ok := strings.Cut(id, "-")
	if !ok || len(id) > maxDeadID || !isToken(stage) || !isToken(key) {
		return "", false
	}
	return subjectDLQ + stage + "." + schema.Token(tenant) + "." + key, true
}

// maxDeadID is longer than any id of a letter.
const maxDeadID = 256

// isToken reports whether s is made of what tokens of subjects are made of here.
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// ParseDeadLetter reads a message of SILT_DLQ; stored is when the stream stored it. It fails where the headers
// of a dead letter are missing, never because of what the dead message itself is.
func ParseDeadLetter(h nats.Header, body []byte, stored time.Time) (DeadLetter, error) {
	d := DeadLetter{
		Stage: h.Get(HeaderDeadStage), Durable: h.Get(HeaderDeadDurable), Stream: h.Get(HeaderDeadStream), Subject: h.Get(HeaderDeadSubject),
		Code: schema.Code(h.Get(HeaderDeadCode)), Reason: h.Get(HeaderDeadReason), Cut: h.Get(HeaderDeadCut) != "", At: stored,
	}
	var err error
	if d.Seq, err = strconv.ParseUint(h.Get(HeaderDeadSeq), 10, 64); err != nil {
		return DeadLetter{}, fmt.Errorf("read dead letter: %w", err)
	}
	if d.Count, err = strconv.Atoi(h.Get(HeaderDeadCount)); err != nil {
		return DeadLetter{}, fmt.Errorf("read dead letter: %w", err)
	}
	if d.Stream == StreamIn {
		// What intake did not take is no event yet: whose it is stands in its subject, and its headers are anybody's.
		d.Event.Tenant, _ = TenantOf(d.Subject)
	} else if ev, err := Decode(h, body, d.Seq); err == nil {
		d.Event = ev
	}
	d.Event.Body = body
	return d, nil
}

// bury tells OnDead, copies the message of l to the dead letters and waits until the copy is stored. The caller
// terminates the message after it returned nil. Doing it again changes nothing, however much later.
func (h *handler) bury(l *lease, cause error) error {
	ctx := context.WithoutCancel(l.ctx) // bounded by the timeouts below; a close must not lose the copy
	if h.r.cfg.OnDead != nil && l.event.UUID != "" {
		tell, cancel := context.WithTimeout(ctx, onDeadTimeout)
		defer cancel()
		if err := h.r.cfg.OnDead(tell, l.event, h.cfg.Name, cause); err != nil {
			return fmt.Errorf("tell of dead letter: %w", retryable(err))
		}
	}
	crash.At(crash.DeadTold)
	letter := h.letter(l, cause)
	before, err := h.r.letterBefore(ctx, letter)
	if err == nil && !same(before, letter) {
		before.addCount(letter)
		err = h.r.dead.send(ctx, h.cfg.Name, []*nats.Msg{letter})
		for _, lighten := range lighter {
			if schema.CodeOf(err) != schema.CodeTooLarge {
				break
			}
			lighten(letter)
			err = h.r.dead.send(ctx, h.cfg.Name, []*nats.Msg{letter})
		}
	}
	if err == nil && before != nil { // it had been let out, and is back; or a process died before it had tidied up
		err = h.r.tidyLetters(ctx, letter.Subject)
	}
	if err != nil {
		return fmt.Errorf("store dead letter: %w", retryable(err))
	}
	crash.At(crash.DeadStored)
	more := []any{"code", schema.CodeOf(cause), "reason", logged(cause)}
	var p *panicError
	if errors.As(cause, &p) {
		more = append(more, "stack", string(p.stack))
	}
	h.log.Error("event is dead", h.ids(l, more...)...)
	return nil
}

// lighter is what a dead letter that is over the server's limit gives up, one after the other: headers that are not
// ours, the body, and at last every header of the message that it copies.
var lighter = []func(*nats.Msg){
	func(m *nats.Msg) {
		for k := range m.Header {
			if !strings.HasPrefix(k, "Silt-") && k != HeaderTrace && k != jetstream.MsgIDHeader {
				delete(m.Header, k)
			}
		}
	},
	func(m *nats.Msg) { m.Header[HeaderDeadCut], m.Data = []string{"1"}, nil },
	func(m *nats.Msg) {
		for k := range m.Header {
			if !strings.HasPrefix(k, headerDead) && k != jetstream.MsgIDHeader {
				delete(m.Header, k)
			}
		}
	},
}

// letter is the copy of l's message that goes to the dead letters. Its subject names the event, so that a copy that
// is there can be found when the window of duplicates has long passed.
func (h *handler) letter(l *lease, cause error) *nats.Msg {
	d, ev := l.delivery, l.event
	tenant, key := ev.Tenant, strings.ReplaceAll(ev.UUID, "-", "")
	id := "dlq:" + d.Durable + ":"
	if ev.UUID != "" {
		seq := strconv.FormatUint(ev.Seq, 10) // an event id may stand in the log twice, and either entry may die
		id += ev.UUID + ":" + seq + ":" + strconv.Itoa(ev.Attempt)
		key += "s" + seq
		if g := ev.Generation; g > 1 { // each has its own letters
			key += "g" + strconv.Itoa(g)
		}
	} else { // no event: what the stream knows of it; sequences begin anew with a stream
		tenant, _ = TenantOf(d.Subject)
		seq, stored := strconv.FormatUint(d.Sequence, 10), strconv.FormatInt(d.Stored.UnixNano(), 10)
		id += seq + ":" + stored
		key = "s" + seq + "t" + stored
	}
	hd := make(nats.Header, len(l.raw.Header)+9)
	for k, v := range l.raw.Header {
		// Anybody may publish into SILT_IN, headers that no library writes among them.
		if len(v) > 0 && !reserved(k) && headerName(k) && !strings.HasPrefix(k, headerDead) {
			hd[k] = v[:1]
		}
	}
	for k, v := range map[string]string{
		HeaderDeadStage: h.cfg.Name, HeaderDeadDurable: d.Durable, HeaderDeadStream: d.Stream, HeaderDeadSubject: d.Subject,
		HeaderDeadSeq: strconv.FormatUint(d.Sequence, 10), HeaderDeadCount: strconv.FormatUint(d.NumDelivered, 10),
		HeaderDeadCode: string(schema.CodeOf(cause)), HeaderDeadReason: reasonOf(cause), jetstream.MsgIDHeader: id,
	} {
		hd[k] = []string{v}
	}
	return &nats.Msg{Subject: DLQSubject(h.cfg.Name, tenant, key), Header: hd, Data: l.raw.Data}
}

// onDeadTimeout bounds one call of OnDead.
const onDeadTimeout = 30 * time.Second

// stored is a dead letter that lies in the stream.
type stored struct{ header nats.Header }

// letterBefore is the last dead letter under letter's subject, nil for none.
func (r *Router) letterBefore(ctx context.Context, letter *nats.Msg) (*stored, error) {
	ctx, cancel := context.WithTimeout(ctx, bindTimeout)
	defer cancel()
	s, err := r.cfg.JS.Stream(ctx, StreamDLQ)
	if err != nil {
		return nil, mapError(err)
	}
	m, err := s.GetLastMsgForSubject(ctx, letter.Subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, mapError(err)
	}
	return &stored{m.Header}, nil
}

// same reports whether the letter that is there is letter.
func same(there *stored, letter *nats.Msg) bool {
	return there != nil && first(there.header, jetstream.MsgIDHeader) == first(letter.Header, jetstream.MsgIDHeader)
}

// addCount counts the deliveries of the letter before to those of the one that takes its place.
func (s *stored) addCount(letter *nats.Msg) {
	if s == nil {
		return
	}
	was, _ := strconv.Atoi(first(s.header, HeaderDeadCount))
	now, _ := strconv.Atoi(first(letter.Header, HeaderDeadCount))
	letter.Header[HeaderDeadCount] = []string{strconv.Itoa(max(was, 0) + now)}
}

// tidyLetters removes the letters whose place the last one under subject has taken.
func (r *Router) tidyLetters(ctx context.Context, subject string) error {
	ctx, cancel := context.WithTimeout(ctx, bindTimeout)
	defer cancel()
	s, err := r.cfg.JS.Stream(ctx, StreamDLQ)
	if err != nil {
		return mapError(err)
	}
	return tidyLetters(ctx, s, subject)
}

// tidyLetters removes all letters under subject but the last. They are overwritten one by one, which the stream would not
// do by itself, were it told to keep one message a subject.
func tidyLetters(ctx context.Context, s jetstream.Stream, subject string) error {
	last, err := s.GetLastMsgForSubject(ctx, subject)
	for err == nil {
		var first *jetstream.RawStreamMsg
		if first, err = s.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(subject)); err == nil {
			if first.Sequence >= last.Sequence {
				return nil
			}
			err = deleteLetter(ctx, s, first.Sequence)
		}
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	return fmt.Errorf("tidy dead letters: %w", mapError(err))
}

// retryable hides a permanent error: that a dead letter cannot be stored must not end the event.
func retryable(err error) error {
	return schema.Retryable(schema.CodeOf(err), schema.RetryAfter(err), err, "dead letter waits")
}

// reasonOf is what a person reads: one line, at most 512 bytes.
func reasonOf(err error) string { return oneLine(err.Error(), 512) }

// logged is the reason as the log may hold it: without the name of a field that the client made up. Whoever may read
// the dead letter finds it there.
func logged(err error) string {
	reason := reasonOf(err)
	var e *schema.Error
	if errors.As(err, &e) && e.Code == schema.CodeInvalid && e.Field != "" && e.Field != HeaderClaim && !schema.KnownField[schema.Turn](e.Field) {
		reason = strings.Replace(reason, ": "+oneLine(e.Field, 512)+": ", ": a field: ", 1)
		if strings.Contains(reason, oneLine(e.Field, 512)) { // in some other place
			reason = string(e.Code)
		}
	}
	return reason
}
