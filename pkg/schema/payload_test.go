package schema

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawTime is no time, or one that JSON can carry, to the millisecond: 1970 itself, before it, after 2262 (where
// nanoseconds in an int64 end), and the ends.
func drawTime(t *rapid.T, name string) time.Time {
	ms := rapid.OneOf(
		rapid.SampledFrom([]int64{0, -1, 1, -62135596799999, 253402300798999, 9223372036855, 9223372036854}),
		rapid.Int64Range(-62135596799999, 253402300798999),
	).Draw(t, name)
	if rapid.IntRange(0, 3).Draw(t, name+" absent") == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func drawSource(t *rapid.T) Source {
	return Source{
		Event: rapid.String().Draw(t, "event"), UUID: rapid.String().Draw(t, "uuid"), Seg: rapid.String().Draw(t, "segment"), Tool: rapid.String().Draw(t, "tool"),
		Class: Class(rapid.IntRange(0, 4).Draw(t, "class")), Seq: uint64(rapid.Int64Min(0).Draw(t, "seq")),
	}
}

// stores gives back what a vector store may: the same, or every whole float as an integer and the other way round
// where that loses nothing.
func stores(t *rapid.T, p map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range p {
		switch x := v.(type) {
		case float64:
			if n := int64(x); float64(n) == x && rapid.Bool().Draw(t, "as integer "+k) {
				v = n
			}
		case int64:
			if f := float64(x); x < 1<<53 && x > -1<<53 && rapid.Bool().Draw(t, "as float "+k) {
				v = f
			}
		case string, bool, []string:
		default:
			t.Fatalf("payload value %s is a %T", k, v)
		}
		out[k] = v
	}
	return out
}

func TestMemoryComesBackFromItsPayload(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		str := func(name string) string { return rapid.String().Draw(t, name) }
		m := Memory{
			ID: str("id"), Tenant: str("tenant"), User: str("user"), Type: Type(str("type")), Kind: Kind(str("kind")), Content: str("content"),
			Subject: str("subject"), Predicate: str("predicate"), Object: str("object"), Negated: rapid.Bool().Draw(t, "negated"), Replaces: str("replaces"),
			Slot: str("slot"), Group: str("group"), Importance: rapid.Float64Range(0, 1).Draw(t, "importance"), Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"),
			Explicit: rapid.Bool().Draw(t, "explicit"), Pinned: rapid.Bool().Draw(t, "pinned"), Tier: Tier(str("tier")), Status: Status(str("status")), Lang: str("lang"),
			Conversation: str("conversation"), ContentHash: str("hash"), ObservedAt: drawTime(t, "at"), ValidFrom: drawTime(t, "from"), ValidTo: drawTime(t, "to"),
			ExpiresAt: drawTime(t, "expires"), SupersededBy: str("by"), Source: drawSource(t), Rule: str("rule"),
		}
		p := m.Payload()
		if p[KeyOwner] != Owner(m.Tenant, m.User) {
			t.Fatalf("owner %v", p[KeyOwner])
		}
		if got := MemoryFrom(m.ID, stores(t, p)); !reflect.DeepEqual(got, m) {
			t.Fatalf("came back as %+v\nwas          %+v", got, m)
		}
	})
}

func TestTripleComesBackFromItsPayload(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		str := func(name string) string { return rapid.String().Draw(t, name) }
		tr := Triple{
			ID: str("id"), Subject: str("subject"), Predicate: str("predicate"), Object: str("object"), Negated: rapid.Bool().Draw(t, "negated"),
			Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"), ValidFrom: drawTime(t, "from"), ValidTo: drawTime(t, "to"),
			Sentence: str("sentence"), Rule: str("rule"), Source: drawSource(t),
		}
		p := tr.Payload("acme", "u", "folded s", "folded o")
		if p[KeySubject] != "folded s" || p[KeyObject] != "folded o" || p[KeyOwner] != Owner("acme", "u") {
			t.Fatalf("payload %v", p)
		}
		if got := TripleFrom(tr.ID, stores(t, p)); !reflect.DeepEqual(got, tr) {
			t.Fatalf("came back as %+v\nwas          %+v", got, tr)
		}
	})
}

// What a time becomes in a payload, at the ends where a clock of nanoseconds or an empty value would go wrong.
func TestPayloadTimesAtTheEnds(t *testing.T) {
	for name, c := range map[string]struct {
		at   time.Time
		want int64 // milliseconds
		back time.Time
	}{
		"none":                 {time.Time{}, NoTime, time.Time{}},
		"1970 is a time":       {time.Unix(0, 0), 0, time.Unix(0, 0)},
		"before 1970":          {time.Date(1969, 7, 20, 20, 17, 40, 500e6, time.UTC), int64(-14182939500), time.Date(1969, 7, 20, 20, 17, 40, 500e6, time.UTC)},
		"before 1970, floored": {time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC), int64(-1), time.Date(1969, 12, 31, 23, 59, 59, 999e6, time.UTC)},
		"after 2262":           {time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC), int64(16725225600000), time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC)},
		"another zone":         {time.Date(2026, 3, 1, 8, 0, 0, 0, time.FixedZone("", 8*3600)), int64(1772323200000), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		"the mark for none":    {time.UnixMilli(NoTime), NoTime, time.Time{}},
	} {
		m := Memory{ValidTo: c.at}
		p := m.Payload()
		if got := p[KeyValidTo]; got != c.want {
			t.Errorf("%s: %v in the payload, want %v", name, got, c.want)
		}
		if got := MemoryFrom("x", p).ValidTo; !got.Equal(c.back) || got.IsZero() != c.back.IsZero() || got.Location() != time.UTC {
			t.Errorf("%s: comes back as %v, want %v", name, got, c.back)
		}
	}
	if want := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC); NoTime != want.UnixMilli() {
		t.Errorf("NoTime is %v", time.UnixMilli(NoTime).UTC())
	}
}

// A point of an older build, or a damaged one, still reads.
func TestMemoryFromTakesAnything(t *testing.T) {
	for _, p := range []map[string]any{nil, {}, {KeyAt: "x", KeySeq: []string{}, KeyClass: 7, "content": nil, KeyPinned: "yes", "importance": true, KeyValidTo: nil}} {
		if m := MemoryFrom("x", p); m.ID != "x" || m.Content != "" || m.Pinned || m.Source.Class != 0 || !m.ObservedAt.IsZero() || !m.ValidTo.IsZero() {
			t.Errorf("%v reads as %+v", p, m)
		}
		if tr := TripleFrom("x", p); tr.ID != "x" || tr.Subject != "" {
			t.Errorf("%v reads as %+v", p, tr)
		}
	}
}

func TestActiveKnowsItsEnds(t *testing.T) {
	now := day(10, 0)
	for name, c := range map[string]struct {
		m    Memory
		want bool
	}{
		"active":                {Memory{Status: StatusActive}, true},
		"superseded":            {Memory{Status: StatusSuperseded}, false},
		"no status":             {Memory{}, false},
		"expires now":           {Memory{Status: StatusActive, ExpiresAt: now}, false},
		"expires later":         {Memory{Status: StatusActive, ExpiresAt: now.Add(1)}, true},
		"valid to now":          {Memory{Status: StatusActive, ValidTo: now}, false},
		"valid to later":        {Memory{Status: StatusActive, ValidTo: now.Add(1)}, true},
		"valid, but expired":    {Memory{Status: StatusActive, ValidTo: now.Add(1), ExpiresAt: now.Add(-1)}, false},
		"not valid from now on": {Memory{Status: StatusActive, ValidFrom: now.Add(-1), ValidTo: now.Add(-1)}, false},
	} {
		if got := c.m.Active(now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
