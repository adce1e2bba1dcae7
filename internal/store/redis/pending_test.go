package redis

import "testing"

// What is asked for again while an earlier request is on its way is not done with that one.
func TestAnInvalidationAskedForMeanwhileStaysPending(t *testing.T) {
	p := newPending(false)
	a, b, c := entry{standing, 1, "a"}, entry{recent, 1, "b"}, entry{standing, 1, "c"}
	p.add([]entry{a, b})
	es, all, recents := p.snapshot()
	p.add([]entry{a})
	p.done(es, all, recents)
	if !p.blocks(a) || p.blocks(b) {
		t.Errorf("a pending %v, b pending %v; want only a", p.blocks(a), p.blocks(b))
	}
	p.addAll()
	_, all, recents = p.snapshot()
	p.addAll()
	p.done(nil, all, recents)
	if !p.blocks(c) || p.blocks(b) {
		t.Error("the second demand to void everything was taken for done, or concerns recent items")
	}
	_, all, recents = p.snapshot()
	p.done(nil, all, recents)
	if p.blocks(c) {
		t.Error("still void after it was made up for")
	}
	p.add([]entry{b})
	if !p.blocks(b) || p.blocks(entry{recent, 2, "b"}) || p.blocks(entry{standing, 1, "b"}) {
		t.Error("recent items of one generation are not those alone")
	}
}
