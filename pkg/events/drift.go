package events

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Drift is one field of a stream or durable that stands otherwise than [Topology] says.
type Drift struct {
	Object string // "SILT_LOG", "SILT_LOG/clean_1"
	Field  string // as in the JetStream configuration
	Have   string
	Want   string
}

// String names object, field and both values.
func (d Drift) String() string {
	return fmt.Sprintf("%s: %s is %s, want %s", d.Object, d.Field, d.Have, d.Want)
}

// field compares one setting and, where edit is not nil, can set it. check may veto an edit of the stream as it is.
type streamField struct {
	name  string
	get   func(*jetstream.StreamConfig) any
	edit  func(have, want *jetstream.StreamConfig)
	check func(info *jetstream.StreamInfo, want *jetstream.StreamConfig) bool
}

// streamFields is all that [Ensure] looks at. What is not here (placement, compression, description, metadata)
// belongs to the operator and is left alone. Fields without edit cannot be changed by the server, or not without
// losing messages.
var streamFields = []streamField{
	{name: "retention", get: func(c *jetstream.StreamConfig) any { return c.Retention }},
	{name: "storage", get: func(c *jetstream.StreamConfig) any { return c.Storage }},
	{name: "no_ack", get: func(c *jetstream.StreamConfig) any { return c.NoAck }},
	{name: "sealed", get: func(c *jetstream.StreamConfig) any { return c.Sealed }},
	{name: "deny_delete", get: func(c *jetstream.StreamConfig) any { return c.DenyDelete }},
	{name: "deny_purge", get: func(c *jetstream.StreamConfig) any { return c.DenyPurge }},
	{name: "mirror", get: func(c *jetstream.StreamConfig) any { return c.Mirror != nil }},
	{name: "sources", get: func(c *jetstream.StreamConfig) any { return len(c.Sources) }},
	{name: "subject_transform", get: func(c *jetstream.StreamConfig) any { return c.SubjectTransform != nil }},
	{name: "persist_mode", get: func(c *jetstream.StreamConfig) any { return c.PersistMode }},
	{name: "subjects", get: func(c *jetstream.StreamConfig) any {
		s := slices.Clone(c.Subjects)
		slices.Sort(s)
		return strings.Join(s, " ")
	}, edit: func(h, w *jetstream.StreamConfig) { h.Subjects = w.Subjects }},
	{name: "num_replicas", get: func(c *jetstream.StreamConfig) any { return c.Replicas },
		edit: func(h, w *jetstream.StreamConfig) { h.Replicas = w.Replicas }},
	{name: "discard", get: func(c *jetstream.StreamConfig) any { return c.Discard },
		edit: func(h, w *jetstream.StreamConfig) { h.Discard = w.Discard }},
	{name: "max_bytes", get: func(c *jetstream.StreamConfig) any { return limit(c.MaxBytes) },
		edit: func(h, w *jetstream.StreamConfig) { h.MaxBytes = w.MaxBytes },
		check: func(i *jetstream.StreamInfo, w *jetstream.StreamConfig) bool {
			return limit(w.MaxBytes) < 0 || uint64(w.MaxBytes) >= i.State.Bytes // a lower bound would drop the oldest
		}},
	{name: "max_msgs", get: func(c *jetstream.StreamConfig) any { return limit(c.MaxMsgs) },
		edit: func(h, w *jetstream.StreamConfig) { h.MaxMsgs = w.MaxMsgs }, check: unbounding(func(w *jetstream.StreamConfig) bool { return limit(w.MaxMsgs) < 0 || w.Discard == jetstream.DiscardOld })},
	{name: "max_msgs_per_subject", get: func(c *jetstream.StreamConfig) any { return limit(c.MaxMsgsPerSubject) },
		edit: func(h, w *jetstream.StreamConfig) { h.MaxMsgsPerSubject = w.MaxMsgsPerSubject }, check: unbounding(func(w *jetstream.StreamConfig) bool { return limit(w.MaxMsgsPerSubject) < 0 })},
	{name: "max_age", get: func(c *jetstream.StreamConfig) any { return c.MaxAge },
		edit: func(h, w *jetstream.StreamConfig) { h.MaxAge = w.MaxAge }, check: func(i *jetstream.StreamInfo, w *jetstream.StreamConfig) bool {
			return w.MaxAge == 0 || i.Config.MaxAge != 0 && w.MaxAge > i.Config.MaxAge
		}},
	{name: "max_msg_size", get: func(c *jetstream.StreamConfig) any { return limit(int64(c.MaxMsgSize)) },
		edit: func(h, w *jetstream.StreamConfig) { h.MaxMsgSize = w.MaxMsgSize }},
	{name: "duplicate_window", get: func(c *jetstream.StreamConfig) any { return c.Duplicates },
		edit: func(h, w *jetstream.StreamConfig) { h.Duplicates = w.Duplicates }},
	{name: "allow_rollup_hdrs", get: func(c *jetstream.StreamConfig) any { return c.AllowRollup },
		edit: func(h, w *jetstream.StreamConfig) { h.AllowRollup = w.AllowRollup }},
	{name: "allow_direct", get: func(c *jetstream.StreamConfig) any { return c.AllowDirect },
		edit: func(h, w *jetstream.StreamConfig) { h.AllowDirect = w.AllowDirect }},
	{name: "allow_atomic", get: func(c *jetstream.StreamConfig) any { return c.AllowAtomicPublish },
		edit: func(h, w *jetstream.StreamConfig) { h.AllowAtomicPublish = w.AllowAtomicPublish }},
	{name: "allow_msg_ttl", get: func(c *jetstream.StreamConfig) any { return c.AllowMsgTTL },
		edit:  func(h, w *jetstream.StreamConfig) { h.AllowMsgTTL = w.AllowMsgTTL },
		check: unbounding(func(w *jetstream.StreamConfig) bool { return w.AllowMsgTTL })},
	{name: "subject_delete_marker_ttl", get: func(c *jetstream.StreamConfig) any { return c.SubjectDeleteMarkerTTL },
		edit: func(h, w *jetstream.StreamConfig) { h.SubjectDeleteMarkerTTL = w.SubjectDeleteMarkerTTL }},
}

// unbounding lets an edit pass only where it lifts a bound.
func unbounding(lifts func(*jetstream.StreamConfig) bool) func(*jetstream.StreamInfo, *jetstream.StreamConfig) bool {
	return func(_ *jetstream.StreamInfo, w *jetstream.StreamConfig) bool { return lifts(w) }
}

// limit folds the two ways to say "no limit".
func limit(n int64) int64 {
	if n <= 0 {
		return -1
	}
	return n
}

// diffStream is what differs, split by whether it may be edited, and the edited configuration.
func diffStream(info *jetstream.StreamInfo, want jetstream.StreamConfig) (edit, refuse []Drift, cfg jetstream.StreamConfig) {
	have := info.Config
	cfg = have
	if want.Duplicates == 0 {
		want.Duplicates = have.Duplicates // left to the server
	}
	for _, f := range streamFields {
		h, w := f.get(&have), f.get(&want)
		if h == w {
			continue
		}
		d := Drift{Object: want.Name, Field: f.name, Have: fmt.Sprint(h), Want: fmt.Sprint(w)}
		if f.edit == nil || f.check != nil && !f.check(info, &want) {
			refuse = append(refuse, d)
			continue
		}
		f.edit(&cfg, &want)
		edit = append(edit, d)
	}
	return edit, refuse, cfg
}

type consumerField struct {
	name string
	get  func(*jetstream.ConsumerConfig) any
	edit func(have, want *jetstream.ConsumerConfig)
	// check, where it is not nil, may veto an edit.
	check func(have, want *jetstream.ConsumerConfig) bool
}

// widens reports whether want reads all that have does, and only single ops beside it.
func widens(have, want *jetstream.ConsumerConfig) bool {
	old := filters(have)
	return len(old) < len(filters(want)) && !slices.ContainsFunc(old, func(f string) bool { return !slices.Contains(filters(want), f) })
}

// consumerFields leaves out where a durable starts: it was right when it was made, and no one may move it but
// [Ensure]. A filter is only ever widened, to ops that no build appended as long as it was narrow: what an
// acknowledgement floor means hangs on it.
var consumerFields = []consumerField{
	{name: "ack_policy", get: func(c *jetstream.ConsumerConfig) any { return c.AckPolicy }},
	{name: "filter_subject", get: func(c *jetstream.ConsumerConfig) any {
		fs := slices.Clone(filters(c))
		slices.Sort(fs)
		return strings.Join(fs, " ")
	}, edit: func(h, w *jetstream.ConsumerConfig) {
		h.FilterSubject, h.FilterSubjects = w.FilterSubject, w.FilterSubjects
	},
		check: widens},
	{name: "deliver_subject", get: func(c *jetstream.ConsumerConfig) any { return c.DeliverSubject }},
	{name: "headers_only", get: func(c *jetstream.ConsumerConfig) any { return c.HeadersOnly },
		edit: func(h, w *jetstream.ConsumerConfig) { h.HeadersOnly = w.HeadersOnly }},
	{name: "ack_wait", get: func(c *jetstream.ConsumerConfig) any { return c.AckWait },
		edit: func(h, w *jetstream.ConsumerConfig) { h.AckWait = w.AckWait }},
	{name: "max_deliver", get: func(c *jetstream.ConsumerConfig) any { return limit(int64(c.MaxDeliver)) },
		edit: func(h, w *jetstream.ConsumerConfig) { h.MaxDeliver = w.MaxDeliver }},
	{name: "backoff", get: func(c *jetstream.ConsumerConfig) any { return fmt.Sprint(c.BackOff) },
		edit: func(h, w *jetstream.ConsumerConfig) { h.BackOff = w.BackOff }},
	{name: "max_ack_pending", get: func(c *jetstream.ConsumerConfig) any { return c.MaxAckPending },
		edit: func(h, w *jetstream.ConsumerConfig) { h.MaxAckPending = w.MaxAckPending }},
	{name: "inactive_threshold", get: func(c *jetstream.ConsumerConfig) any { return c.InactiveThreshold },
		edit: func(h, w *jetstream.ConsumerConfig) { h.InactiveThreshold = w.InactiveThreshold }},
}

func diffConsumer(stream string, have, want jetstream.ConsumerConfig) (edit, refuse []Drift, cfg jetstream.ConsumerConfig) {
	cfg = have
	for _, f := range consumerFields {
		h, w := f.get(&have), f.get(&want)
		if h == w {
			continue
		}
		d := Drift{Object: stream + "/" + want.Durable, Field: f.name, Have: fmt.Sprint(h), Want: fmt.Sprint(w)}
		if f.edit == nil || f.check != nil && !f.check(&have, &want) {
			refuse = append(refuse, d)
			continue
		}
		f.edit(&cfg, &want)
		edit = append(edit, d)
	}
	return edit, refuse, cfg
}
