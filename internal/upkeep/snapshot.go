package upkeep

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"slices"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// PointPages reads whole points, page by page, in the order of their ids.
type PointPages interface {
	// Page returns points with payloads and vectors, and the cursor of the next page, "" on the last one.
	Page(ctx context.Context, generation int, col schema.Collection, cursor string) (ps []schema.Point, next string, err error)
}

// accidental reports whether a key of a payload tells how the index came about, not what it holds: which entries of an
// event's id held its point for a while, where several came in at once; and what the stages had noted on the point of an
// event that is forgotten, their flags and how many facts there were, which a process that was killed on the way does not
// make up for.
func accidental(payload map[string]any, key string) bool {
	if key == "replaced" {
		return true
	}
	return payload[schema.KeyOutcome] == string(schema.OutcomeForgotten) && (key == "facts" || strings.HasPrefix(key, schema.KeyDone))
}

// Hash reads every point of a generation and hashes what it says: its id, its payload but for the accidental keys, and
// its vectors, to the last bit. Ids, payloads and vectors carry no trace of their generation, of when they were written
// or by whom; last access is kept elsewhere. tell is called after each page with how many points were read. It blocks
// until done; points that are written meanwhile may be in it or not.
func Hash(ctx context.Context, pages PointPages, generation int, tell func(points uint64)) (schema.Snapshot, error) {
	out := schema.Snapshot{Generation: generation, Collections: []schema.CollectionHash{}}
	all, read := sha256.New(), uint64(0)
	for _, col := range schema.Collections {
		one, n, last := sha256.New(), uint64(0), ""
		for cursor := ""; ; {
			ps, next, err := pages.Page(ctx, generation, col, cursor)
			if err != nil {
				return out, fmt.Errorf("read %s of generation %d: %w", col, generation, err)
			}
			for i := range ps {
				if cmp.Compare(last, ps[i].ID) >= 0 {
					return out, schema.Permanent(schema.CodeInternal, nil, "%s of generation %d are not in the order of their ids", col, generation)
				}
				last = ps[i].ID
				if err := hashPoint(one, &ps[i]); err != nil {
					return out, fmt.Errorf("hash point %s: %w", last, err)
				}
			}
			n += uint64(len(ps))
			read += uint64(len(ps))
			tell(read)
			if cursor = next; cursor == "" {
				break
			}
		}
		sum := one.Sum(nil)
		field(all, []byte(col))
		field(all, sum)
		out.Collections = append(out.Collections, schema.CollectionHash{Name: col, Points: n, Hash: hex.EncodeToString(sum)})
	}
	out.Hash = hex.EncodeToString(all.Sum(nil))
	return out, nil
}

// hashPoint adds one point. Every part goes with its length, so that no two points read alike.
func hashPoint(h hash.Hash, p *schema.Point) error {
	pl := make(map[string]any, len(p.Payload))
	for k, v := range p.Payload {
		if !accidental(p.Payload, k) {
			pl[k] = v
		}
	}
	b, err := json.Marshal(pl) // keys in order
	if err != nil {
		return err
	}
	field(h, []byte(p.ID))
	field(h, b)
	field(h, floats(p.Dense))
	if p.Sparse == nil {
		field(h, nil)
		return nil
	}
	order := make([]int, len(p.Sparse.Indices))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p.Sparse.Indices[a], p.Sparse.Indices[b]) })
	var sparse []byte
	for _, i := range order {
		sparse = binary.LittleEndian.AppendUint32(sparse, p.Sparse.Indices[i])
		sparse = binary.LittleEndian.AppendUint32(sparse, math.Float32bits(p.Sparse.Values[i]))
	}
	field(h, sparse)
	return nil
}

func floats(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func field(h hash.Hash, b []byte) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(b)))
	h.Write(n[:])
	h.Write(b)
}
