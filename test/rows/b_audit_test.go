package rows

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// The audit finds each kind of fault that is made behind the back of the pipeline, by its id, mends it, and is clean
// where nothing is wrong.
func TestB2_TheAuditFindsWhatIsWrongAndMendsIt(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data"))) // what it does to the log, every tenant's audit would tell
	c, other := s.As(t, ""), s.As(t, "other")
	at := s.Connect(t)
	store, err := qdrant.New(qdrant.Options{URL: "http://" + at.Qdrant.Addr, APIKey: at.Qdrant.Key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for i := range 8 {
		c.Put(turn("a"+itoa(i), fmt.Sprintf("Greenhouse %d grows the tall orchid number %d.", i, 3*i), "Noted."))
	}
	c.Put(turn("gone", "The attic smells of cedar.", "Noted."), schema.Turn{ID: "meta", User: "ann", At: day, ToolResults: []schema.ToolResult{tool("todo_write", "1. plan")}})
	pin, err := c.Pin(t.Context(), schema.Pin{User: "ann", Content: "Never water the orchids at noon."})
	if err != nil {
		t.Fatal(err)
	}
	c.Put(turn("told", "I live in Ghent. My sister Mara works at the harbour museum.", "Noted."))
	if _, err := c.Forget(t.Context(), schema.Forget{User: "ann", IDs: []string{"gone"}}); err != nil {
		t.Fatal(err)
	}
	ledger := c.Settle().Ledger

	audit := func(repair bool, kinds ...schema.AuditKind) *schema.Audit {
		t.Helper()
		id, err := c.Audit(t.Context(), schema.AuditRequest{Repair: repair, Kinds: kinds})
		if err != nil {
			t.Fatal(err)
		}
		var out *schema.Audit
		stacktest.Eventually(t, "the audit to end", func() error {
			j, err := c.Job(t.Context(), id)
			if err != nil || j.State == schema.JobRunning {
				return fmt.Errorf("%+v, %w", j, err)
			}
			if j.State != schema.JobDone {
				t.Fatalf("the audit failed: %+v", j.Error)
			}
			out = j.Audit
			return nil
		})
		if j, err := other.Job(t.Context(), id); schema.CodeOf(err) != schema.CodeNotFound {
			t.Fatalf("another tenant sees the audit: %+v, %v", j, err)
		}
		return out
	}
	clean := func(what string, a *schema.Audit) {
		t.Helper()
		if a.Faults != 0 || a.Ledger != ledger {
			t.Fatalf("%s: %+v, want the ledger %+v", what, a, ledger)
		}
	}
	clean("before", audit(false))
	why := c.Settle().Reasons.Dropped
	if a := audit(false); !maps.Equal(a.Dropped, why) || len(why) != 1 || why["not_ingested"] != 1 {
		t.Errorf("dropped by %v, and in the status by %v", a.Dropped, why)
	}

	id := func(i int) string { return c.What("a" + itoa(i)).UUID }
	seq := func(i int) uint64 { return c.What("a" + itoa(i)).Seq }
	apply := func(ws ...schema.Write) {
		t.Helper()
		if err := store.Apply(t.Context(), 1, ws); err != nil {
			t.Fatal(err)
		}
	}
	passage := stages.Passage(id(0), seq(0), "input", "vectorize")
	ps, err := store.Get(t.Context(), 1, schema.Passages, []string{passage}, true)
	if err != nil || len(ps) != 1 {
		t.Fatalf("the passage: %v, %v", ps, err)
	}
	owner := ps[0].Payload[schema.KeyOwner].(string)
	put := func(point string, change map[string]any) schema.Write {
		p := ps[0]
		p.ID, p.Payload = point, map[string]any{}
		for k, v := range ps[0].Payload {
			p.Payload[k] = v
		}
		for k, v := range change {
			p.Payload[k] = v
		}
		return schema.Write{Kind: schema.WriteUpsert, Collection: schema.Passages, Owner: owner, Point: p}
	}
	event := id(1)
	gone := schema.EventUUID(ps[0].Payload[schema.KeyTenant].(string), "gone")
	goneAt, err := store.GetKeys(t.Context(), 1, schema.Events, []string{gone}, schema.KeySeq)
	if err != nil || len(goneAt) != 1 {
		t.Fatalf("the forgotten event: %v, %v", goneAt, err)
	}
	double, ghost, undead := schema.UUID("double", event), schema.UUID("ghost", event), schema.UUID("undead", event)
	// What distill and decide made goes the same way.
	told := c.What("told")
	fact := stages.Passage(told.UUID, told.Seq, "0", "decide")
	triple := stages.Passage(told.UUID, told.Seq, "input.0", "distill")
	for col, id := range map[schema.Collection]string{schema.Facts: fact, schema.Triples: triple} {
		if ps, err := store.GetKeys(t.Context(), 1, col, []string{id, stages.Passage(told.UUID, told.Seq, "input.1", "distill")}, schema.KeySeq); err != nil || len(ps) == 0 {
			t.Fatalf("%s of the turn that tells: %v, %v", col, ps, err)
		}
	}
	copied := func(col schema.Collection, from, to string) schema.Write {
		ps, err := store.Get(t.Context(), 1, col, []string{from}, true)
		if err != nil || len(ps) != 1 {
			t.Fatalf("%s %s: %v, %v", col, from, ps, err)
		}
		ps[0].ID = to
		return schema.Write{Kind: schema.WriteUpsert, Collection: col, Owner: owner, Point: ps[0]}
	}
	factTwice, tripleTwice := schema.UUID("fact", fact), schema.UUID("triple", triple)
	apply(copied(schema.Facts, fact, factTwice), copied(schema.Triples, triple, tripleTwice))
	apply(
		schema.Write{Kind: schema.WriteDelete, Collection: schema.Facts, Owner: owner, IDs: []string{fact, pin.ID}},
		schema.Write{Kind: schema.WriteDelete, Collection: schema.Triples, Owner: owner, IDs: []string{triple}},
		schema.Write{Kind: schema.WriteDelete, Collection: schema.Passages, Owner: owner, IDs: []string{passage}},
		put(double, map[string]any{schema.KeyEvent: id(2), schema.KeySeq: int64(seq(2))}),
		put(ghost, map[string]any{schema.KeyEvent: schema.UUID("nobody"), schema.KeySeq: int64(0)}),
		put(undead, map[string]any{schema.KeyEvent: gone, schema.KeySeq: goneAt[0].Payload[schema.KeySeq]}),
		schema.Write{Kind: schema.WriteDelete, Collection: schema.Events, Owner: owner, IDs: []string{event}},
	)
	want := map[string]schema.AuditKind{
		fact: schema.AuditMissing, pin.ID: schema.AuditMissing, triple: schema.AuditMissing, factTwice: schema.AuditDoubled, tripleTwice: schema.AuditDoubled,
		passage: schema.AuditMissing, event: schema.AuditMissing, double: schema.AuditDoubled, ghost: schema.AuditGhost, undead: schema.AuditGhost,
	}
	a := audit(false)
	found := map[string]schema.AuditKind{}
	for _, f := range a.Found {
		found[f.Point] = f.Kind
	}
	for p, k := range want {
		if found[p] != k {
			t.Errorf("%s is found to be %q, want %q", p, found[p], k)
		}
	}
	if a.Faults != uint64(len(want)) || a.Ledger.Pending != 1 {
		t.Errorf("found %+v", a)
	}
	if a := audit(false, schema.AuditGhost); a.Kinds[schema.AuditGhost] != 2 || len(a.Found) != 2 || a.Faults != uint64(len(want)) {
		t.Errorf("ghosts alone: %+v", a)
	}
	a = audit(true)
	if a.Repaired != uint64(len(want)) {
		t.Errorf("repaired %d", a.Repaired)
	}
	clean("after the repair", a)
	clean("and again", audit(false))
	if items := c.Ask(ask("Greenhouse 1 orchid")).Items; count(items, "Greenhouse 1 ") != 1 {
		t.Errorf("found: %v", contents(items))
	}

	// An entry whose bytes are not those of its hash is reported by its sequence, and cannot be mended.
	js, err := jetstream.New(stacktest.Dial(t, at))
	if err != nil {
		t.Fatal(err)
	}
	log, err := js.Stream(t.Context(), events.StreamLog)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := log.GetMsg(t.Context(), seq(3))
	if err != nil {
		t.Fatal(err)
	}
	m := &nats.Msg{Subject: entry.Subject, Header: nats.Header{}, Data: []byte(strings.Replace(string(entry.Data), "orchid", "orchis", 1))}
	for k, v := range entry.Header {
		if !strings.HasPrefix(k, "Nats-") {
			m.Header[k] = v
		}
	}
	ack, err := js.PublishMsg(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	c.Settle()
	if a := audit(true); a.Faults != 1 || a.Repaired != 0 || a.Found[0].Kind != schema.AuditDamaged || a.Found[0].Seq != ack.Sequence {
		t.Errorf("a flipped letter: %+v", a)
	}

	// An entry that somebody has taken out of the log is lost, and what stems from it a ghost.
	if err := log.DeleteMsg(t.Context(), seq(5)); err != nil {
		t.Fatal(err)
	}
	lost := map[schema.AuditKind]bool{}
	for _, f := range audit(false).Found {
		if f.Seq == seq(5) {
			lost[f.Kind] = true
		}
	}
	if !lost[schema.AuditLost] || !lost[schema.AuditGhost] {
		t.Errorf("of an entry that is gone the audit tells %v", lost)
	}
}
