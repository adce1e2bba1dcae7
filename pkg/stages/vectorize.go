package stages

import (
	"context"
	"maps"
	"strconv"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Vectorize writes one dense point for each segment of a cleaned event.
var Vectorize = Spec{
	Name: vectorizeName,
	In:   InCleaned,
	Doc:  "embeds each segment into a dense point",
	New:  newVectorize, Prunes: true,
}

const vectorizeName = "vectorize"

func newVectorize(d Deps) (Func, error) {
	if d.Embedder == nil {
		return nil, schema.Invalid("embedder", "the stage vectorize needs one")
	}
	return vectorizer{d.Embedder, d}.run, nil
}

type vectorizer struct {
	embedder Embedder
	deps     Deps
}

func (v vectorizer) run(ctx context.Context, ev schema.Event) (schema.Result, error) {
	body, segs, err := readCleaned(ev)
	if err != nil {
		return schema.Result{}, err
	}
	res := schema.Result{Done: true, Archived: v.deps.archived(ev)}
	segs, gone := kept(ev, segs, vectorizeName, res.Archived)
	if len(segs) == 0 {
		res.Writes = gone
		return res, nil
	}
	texts := make([]string, len(segs))
	for i, s := range segs {
		texts[i] = text.Sanitize(s.Text)
	}
	vecs, err := v.embedder.Embed(ctx, texts, EmbedPassage)
	if err != nil {
		return schema.Result{}, err
	}
	if len(vecs) != len(texts) {
		return schema.Result{}, schema.Retryable(schema.CodeUnavailable, 0, nil, "embedder %s gave %d vectors for %d texts", v.embedder.Model(), len(vecs), len(texts))
	}
	for i, s := range segs {
		if len(vecs[i]) != v.embedder.Dim() {
			return schema.Result{}, schema.Permanent(schema.CodeInternal, nil, "embedder %s gave a vector of %d dimensions instead of %d", v.embedder.Model(), len(vecs[i]), v.embedder.Dim())
		}
		p := passagePoint(ev, body, s, vectorizeName)
		p.Dense = vecs[i]
		res.Writes = append(res.Writes, passageWrite(ev, p))
	}
	res.Writes = append(res.Writes, gone...)
	return res, nil
}

// readCleaned decodes a cleaned event and the segments that hold any text at all.
func readCleaned(ev schema.Event) (schema.Cleaned, []schema.Segment, error) {
	if ev.Op != schema.OpCleaned {
		return schema.Cleaned{}, nil, schema.Permanent(schema.CodeInvalid, nil, "op %q is not cleaned text", ev.Op)
	}
	body, err := schema.DecodeStored[schema.Cleaned](ev.Op, ev.Version, ev.Body)
	if err != nil {
		return body, nil, err
	}
	segs := make([]schema.Segment, 0, len(body.Segments))
	for _, s := range body.Segments {
		if strings.TrimSpace(s.Text) != "" {
			segs = append(segs, s)
		}
	}
	return body, segs, nil
}

// passagePoint is the point of a segment that stage writes, with the keys that queries filter on. The text is on
// the event point and not repeated.
func passagePoint(ev schema.Event, body schema.Cleaned, s schema.Segment, stage string) schema.Point {
	p := map[string]any{
		schema.KeyOwner:   schema.Owner(ev.Tenant, ev.User),
		schema.KeyTenant:  ev.Tenant,
		schema.KeyUser:    ev.User,
		schema.KeyEvent:   ev.UUID,
		schema.KeyEventID: ev.ID,
		schema.KeyAt:      ev.At.UnixMilli(),
		schema.KeySeq:     int64(ev.Seq),
		schema.KeyClass:   s.Class.String(),
		schema.KeySegment: s.Key,
		schema.KeySegKind: string(s.Kind),
		schema.KeyHash:    contentHash(s),
		keyStage:          stage,
	}
	for k, v := range map[string]string{
		schema.KeyConversation: body.Conversation, schema.KeyAgent: body.Agent, schema.KeySpeaker: body.Speaker,
		schema.KeyLang: lang(s),
	} {
		if v != "" {
			p[k] = v
		}
	}
	if s.Tool != "" {
		p[schema.KeyTool], p[schema.KeyTools] = s.Tool, schema.ToolKeys(s.Tool)
	}
	if len(s.Tools) > 0 {
		p[schema.KeyToolNames], p[schema.KeyTools] = s.Tools, toolKeys(s.Tools)
	}
	if len(body.Metadata) > 0 {
		p[schema.KeyMetadata] = maps.Clone(body.Metadata)
	}
	return schema.Point{ID: pointID(ev, s.Key, stage), Payload: p}
}

// pointID is the id of a point that stage derives from part of a log entry. The entry's sequence is in it: two entries
// of one event id never write the same point, so that what the later one has left can be told and taken away.
func pointID(ev schema.Event, part, stage string) string {
	return schema.PointID(ev.UUID, strconv.FormatUint(ev.Seq, 10)+"."+part, stage)
}

// keyStage names the stage that wrote a passage, so that dense and terms points are told apart.
const keyStage = "stage"

func passageWrite(ev schema.Event, p schema.Point) schema.Write {
	return schema.Write{Kind: schema.WriteUpsert, Collection: schema.Passages, Owner: schema.Owner(ev.Tenant, ev.User), Point: p}
}

// contentHash is equal for segments that are duplicates on the normalised level (C2).
func contentHash(s schema.Segment) string {
	n := text.Normalize
	if s.Kind == schema.SegTool {
		n = text.NormalizeTool
	}
	return schema.Hash([]byte(n(s.Text)))
}

func lang(s schema.Segment) string {
	if s.Lang != "" {
		return s.Lang
	}
	return text.Lang(s.Text)
}

// Passage is the id of the point that stage writes for a segment of a log entry.
func Passage(uuid string, seq uint64, segment, stage string) string {
	return pointID(schema.Event{Envelope: schema.Envelope{UUID: uuid, Seq: seq}}, segment, stage)
}
