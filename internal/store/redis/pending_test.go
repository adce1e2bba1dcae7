package redis

import "testing"

// What is asked for again while an earlier request is on its way is not done with that one.
func TestAnInvalidationAskedForMeanwhileStaysPending(t *testing.T) {
	p := newPending(false)
	p.add([]string{"a", "b"})
	keys, all := p.snapshot()
	p.add([]string{"a"})
	p.done(keys, all)
	if !p.blocks("a") || p.blocks("b") {
		t.Errorf("a pending %v, b pending %v; want only a", p.blocks("a"), p.blocks("b"))
	}
	p.addAll()
	_, all = p.snapshot()
	p.addAll()
	p.done(nil, all)
	if !p.blocks("c") {
		t.Error("the second demand to void everything was taken for done")
	}
	_, all = p.snapshot()
	p.done(nil, all)
	if p.blocks("c") {
		t.Error("still void after it was made up for")
	}
}
