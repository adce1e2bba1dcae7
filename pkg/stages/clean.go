package stages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/clean"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Clean is the first stage: it decides what of an event is computed, writes the event point and publishes the
// computed text. What it leaves out stays in the log. Where several log entries have one event id, the first of them
// in the log is the event, whatever order they are worked on in; see claim.
var Clean = Spec{
	Name: "clean", In: InLog, Out: []schema.Op{schema.OpCleaned, schema.OpFact},
	Doc: "applies tool policies and cleaners, masks secrets, and writes the event point",
	New: newClean, Prunes: true,
}

// Payload keys of event points that are clean's alone.
const (
	keyOp         = "op"          // which log operation the entry was
	keyAcceptedAt = "accepted_at" // when intake accepted it, Unix milliseconds
)

// Explicit writes that give no weight of their own: they were stated to be remembered, which is more than the 0.7
// of what was merged out of many turns.
const (
	explicitImportance = 0.8
	explicitConfidence = 1.0
)

type cleanStage struct {
	deps     Deps
	cleaner  *clean.Cleaner
	defaults *clean.Tools
}

func newClean(d Deps) (Func, error) {
	s, err := newCleanStage(d)
	if err != nil {
		return nil, err
	}
	return s.run, nil
}

func newCleanStage(d Deps) (*cleanStage, error) {
	switch {
	case d.Tools == nil:
		return nil, errors.New("clean needs the port Tools")
	case d.Events == nil:
		return nil, errors.New("clean needs the port Events")
	}
	own := make(map[string]clean.Func, len(d.Cleaners))
	for name, f := range d.Cleaners {
		own[name] = clean.Func(f)
		if f == nil {
			own[name] = nil
		}
	}
	c, err := clean.New(clean.Config{Own: own})
	if err != nil {
		return nil, fmt.Errorf("build clean: %w", err)
	}
	return &cleanStage{deps: d, cleaner: c, defaults: clean.NewTools(clean.DefaultTools())}, nil
}

// run takes every op. What a newer build wrote is refused, as by who else acts on it: it must not be passed over.
func (s *cleanStage) run(ctx context.Context, ev schema.Event) (schema.Result, error) {
	if err := schema.CheckVersion(ev.Version); err != nil {
		return schema.Result{}, err
	}
	switch ev.Op {
	case schema.OpTurn, schema.OpMemory, schema.OpPin:
		return (&claim{s: s, ev: ev, archived: s.deps.archived(ev)}).next(ctx)
	case schema.OpForget, schema.OpTool, schema.OpSetting, schema.OpErase, schema.OpArchive: // others act on them; acknowledging them lets the floor pass
		return schema.Result{}, nil
	}
	return schema.Result{}, schema.Permanent(schema.CodeUnsupported, nil, "the operation %q is not known to this build", ev.Op)
}

// turn fills the point of a turn and gives the event for the stages behind, nil where nothing is left to compute.
func (s *cleanStage) turn(ev schema.Event, pl map[string]any) (*schema.Event, error) {
	t, err := schema.DecodeTurn(ev.Version, ev.Body)
	if err != nil {
		return nil, err
	}
	r := s.cleaner.Turn(t, s.policies(ev))
	metadata := masked(t.Metadata)
	c := schema.Cleaned{Agent: t.Agent, Conversation: t.Conversation, Speaker: t.Speaker, Metadata: metadata, Segments: r.Segments}
	setText(pl, schema.KeyConversation, t.Conversation)
	setText(pl, schema.KeyAgent, t.Agent)
	setText(pl, schema.KeySpeaker, t.Speaker)
	if len(t.Metadata) > 0 {
		pl[schema.KeyMetadata] = metadata
	}
	pl[schema.KeySegments] = segmentsPayload(r.Segments)
	dropped := make([]map[string]any, len(r.Dropped))
	for i, d := range r.Dropped {
		m := map[string]any{"segment": d.Segment, "reason": d.Reason}
		setText(m, "tool", d.Tool)
		dropped[i] = m
	}
	pl[schema.KeyDropped] = dropped
	faults := make([]map[string]any, len(r.Faults))
	for i, f := range r.Faults {
		faults[i] = map[string]any{"segment": f.Segment, "cleaner": f.Cleaner, "reason": f.Reason}
	}
	pl[schema.KeyFaults] = faults
	if len(r.Segments) == 0 {
		return nil, nil
	}
	return derive(ev, schema.OpCleaned, c)
}

// segmentsPayload is segments as an event point holds them.
func segmentsPayload(segs []schema.Segment) []map[string]any {
	out := make([]map[string]any, len(segs))
	for i, g := range segs {
		m := map[string]any{"key": g.Key, "kind": string(g.Kind), "class": g.Class.String(), "text": g.Text}
		setText(m, "tool", g.Tool)
		setText(m, "lang", g.Lang)
		if len(g.Tools) > 0 {
			m["tools"] = g.Tools
		}
		out[i] = m
	}
	return out
}

// policies asks what holds for the tenant, and the defaults where nothing is known there.
func (s *cleanStage) policies(ev schema.Event) clean.Policies {
	return func(tool string) (schema.ToolDef, bool) {
		if d, ok := s.deps.Tools.Policy(ev.Tenant, tool, ev.PolicyRev); ok {
			return d, true
		}
		return s.defaults.Lookup(tool)
	}
}

// explicit turns an explicit memory or pin into a candidate for decide. The stages between have nothing to do with
// it, so their flags are set from the start.
func (s *cleanStage) explicit(ev schema.Event, pl map[string]any) (*schema.Event, error) {
	m := schema.Memory{
		Tenant: ev.Tenant, User: ev.User, Status: schema.StatusActive, Explicit: true, Importance: explicitImportance, Confidence: explicitConfidence,
		ObservedAt: ev.At, Rule: ruleExplicit + string(ev.Op),
		Source: schema.Source{Event: ev.ID, UUID: ev.UUID, Class: ev.Class, Seq: ev.Seq},
	}
	content, deleted := "", false
	if ev.Op == schema.OpPin {
		w, err := schema.DecodeStored[schema.Pin](ev.Op, ev.Version, ev.Body)
		if err != nil {
			return nil, err
		}
		m.ID, m.Type, m.Pinned, m.ExpiresAt = w.ID, w.Type, true, w.ExpiresAt
		if m.Type == "" {
			m.Type = schema.TypeConstraint
		}
		content, deleted = w.Content, w.Delete
	} else {
		w, err := schema.DecodeStored[schema.MemoryWrite](ev.Op, ev.Version, ev.Body)
		if err != nil {
			return nil, err
		}
		m.ID, m.Type, m.ExpiresAt = w.ID, w.Type, w.ExpiresAt
		if w.Importance != nil {
			m.Importance = *w.Importance
		}
		if w.Confidence != nil {
			m.Confidence = *w.Confidence
		}
		if m.Pinned = m.Type == schema.TypeConstraint; w.Pinned != nil {
			m.Pinned = *w.Pinned
		}
		content, deleted = w.Content, w.Delete
	}
	// Only a user or whoever runs the agent may pin; from others it is a memory like any.
	m.Pinned = m.Pinned && ev.Class >= schema.ClassUser
	for _, stage := range []string{"vectorize", "extract", "distill"} {
		pl[schema.KeyDone+stage] = true
	}
	if deleted {
		m.Status = schema.StatusDeleted
	} else if m.Content = clean.Text(content); m.Content == "" {
		pl[schema.KeyDropped] = []map[string]any{{"segment": string(ev.Op), "reason": clean.ReasonEmpty}}
		return nil, nil
	}
	m.Lang = clean.Lang(m.Content)
	return derive(ev, schema.OpFact, schema.Candidates{Facts: []schema.Memory{m}})
}

// derive is ev with another body, for the stages behind.
func derive(ev schema.Event, op schema.Op, body any) (*schema.Event, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, schema.Permanent(schema.CodeInternal, err, "encode the %s of event %s", op, ev.UUID)
	}
	out := schema.Event{Envelope: ev.Envelope, Body: b}
	out.Op, out.Version = op, schema.Version
	return &out, nil
}

// eventPoint is the point of a log entry as far as the envelope tells.
func eventPoint(ev schema.Event) schema.Point {
	pl := map[string]any{
		schema.KeyOwner: schema.Owner(ev.Tenant, ev.User), schema.KeyTenant: ev.Tenant, schema.KeyUser: ev.User,
		schema.KeyEvent: ev.UUID, schema.KeyEventID: ev.ID, schema.KeySeq: int64(ev.Seq),
		schema.KeyBodyHash: ev.BodyHash, schema.KeyOutcome: string(schema.OutcomeOpen), keyOp: string(ev.Op),
	}
	if ev.Class != 0 {
		pl[schema.KeyClass] = ev.Class.String()
	}
	if !ev.At.IsZero() {
		pl[schema.KeyAt] = ev.At.UnixMilli()
	}
	if !ev.Accepted.IsZero() {
		pl[keyAcceptedAt] = ev.Accepted.UnixMilli()
	}
	return schema.Point{ID: ev.UUID, Payload: pl}
}

func write(kind schema.WriteKind, p schema.Point) schema.Write {
	return schema.Write{Kind: kind, Collection: schema.Events, Owner: p.Payload[schema.KeyOwner].(string), Point: p}
}

// seqOf reads the log sequence of an event point, whichever number type the store gave back.
func seqOf(pl map[string]any) uint64 {
	switch x := pl[schema.KeySeq].(type) {
	case int64:
		return uint64(x)
	case float64:
		return uint64(x)
	}
	return 0
}

func setText(m map[string]any, key, v string) {
	if v != "" {
		m[key] = v
	}
}

// masked copies metadata with the types that payloads take and without its secrets, for every point that carries it. Of
// keys that are the same once they are masked the first in order stands, so that a replay comes to the same.
func masked(in map[string]any) map[string]any {
	out := make(map[string]any, len(in))
	for _, key := range slices.Sorted(maps.Keys(in)) {
		k, v := maskedEntry(key, in[key])
		if _, taken := out[k]; !taken && v != nil {
			out[k] = v
		}
	}
	return out
}

// maskedEntry is one key and its value. A value is a secret by itself or by what its key says; a key may hold one too.
func maskedEntry(k string, v any) (string, any) {
	var text string
	switch x := v.(type) {
	case string:
		text = x
	case bool:
		return clean.MaskSecrets(k), x
	case int64:
		text = strconv.FormatInt(x, 10)
	case float64:
		text = strconv.FormatFloat(x, 'f', -1, 64)
	case json.Number:
		f, err := x.Float64()
		if err != nil {
			return k, nil
		}
		return maskedEntry(k, f)
	default:
		return k, nil
	}
	m := clean.MaskSecrets(text)
	if m == text {
		if whole, named := strings.CutPrefix(clean.MaskSecrets(k+"="+text), k+"="); named {
			m = whole
		}
	}
	if m != text {
		v = m
	}
	return clean.MaskSecrets(k), v
}
