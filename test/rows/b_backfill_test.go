package rows

import (
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Turns of the past are accepted in any order, after what came later, and take their place by their own times: they
// supersede nothing that was said since, are history where that superseded them, and are found as of then.
func TestB3_TurnsOfThePastTakeTheirPlaceInTime(t *testing.T) {
	c := tenant(t)
	past := func(id string, at time.Time, input string) schema.Turn {
		x := turn(id, input, "Noted.")
		x.At = at
		return x
	}
	then := time.Date(2019, 5, 1, 8, 0, 0, 0, time.UTC)
	c.Put(turn("now", "I live in Lisbon now.", "Noted."), turn("tea", "The tea is kept in the larder.", "Noted."))
	c.Settle()
	c.Put(past("late", then.AddDate(2, 0, 0), "I live in Kyoto now."), past("early", then, "I live in Lima now."), past("shed", then, "The tea was kept in the shed."))
	c.Settle()
	lives := func(q schema.Query) (out []string) {
		t.Helper()
		q.User, q.Query, q.Limit, q.Types = "ann", "Where do I live?", 20, []schema.Type{schema.TypeFact}
		for _, it := range c.Ask(q).Items {
			for _, city := range []string{"Lisbon", "Kyoto", "Lima"} {
				if strings.Contains(it.Content, city) && it.Status == schema.StatusActive {
					out = append(out, city)
				}
			}
		}
		return out
	}
	for what, x := range map[string]struct {
		q    schema.Query
		want string
	}{
		"now":     {schema.Query{Now: day}, "Lisbon"},
		"in 2022": {schema.Query{Now: day, AsOf: then.AddDate(3, 0, 0)}, "Kyoto"},
		"in 2020": {schema.Query{Now: day, AsOf: then.AddDate(1, 0, 0)}, "Lima"},
	} {
		if got := strings.Join(lives(x.q), " "); got != x.want {
			t.Errorf("%s: %q, want %s", what, got, x.want)
		}
	}
	// Of two turns that tell as much of the question the recent one comes first, whenever it was accepted.
	var order []string
	for _, it := range c.Ask(schema.Query{User: "ann", Query: "tea kept", Now: day, Limit: 20, Types: []schema.Type{schema.TypeEpisode}}).Items {
		if it.Source.Event == "tea" || it.Source.Event == "shed" {
			order = append(order, it.Source.Event)
		}
	}
	if strings.Join(order, " ") != "tea shed" {
		t.Errorf("in the order %q", order)
	}
}
