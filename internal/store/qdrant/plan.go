package qdrant

import (
	"slices"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// group is writes of one kind that travel together. No point is in it twice.
type group struct {
	key    groupKey
	points []*qdrant.PointStruct // upsert, insert
	ids    []*qdrant.PointId     // set payload, delete
	owners []string              // set payload, delete: whose points ids may be
	seqs   []int64               // set payload with a fence: log sequences that the points may be of

	payload map[string]*qdrant.Value // set payload
	at      map[string]int           // place of an id in points or ids
}

// groupKey says what may travel together. The level keeps the order of writes to one point: a write that may not
// merge with the one before it on the same point is a level higher, and levels are sent one after the other.
type groupKey struct {
	level      int
	collection schema.Collection
	kind       schema.WriteKind
	payload    string         // set payload: its bytes, so that equal ones merge
	owner      string         // where the kind names points by id alone, and by that could reach another owner's
	seq        uint64         // upsert with a fence: the one sequence; all of one request share it
	fenced     bool           // set payload with a fence
	outcome    schema.Outcome // set payload: that the points must have; "" for any
}

// planner turns writes into as few groups as their order allows.
type planner struct {
	levels [][]*group
	byKey  map[groupKey]*group
	last   map[pointKey]groupKey // which group wrote a point last
}

type pointKey struct {
	collection schema.Collection
	id         string
}

// plan validates all writes and groups them. An error is permanent and nothing has been sent yet.
func plan(writes []schema.Write) ([][]*group, error) {
	p := planner{byKey: map[groupKey]*group{}, last: map[pointKey]groupKey{}}
	for i := range writes {
		if err := p.add(&writes[i]); err != nil {
			return nil, err
		}
	}
	p.deferFlags()
	return p.levels, nil
}

// deferFlags moves what is set on event points behind everything else, as far as their own order allows: a stage's
// done flag stands only once what it speaks of does, though both come in one batch.
func (p *planner) deferFlags() {
	var flags []*group
	for i, groups := range p.levels {
		p.levels[i] = slices.DeleteFunc(groups, func(g *group) bool {
			last := g.key.collection == schema.Events && g.key.kind == schema.WriteSetPayload
			for id := range g.at {
				last = last && p.last[pointKey{schema.Events, id}] == g.key
			}
			if last {
				flags = append(flags, g)
			}
			return last
		})
	}
	if len(flags) > 0 {
		p.levels = append(p.levels, flags)
	}
}

func (p *planner) add(w *schema.Write) error {
	if _, known := layouts[w.Collection]; !known {
		return schema.Invalid("collection", "%q is not a collection", w.Collection)
	}
	if w.Owner == "" {
		return schema.Invalid("owner", "a write must name the owner of its points")
	}
	switch w.Kind {
	case schema.WriteUpsert, schema.WriteInsert:
		return p.addPoint(w)
	case schema.WriteSetPayload, schema.WriteDelete:
		return p.addIDs(w)
	}
	return schema.Invalid("kind", "%d is not a kind of write", w.Kind)
}

func (p *planner) addPoint(w *schema.Write) error {
	if o, _ := w.Point.Payload[schema.KeyOwner].(string); o != w.Owner {
		return schema.Invalid("payload.owner", "is not the owner that the write names")
	}
	pt, err := toPoint(w.Collection, &w.Point)
	if err != nil {
		return err
	}
	if proto.Size(pt) > maxPoint {
		return schema.Permanent(schema.CodeTooLarge, nil, "point %s is %d bytes large, at most %d are allowed", w.Point.ID, proto.Size(pt), maxPoint)
	}
	if w.Outcome != "" {
		return schema.Invalid("outcome", "is a fence of what is set on points that are there")
	}
	if w.Seq > 0 && w.Kind == schema.WriteInsert {
		return schema.Invalid("seq", "an insert meets no point, so it has no fence")
	}
	g := p.group(groupKey{collection: w.Collection, kind: w.Kind, seq: w.Seq}, []string{w.Point.ID})
	i, again := g.at[w.Point.ID]
	switch {
	case !again:
		g.at[w.Point.ID] = len(g.points)
		g.points = append(g.points, pt)
	case w.Kind == schema.WriteUpsert: // the later one wins
		g.points[i] = pt
	} // of two inserts the first one wins
	return nil
}

func (p *planner) addIDs(w *schema.Write) error {
	if len(w.IDs) == 0 {
		return nil
	}
	ids := make([]*qdrant.PointId, len(w.IDs))
	for i, id := range w.IDs {
		x, err := toID("ids", id)
		if err != nil {
			return err
		}
		ids[i] = x
	}
	k := groupKey{collection: w.Collection, kind: w.Kind, owner: w.Owner, fenced: w.Seq > 0, outcome: w.Outcome}
	var pl map[string]*qdrant.Value
	if w.Kind == schema.WriteSetPayload {
		for _, key := range []string{schema.KeyOwner, schema.KeyTenant, schema.KeyUser} {
			if _, set := w.Payload[key]; set {
				return schema.Invalid("payload."+key, "a point does not change its owner")
			}
		}
		var err error
		if pl, err = toPayload("payload", w.Payload, 0); err != nil {
			return err
		}
		if k.payload, err = payloadKey(pl); err != nil {
			return err
		}
		if w.Collection == schema.Events {
			// Done flags: one request for a whole batch of events, whoever's they are. The ids are those of the
			// events being handled and come from no client; the owners of the group are still asked for.
			k.owner = ""
		}
	}
	g := p.group(k, w.IDs)
	g.payload = pl
	if !slices.Contains(g.owners, w.Owner) {
		g.owners = append(g.owners, w.Owner)
	}
	// Points of many events travel together, each with its fence: a sequence is of one log entry, so that a point
	// whose sequence is among them is one that its own write allows.
	if s := int64(w.Seq); w.Seq > 0 && !slices.Contains(g.seqs, s) {
		g.seqs = append(g.seqs, s)
	}
	for i, id := range w.IDs {
		if _, again := g.at[id]; !again {
			g.at[id] = len(g.ids)
			g.ids = append(g.ids, ids[i])
		}
	}
	return nil
}

// group finds or makes the group of key k (its level is set here) on the lowest level that comes after every
// earlier write to ids, or is that of the same group.
func (p *planner) group(k groupKey, ids []string) *group {
	for _, id := range ids {
		last, wrote := p.last[pointKey{k.collection, id}]
		if !wrote {
			continue
		}
		level := last.level + 1
		same := k
		// Two upserts with a fence do not merge: the first may have moved the point past the second's.
		if same.level = last.level; same == last && k.seq == 0 {
			level = last.level
		}
		k.level = max(k.level, level)
	}
	for _, id := range ids {
		p.last[pointKey{k.collection, id}] = k
	}
	g := p.byKey[k]
	if g == nil {
		g = &group{key: k, at: map[string]int{}}
		p.byKey[k] = g
		for len(p.levels) <= k.level {
			p.levels = append(p.levels, nil)
		}
		p.levels[k.level] = append(p.levels[k.level], g)
	}
	return g
}

func payloadKey(pl map[string]*qdrant.Value) (string, error) {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(&qdrant.Struct{Fields: pl})
	if err != nil {
		return "", schema.Permanent(schema.CodeInvalid, err, "encode payload")
	}
	return string(b), nil
}
