package qdrantd

import "slices"

// hit is a point found by a query. payload is immutable; vectors are filled in while the partition is locked.
type hit struct {
	raw     float32 // more is better
	id      pointID
	version uint64
	payload []byte
	part    *partition
	row     uint32
}

// better orders hits: by score, then by id, so that an answer is always the same.
func better(a, b *hit) bool {
	return a.raw > b.raw || a.raw == b.raw && compareIDs(&a.id, &b.id) < 0
}

// topK keeps the k best hits: a heap with the worst on top.
type topK struct {
	k    int
	heap []hit
}

// open says whether a hit of this score could still get in; a tie may, depending on its id.
func (t *topK) open(raw float32) bool {
	return len(t.heap) < t.k || t.k > 0 && raw >= t.heap[0].raw
}

func (t *topK) push(h hit) {
	if len(t.heap) < t.k {
		t.heap = append(t.heap, h)
		for i := len(t.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if !better(&t.heap[up], &t.heap[i]) {
				break
			}
			t.heap[up], t.heap[i] = t.heap[i], t.heap[up]
			i = up
		}
		return
	}
	if t.k == 0 || !better(&h, &t.heap[0]) {
		return
	}
	t.heap[0] = h
	for i := 0; ; {
		worst, l := i, 2*i+1
		for c := l; c < l+2 && c < len(t.heap); c++ {
			if better(&t.heap[worst], &t.heap[c]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		t.heap[worst], t.heap[i] = t.heap[i], t.heap[worst]
		i = worst
	}
}

// sorted is the hits, best first. The heap is used up.
func (t *topK) sorted() []hit {
	slices.SortFunc(t.heap, func(a, b hit) int {
		switch {
		case better(&a, &b):
			return -1
		case better(&b, &a):
			return 1
		}
		return 0
	})
	return t.heap
}
