package stages

import (
	"context"
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// forgetting says that the events of these ids are forgotten.
type forgetting []string

func (f forgetting) Forgotten(_ context.Context, ev schema.Event) (bool, error) {
	return slices.Contains(f, ev.ID), nil
}

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
