package schema

import "time"

// Payload is m as the payload of its fact point. Times are Unix milliseconds, zero times and empty strings are
// left out.
func (m *Memory) Payload() map[string]any {
	p := payload{
		KeyOwner: Owner(m.Tenant, m.User), KeyTenant: m.Tenant, KeyUser: m.User,
		KeyEvent: m.Source.UUID, KeyEventID: m.Source.Event, KeyClass: m.Source.Class.String(),
		KeyType: string(m.Type), KeyStatus: string(m.Status), KeyContent: m.Content,
		KeyImportance: m.Importance, KeyConfidence: m.Confidence, KeySeq: int64(m.Source.Seq),
		KeyPinned: m.Pinned, KeyExplicit: m.Explicit, "negated": m.Negated,
	}
	p.text(KeyKind, string(m.Kind))
	p.text("subject", m.Subject)
	p.text("predicate", m.Predicate)
	p.text("object", m.Object)
	p.text("replaces", m.Replaces)
	p.text(KeySlot, m.Slot)
	p.text(KeyGroup, m.Group)
	p.text("tier", string(m.Tier))
	p.text(KeyLang, m.Lang)
	p.text(KeyConversation, m.Conversation)
	p.text(KeyHash, m.ContentHash)
	p.text(KeyEdits, m.Edits)
	p.text(KeySegment, m.Source.Seg)
	p.tool(m.Source.Tool)
	p.text(KeyRule, m.Rule)
	if m.Source.Place != 0 {
		p[KeyPlace] = int64(m.Source.Place)
	}
	p.time(KeyAt, m.ObservedAt)
	p.time(KeyValidFrom, m.ValidFrom)
	// The state that others may decide stands there from the start, as they would write it: whether somebody has decided
	// it again since leaves no trace.
	p[KeySupersededBy], p[KeyMark], p[KeyValidTo] = m.SupersededBy, m.Mark, NoTime
	p.time(KeyValidTo, m.ValidTo)
	p.time(KeyExpiresAt, m.ExpiresAt)
	return p
}

// MemoryFrom is the inverse of Memory.Payload. Absent keys leave zero values: it never fails, so that a point
// written by an older build still reads.
func MemoryFrom(id string, pl map[string]any) Memory {
	p := payload(pl)
	c, _ := ParseClass(p.str(KeyClass))
	return Memory{
		ID: id, Tenant: p.str(KeyTenant), User: p.str(KeyUser),
		Type: Type(p.str(KeyType)), Kind: Kind(p.str(KeyKind)), Content: p.str(KeyContent),
		Subject: p.str("subject"), Predicate: p.str("predicate"), Object: p.str("object"), Negated: p.flag("negated"),
		Replaces: p.str("replaces"), Slot: p.str(KeySlot), Group: p.str(KeyGroup),
		Importance: p.num(KeyImportance), Confidence: p.num(KeyConfidence), Explicit: p.flag(KeyExplicit), Pinned: p.flag(KeyPinned),
		Tier: Tier(p.str("tier")), Status: Status(p.str(KeyStatus)), Lang: p.str(KeyLang),
		Conversation: p.str(KeyConversation), ContentHash: p.str(KeyHash),
		ObservedAt: p.at(KeyAt), ValidFrom: p.at(KeyValidFrom), ValidTo: p.at(KeyValidTo), ExpiresAt: p.at(KeyExpiresAt),
		SupersededBy: p.str(KeySupersededBy), Edits: p.str(KeyEdits), Mark: p.str(KeyMark), Rule: p.str(KeyRule),
		Source: Source{
			Event: p.str(KeyEventID), UUID: p.str(KeyEvent), Seg: p.str(KeySegment), Tool: p.str(KeyTool), Class: c,
			Seq: uint64(p.whole(KeySeq)), Place: int(p.whole(KeyPlace)),
		},
	}
}

// Payload is t as the payload of its point. subject and object are the folded forms that graph reads match on;
// the text forms travel beside them.
func (t *Triple) Payload(tenant, user, foldedSubject, foldedObject string) map[string]any {
	p := payload{
		KeyOwner: Owner(tenant, user), KeyTenant: tenant, KeyUser: user,
		KeyEvent: t.Source.UUID, KeyEventID: t.Source.Event, KeyClass: t.Source.Class.String(), KeySeq: int64(t.Source.Seq),
		KeySubject: foldedSubject, KeyPredicate: t.Predicate, KeyObject: foldedObject,
		"subject_text": t.Subject, "object_text": t.Object, "negated": t.Negated, KeyConfidence: t.Confidence,
	}
	p.text(KeySegment, t.Source.Seg)
	p.text(KeyTool, t.Source.Tool)
	p.text("sentence", t.Sentence)
	p.text("rule", t.Rule)
	p.time(KeyValidFrom, t.ValidFrom)
	p.time(KeyValidTo, t.ValidTo)
	return p
}

// TripleFrom is the inverse of Triple.Payload.
func TripleFrom(id string, pl map[string]any) Triple {
	p := payload(pl)
	c, _ := ParseClass(p.str(KeyClass))
	return Triple{
		ID: id, Subject: p.str("subject_text"), Predicate: p.str(KeyPredicate), Object: p.str("object_text"),
		Negated: p.flag("negated"), Confidence: p.num(KeyConfidence), ValidFrom: p.at(KeyValidFrom), ValidTo: p.at(KeyValidTo),
		Sentence: p.str("sentence"), Rule: p.str("rule"),
		Source: Source{Event: p.str(KeyEventID), UUID: p.str(KeyEvent), Seg: p.str(KeySegment), Tool: p.str(KeyTool), Class: c, Seq: uint64(p.whole(KeySeq))},
	}
}

// NoTime stands for no time where a SetPayload has to clear one, since it cannot take a key away: the year 9999 in
// Unix milliseconds, so that a filter for what has ended passes it over.
const NoTime int64 = 253402300799000

// payload reads and writes point payloads without surprises: numbers may come back as int64 or float64.
type payload map[string]any

func (p payload) text(key, v string) {
	if v != "" {
		p[key] = v
	}
}

// tool is the tool that a point comes from, as it was called and as it is looked up.
func (p payload) tool(name string) {
	if name != "" {
		p[KeyTool], p[KeyTools] = name, ToolKeys(name)
	}
}

func (p payload) time(key string, t time.Time) {
	if !t.IsZero() {
		p[key] = t.UnixMilli()
	}
}

func (p payload) str(key string) string {
	s, _ := p[key].(string)
	return s
}

func (p payload) flag(key string) bool {
	b, _ := p[key].(bool)
	return b
}

func (p payload) num(key string) float64 {
	switch x := p[key].(type) {
	case float64:
		return x
	case int64:
		return float64(x)
	}
	return 0
}

// whole is num without the detour over a float, which would round above 2^53.
func (p payload) whole(key string) int64 {
	if n, ok := p[key].(int64); ok {
		return n
	}
	return int64(p.num(key))
}

// at is a time; 0 is 1970, so only [NoTime] and what is no number are none.
func (p payload) at(key string) time.Time {
	switch p[key].(type) {
	case int64, float64:
		if ms := p.whole(key); ms != NoTime {
			return time.UnixMilli(ms).UTC()
		}
	}
	return time.Time{}
}
