package stages

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// cleaned is an event as clean publishes it: three segments with something to say and one without.
func cleaned(t *testing.T, segs ...schema.Segment) schema.Event {
	t.Helper()
	body, err := json.Marshal(schema.Cleaned{
		Agent: "a1", Conversation: "c1", Speaker: "李雷", Metadata: map[string]any{"project": "x", "n": 3.0, "ok": true}, Segments: segs,
	})
	if err != nil {
		t.Fatal(err)
	}
	return schema.Event{Envelope: schema.Envelope{
		Version: schema.Version, UUID: schema.EventUUID("t", "e1"), ID: "e1", Op: schema.OpCleaned, Tenant: "t", User: "u",
		At: time.Date(2026, 11, 30, 10, 30, 0, 0, time.UTC), Seq: 7, Generation: 2,
	}, Body: body}
}

var segments = []schema.Segment{
	{Key: "input", Kind: schema.SegInput, Class: schema.ClassUser, Text: "我对花生过敏，外卖不要放香菜。", Lang: "zh"},
	{Key: "response", Kind: schema.SegResponse, Class: schema.ClassAssistant, Text: "Noted. I will tell Caroline in New York on Nov 30, 2026."},
	{Key: "tool.0", Kind: schema.SegTool, Tool: "web_fetch", Class: schema.ClassTool, Text: "[source: web_fetch] see /srv/scripts/deploy.py, took 3.2s"},
	{Key: "tool.1", Kind: schema.SegTool, Tool: "x", Class: schema.ClassTool, Text: " \n"},
}

// fixed embeds a text as its length and the kind; err and cut spoil it.
type fixed struct {
	err  error
	cut  int // vectors held back
	dim  int // of what it returns; 0 for Dim
	got  []string
	kind EmbedKind
}

func (f *fixed) Dim() int      { return 2 }
func (f *fixed) Model() string { return "fixed" }
func (f *fixed) Embed(_ context.Context, texts []string, k EmbedKind) ([][]float32, error) {
	f.got, f.kind = texts, k
	var out [][]float32
	for _, s := range texts[:len(texts)-f.cut] {
		v := []float32{float32(len(s)), 1}
		if f.dim > 0 {
			v = make([]float32, f.dim)
		}
		out = append(out, v)
	}
	return out, f.err
}

func open(t *testing.T, s Spec, d Deps) Func {
	t.Helper()
	f, err := s.New(d)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPassages: what both stages write for each segment, and that none repeats the text.
func TestPassages(t *testing.T) {
	for _, spec := range []Spec{Vectorize, Extract} {
		t.Run(spec.Name, func(t *testing.T) {
			res, err := open(t, spec, Deps{Embedder: &fixed{}})(t.Context(), cleaned(t, segments...))
			if err != nil {
				t.Fatal(err)
			}
			if !res.Done || len(res.Events) > 0 || len(res.Guards) > 0 || len(res.Writes) != 3 {
				t.Fatalf("done %v, %d events, %d writes; want done, none, 3", res.Done, len(res.Events), len(res.Writes))
			}
			for i, w := range res.Writes {
				s, p := segments[i], w.Point.Payload
				if w.Kind != schema.WriteUpsert || w.Collection != schema.Passages || w.Owner != schema.Owner("t", "u") ||
					w.Point.ID != schema.PointID(schema.EventUUID("t", "e1"), "7."+s.Key, spec.Name) {
					t.Errorf("write %+v", w)
				}
				for k, want := range map[string]any{
					schema.KeyOwner: schema.Owner("t", "u"), schema.KeyTenant: "t", schema.KeyUser: "u", schema.KeyEvent: schema.EventUUID("t", "e1"),
					schema.KeyEventID: "e1", schema.KeyAt: int64(1796034600000), schema.KeySeq: int64(7), schema.KeyConversation: "c1", schema.KeyAgent: "a1",
					schema.KeySpeaker: "李雷", schema.KeyClass: s.Class.String(), schema.KeySegment: s.Key, schema.KeySegKind: string(s.Kind),
					schema.KeyLang: []string{"zh", "en", "en"}[i], "stage": spec.Name,
				} {
					if p[k] != want {
						t.Errorf("%s: %s is %v (%T), want %v", s.Key, k, p[k], p[k], want)
					}
				}
				if tool, ok := p[schema.KeyTool]; ok != (s.Tool != "") || ok && tool != s.Tool {
					t.Errorf("%s: tool %v", s.Key, tool)
				}
				if m := p[schema.KeyMetadata].(map[string]any); m["project"] != "x" || m["n"] != 3.0 || m["ok"] != true {
					t.Errorf("metadata %v", m)
				}
				if h, _ := p[schema.KeyHash].(string); len(h) != 64 {
					t.Errorf("content hash %q", h)
				}
				for k, v := range p {
					if str, ok := v.(string); ok && k != schema.KeySummary && strings.Contains(str, s.Text) {
						t.Errorf("%s holds the text again", k)
					}
				}
				if (w.Point.Dense != nil) != (spec.Name == "vectorize") || (w.Point.Sparse != nil) != (spec.Name == "extract") {
					t.Errorf("%s: dense %v, sparse %v", s.Key, w.Point.Dense, w.Point.Sparse)
				}
			}
		})
	}
}

// TestPassagesTwice: the same event gives the same bytes, and both stages take an event without segments.
func TestPassagesTwice(t *testing.T) {
	for _, spec := range []Spec{Vectorize, Extract} {
		f := open(t, spec, Deps{Embedder: &fixed{}})
		var first []byte
		for range 3 {
			res, err := f(t.Context(), cleaned(t, segments...))
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(res)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = b
			} else if string(b) != string(first) {
				t.Errorf("%s differs between two runs", spec.Name)
			}
		}
		for _, segs := range [][]schema.Segment{nil, {segments[3]}} {
			res, err := f(t.Context(), cleaned(t, segs...))
			if err != nil || !res.Done || len(res.Writes) > 0 {
				t.Errorf("%s without text: %+v, %v", spec.Name, res, err)
			}
		}
	}
}

func TestVectorizeAsksForPassages(t *testing.T) {
	e := &fixed{}
	res, err := open(t, Vectorize, Deps{Embedder: e})(t.Context(), cleaned(t, segments...))
	if err != nil || e.kind != EmbedPassage || len(e.got) != 3 {
		t.Fatalf("%v, kind %d, %d texts", err, e.kind, len(e.got))
	}
	for i, w := range res.Writes { // each has its own vector
		if w.Point.Dense[0] != float32(len(segments[i].Text)) {
			t.Errorf("segment %d has another's vector", i)
		}
	}
	if _, err := Vectorize.New(Deps{}); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("without an embedder: %v", err)
	}
}

// TestPassagesErrors: what no retry mends is permanent, what the embedder says passes through.
func TestPassagesErrors(t *testing.T) {
	good := cleaned(t, segments...)
	newer, broken, wrong := good, good, good
	newer.Version = schema.Version + 1
	broken.Body = []byte(`{"segments":[`)
	wrong.Op = schema.OpTurn
	down := schema.Retryable(schema.CodeUnavailable, time.Second, nil, "down")
	refused := schema.Permanent(schema.CodeInvalid, nil, "refused")
	for _, c := range []struct {
		name string
		spec Spec
		e    *fixed
		ev   schema.Event
		perm bool
		is   error
	}{
		{"newer version", Extract, nil, newer, true, nil},
		{"broken body", Extract, nil, broken, true, nil},
		{"wrong op", Extract, nil, wrong, true, nil},
		{"newer version", Vectorize, &fixed{}, newer, true, nil},
		{"broken body", Vectorize, &fixed{}, broken, true, nil},
		{"embedder down", Vectorize, &fixed{err: down}, good, false, down},
		{"embedder refuses", Vectorize, &fixed{err: refused}, good, true, refused},
		{"too few vectors", Vectorize, &fixed{cut: 1}, good, false, nil},
		{"wrong dimension", Vectorize, &fixed{dim: 3}, good, true, nil},
	} {
		t.Run(c.spec.Name+" "+c.name, func(t *testing.T) {
			d := Deps{}
			if c.e != nil {
				d.Embedder = c.e
			}
			res, err := open(t, c.spec, d)(t.Context(), c.ev)
			if err == nil || schema.IsPermanent(err) != c.perm || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, permanent %v", err, schema.IsPermanent(err))
			}
			if res.Done || len(res.Writes) > 0 {
				t.Error("a failure writes or is done")
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, Extract, Deps{})(ctx, good); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gave %v", err)
	}
}

// TestExtractPoint: the terms point answers for its text.
func TestExtractPoint(t *testing.T) {
	res, err := open(t, Extract, Deps{})(t.Context(), cleaned(t, segments...))
	if err != nil {
		t.Fatal(err)
	}
	for i, query := range []string{"谁对花生过敏", "what about Caroline", "what did web_fetch say about deploy.py"} {
		score := func(w schema.Write) (sum float32) {
			for _, q := range text.QueryTerms(query) {
				if k, ok := slices.BinarySearch(w.Point.Sparse.Indices, q.Index); ok {
					sum += q.Weight * w.Point.Sparse.Values[k]
				}
			}
			return sum
		}
		for j, w := range res.Writes {
			if j != i && score(w) >= score(res.Writes[i]) {
				t.Errorf("%q finds segment %d before %d", query, j, i)
			}
		}
	}
	for _, w := range res.Writes {
		terms := w.Point.Payload[schema.KeyTerms].([]int64)
		if len(terms) != len(w.Point.Sparse.Indices) {
			t.Fatalf("%d terms, %d dimensions", len(terms), len(w.Point.Sparse.Indices))
		}
		for i, x := range terms {
			if x != int64(w.Point.Sparse.Indices[i]) || x < 0 || x > math.MaxUint32 {
				t.Errorf("term %d is %d", i, x)
			}
		}
	}
	has := func(i int, key, want string) {
		t.Helper()
		b, _ := json.Marshal(res.Writes[i].Point.Payload[key])
		if !strings.Contains(string(b), want) {
			t.Errorf("segment %d: %s is %s, lacks %s", i, key, b, want)
		}
	}
	has(0, schema.KeyKeywords, `"香菜"`)
	has(0, schema.KeyTags, `"food"`)
	has(1, schema.KeyEntities, `{"text":"Caroline","type":"person"}`)
	has(1, schema.KeyEntities, `{"text":"New York","type":"place"}`)
	has(1, schema.KeyEntities, `{"text":"Nov 30, 2026","type":"date"}`)
	has(2, schema.KeyKeywords, `"/srv/scripts/deploy.py"`)
	has(0, schema.KeySummary, "花生过敏")
}

// TestA11_SourceIsSearchable: the name of the tool is a term of its output, and no keyword.
func TestA11_SourceIsSearchable(t *testing.T) {
	res, err := open(t, Extract, Deps{})(t.Context(), cleaned(t, segments[2]))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := slices.BinarySearch(res.Writes[0].Point.Sparse.Indices, text.TermIndex("web_fetch")); !ok {
		t.Error("web_fetch is not among the terms")
	}
	if slices.Contains(res.Writes[0].Point.Payload[schema.KeyKeywords].([]string), "web_fetch") {
		t.Error("web_fetch is a keyword of the page")
	}
}

// TestC2_ContentHash: two runs of a tool that differ in their duration have one hash; what a user says is not masked.
func TestC2_ContentHash(t *testing.T) {
	hash := func(kind schema.SegmentKind, s string) any {
		res, err := open(t, Vectorize, Deps{Embedder: &fixed{}})(t.Context(), cleaned(t, schema.Segment{Key: "k", Kind: kind, Class: schema.ClassTool, Text: s}))
		if err != nil {
			t.Fatal(err)
		}
		return res.Writes[0].Point.Payload[schema.KeyHash]
	}
	if hash(schema.SegTool, "ok, took 3.2s") != hash(schema.SegTool, "OK, took 9.9s") {
		t.Error("two runs of a tool differ")
	}
	if hash(schema.SegTool, "port 80") == hash(schema.SegTool, "port 81") || hash(schema.SegInput, "it took 3s") == hash(schema.SegInput, "it took 4s") {
		t.Error("two statements are the same")
	}
}
