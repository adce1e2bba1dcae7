package app

import (
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
)

// A plain publish without an id has the same one at every delivery, and no other message has it, also where the
// stream was made anew and counts from 1 again.
func TestPlainPublishesKeepTheirID(t *testing.T) {
	stored := time.Unix(1700000000, 1)
	d := events.Delivery{Subject: events.InSubject("acme"), Sequence: 17, NumDelivered: 1, Stored: stored}
	id := func(d events.Delivery) string {
		t.Helper()
		ev, err := decodePlain(d, nil, []byte("{}"))
		if err != nil || ev.Tenant != "acme" || ev.UUID != "" { // a UUID would make it an event with a point
			t.Fatalf("%+v %v", ev, err)
		}
		return ev.ID
	}
	first := id(d)
	if first != "in-1700000000000000001-17" {
		t.Errorf("id %s", first)
	}
	again, next, anew := d, d, d
	again.NumDelivered, next.Sequence, anew.Stored = 3, 18, stored.Add(time.Hour)
	if id(again) != first || id(next) == first || id(anew) == first {
		t.Errorf("ids %s, again %s, next %s, anew %s", first, id(again), id(next), id(anew))
	}
	if _, err := decodePlain(events.Delivery{Subject: "elsewhere"}, nil, nil); err == nil {
		t.Error("a subject of another stream is taken")
	}
}
