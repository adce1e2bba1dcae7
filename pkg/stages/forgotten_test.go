package stages

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// forgetting says that the events of these ids are forgotten.
type forgetting []string

func (f forgetting) Forgotten(_ context.Context, ev schema.Event) (bool, error) {
	return slices.Contains(f, ev.ID), nil
}

func (f forgetting) Erased(schema.Event) bool { return false }

func (f forgetting) Archived(schema.Event) bool { return false }

// An event that is forgotten while it is on its way must not leave behind what it had superseded.
func TestForgottenInFlightGivesBackWhatItSuperseded(t *testing.T) {
	s := newFactStore()
	r := s.runner(t)
	handle(t, r, spoken(t, "old", 1, day0, userSays("I live in Paris.")))
	r.Marks = forgetting{"new"}
	handle(t, r, spoken(t, "new", 2, day0.AddDate(0, 1, 0), userSays("I live in Berlin now.")))
	all := s.find(func(*schema.Memory) bool { return true })
	if len(all) != 1 || all[0].Source.Event != "old" || all[0].Status != schema.StatusActive || all[0].SupersededBy != "" || !all[0].ValidTo.IsZero() {
		t.Errorf("left is %+v, want the older statement alone, active again", all)
	}
}

// erasing is forgetting where nothing may stay.
type erasing struct{ forgetting }

func (erasing) Erased(schema.Event) bool { return true }

// A worker that comes late with an event that was erased leaves nothing, not even that it was there; and it does not touch
// the point of an event that has come since under the same id.
func TestALateWorkerLeavesNothingOfAnErasedEvent(t *testing.T) {
	rec := &recorder{forgotten: true}
	own := schema.Write{Kind: schema.WriteInsert, Collection: schema.Events, Owner: "t.u", Point: schema.Point{ID: "e", Payload: map[string]any{schema.KeySeq: int64(7)}}}
	derived := schema.Write{Kind: schema.WriteUpsert, Collection: schema.Passages, Owner: "t.u", Point: schema.Point{ID: "p"}}
	r := Runner{Sink: rec, Marks: erasing{forgetting{"x"}}}
	ev := schema.Event{Envelope: schema.Envelope{ID: "x", Seq: 7}}
	if _, err := r.unwrite(t.Context(), ev, schema.Result{Writes: []schema.Write{own, derived}}); err != nil {
		t.Fatal(err)
	}
	want := []schema.Write{
		{Kind: schema.WriteDelete, Collection: schema.Events, Owner: "t.u", IDs: []string{"e"}, Seq: 7},
		{Kind: schema.WriteDelete, Collection: schema.Passages, Owner: "t.u", IDs: []string{"p"}},
	}
	if !reflect.DeepEqual(rec.writes, want) {
		t.Errorf("taken back with %+v, want %+v", rec.writes, want)
	}
}
