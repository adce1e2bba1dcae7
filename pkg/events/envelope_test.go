package events

import (
	"reflect"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func sampleEnvelope() schema.Envelope {
	at := time.Date(2026, 3, 4, 5, 6, 7, 891, time.FixedZone("", 8*3600))
	return schema.Envelope{
		Version: 1, UUID: schema.EventUUID("acme", "轮次 1"), ID: "轮次 1", Op: schema.OpTurn, Tenant: "acme", User: "小李",
		At: at, Accepted: at.Add(time.Second).UTC(), Seq: 12, PolicyRev: 3, Class: schema.ClassUser, BodyHash: schema.Hash([]byte("x")),
		Generation: 2, Attempt: 1, Low: 9, Epoch: 77, Trace: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	}
}

// wire sends h through the client's encoder and decoder.
func wire(t testing.TB, h nats.Header) nats.Header {
	m := nats.Msg{Header: h}
	var b []byte
	b = append(b, "NATS/1.0\r\n"...)
	for k, vs := range m.Header {
		for _, v := range vs {
			b = append(b, k+": "+v+"\r\n"...)
		}
	}
	got, err := nats.DecodeHeadersMsg(append(b, "\r\n"...))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEnvelopeSurvivesTheWire(t *testing.T) {
	want := sampleEnvelope()
	got, err := ParseEnvelope(wire(t, Headers(want)))
	if err != nil {
		t.Fatal(err)
	}
	if !got.At.Equal(want.At) || got.At.Format(time.RFC3339Nano) != want.At.Format(time.RFC3339Nano) {
		t.Errorf("At = %v, want %v with its zone", got.At, want.At)
	}
	got.At, got.Accepted, want.At, want.Accepted = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseEnvelopeRefuses(t *testing.T) {
	for _, key := range []string{HeaderVersion, HeaderUUID, HeaderID, HeaderOp, HeaderTenant, HeaderAt, HeaderAccepted, HeaderClass, HeaderHash} {
		h := Headers(sampleEnvelope())
		delete(h, key)
		wantField(t, h, key)
		h[key] = []string{"a", "a"}
		wantField(t, h, key)
		h[key] = []string{""}
		wantField(t, h, key)
	}
	for key, bad := range map[string]string{
		HeaderVersion: "-1", HeaderUUID: "5B1f0c6e-9d52-4e2a-8c37-5117570e5a01", HeaderAt: "yesterday", HeaderClass: "root",
		HeaderHash: "abc", HeaderSeq: "1e3", HeaderGen: "99999999999", HeaderLow: "x", HeaderUser: string(make([]byte, 2000)),
	} {
		h := Headers(sampleEnvelope())
		h[key] = []string{bad}
		wantField(t, h, key)
	}
}

func wantField(t *testing.T, h nats.Header, key string) {
	t.Helper()
	_, err := ParseEnvelope(h)
	e, ok := err.(*schema.Error)
	if !ok || e.Retry || e.Field != key {
		t.Errorf("%s = %q: error %v, want a permanent one naming it", key, h[key], err)
	}
}

func TestDecodeTakesSeqFromTheLogOnly(t *testing.T) {
	e := sampleEnvelope()
	e.Seq, e.Generation = 0, 0
	if ev, err := Decode(Headers(e), nil, 41); err != nil || ev.Seq != 41 {
		t.Errorf("log entry: seq %d, %v; want 41", ev.Seq, err)
	}
	e.Generation = 1
	if _, err := Decode(Headers(e), nil, 41); !schema.IsPermanent(err) {
		t.Errorf("derived without Seq: %v, want a permanent error", err)
	}
	e.Seq = 7
	if ev, err := Decode(Headers(e), nil, 41); err != nil || ev.Seq != 7 {
		t.Errorf("derived: seq %d, %v; want 7", ev.Seq, err)
	}
}

// No two of (stage, generation, event, sequence, attempt) may share an id in one stream: the window ignores subjects.
func TestPitfall04_MsgIDsNeverCollide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type in struct {
			stage   string
			gen     int
			uuid    string
			seq     uint64
			attempt int
		}
		draw := func(l string) in {
			return in{rapid.SampledFrom([]string{"clean", "distill", "in"}).Draw(t, l+"s"), rapid.IntRange(0, 12).Draw(t, l+"g"),
				schema.EventUUID("t", rapid.StringN(1, 2, 2).Draw(t, l+"u")), rapid.Uint64Range(1, 12).Draw(t, l+"n"), rapid.IntRange(0, 12).Draw(t, l+"a")}
		}
		a, b := draw("a"), draw("b")
		ia, ib := MsgID(a.stage, a.gen, a.uuid, a.seq, a.attempt), MsgID(b.stage, b.gen, b.uuid, b.seq, b.attempt)
		if (a == b) != (ia == ib) {
			t.Fatalf("%+v and %+v: %q, %q", a, b, ia, ib)
		}
		if ia == LogMsgID(a.uuid) {
			t.Fatalf("%q is a log id too", ia)
		}
	})
}

func FuzzParseEnvelope(f *testing.F) {
	f.Add("Silt-Id", "x")
	f.Add("Silt-At", "2026-13-01T00:00:00Z")
	f.Fuzz(func(t *testing.T, k, v string) {
		h := Headers(sampleEnvelope())
		h[k] = []string{v}
		if e, err := ParseEnvelope(h); err == nil && (e.UUID == "" || e.Tenant == "" || e.ID == "") {
			t.Fatalf("accepted an envelope without an identity: %+v", e)
		}
	})
}

func BenchmarkHeaders(b *testing.B) {
	e := sampleEnvelope()
	b.ReportAllocs()
	for b.Loop() {
		Headers(e)
	}
}

func BenchmarkParseEnvelope(b *testing.B) {
	h := Headers(sampleEnvelope())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseEnvelope(h); err != nil {
			b.Fatal(err)
		}
	}
}
