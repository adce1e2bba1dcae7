package qdrant

import "google.golang.org/protobuf/encoding/protowire"

// batchReply is a QueryBatchResponse: the hits of each search. With alike all searches select the same keys, so that a
// point which several found has one payload.
type batchReply struct {
	alike   bool
	results [][]found
}

func (r *batchReply) read(b []byte) error {
	var rd reader
	if r.alike {
		rd.known = map[string]map[string]any{}
	}
	return fields(b, func(f field) error {
		if f.no != 1 {
			return nil
		}
		hits, err := rd.points(f.b, 1, scored)
		r.results = append(r.results, hits)
		return err
	})
}

// pointsReply is a GetResponse.
type pointsReply struct{ points []found }

func (r *pointsReply) read(b []byte) (err error) {
	var rd reader
	r.points, err = rd.points(b, 1, retrieved)
	return err
}

// pageReply is a ScrollResponse; next is "" on the last page.
type pageReply struct {
	points []found
	next   string
}

func (r *pageReply) read(b []byte) (err error) {
	var rd reader
	if r.points, err = rd.points(b, 2, retrieved); err != nil {
		return err
	}
	return fields(b, func(f field) (err error) {
		if f.no == 1 {
			r.next, err = rd.id(f.b)
		}
		return err
	})
}

// points are those that stand in the field no of a message.
func (r *reader) points(b []byte, no protowire.Number, at shape) (out []found, err error) {
	err = fields(b, func(f field) error {
		if f.no != no {
			return nil
		}
		p, err := r.point(f.b, at)
		out = append(out, p)
		return err
	})
	return out, err
}
