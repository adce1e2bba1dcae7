package stages

import (
	"context"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// fakeModel says what it is told to have read, where the text holds the quote; over is a spent budget.
type fakeModel struct {
	says  []schema.Reading
	over  bool
	err   error
	texts []string
}

func (m *fakeModel) Name() string { return "m1" }

func (m *fakeModel) Read(_ context.Context, _ schema.Event, text string) ([]schema.Reading, bool, error) {
	m.texts = append(m.texts, text)
	return m.says, !m.over, m.err
}

// onePoint is an EventReader with one event point.
type onePoint map[string]any

func (p onePoint) EventPoint(context.Context, int, string) (map[string]any, error) { return p, nil }
func (p onePoint) Holder(context.Context, int, string) (uint64, error)             { return seqOf(p), nil }

func llmEvent() schema.Event {
	return schema.Event{Envelope: schema.Envelope{
		Version: schema.Version, Op: schema.OpTurn, Tenant: "t", User: "u", ID: "e", UUID: schema.EventUUID("t", "e"), At: day0, Accepted: day0.AddDate(0, 0, 3), Seq: 7,
	}}
}

func llmPoint(segs ...schema.Segment) onePoint {
	p := onePoint{schema.KeySeq: int64(7), schema.KeyOutcome: string(schema.OutcomeOpen), schema.KeyConversation: "c1"}
	var list []map[string]any
	for _, s := range segs {
		list = append(list, map[string]any{"key": s.Key, "kind": string(s.Kind), "class": s.Class.String(), "text": s.Text, "tool": s.Tool})
	}
	p[schema.KeySegments] = list
	return p
}

func runLLM(t *testing.T, p onePoint, m *fakeModel) (*factStore, schema.Result, error) {
	t.Helper()
	store := newFactStore()
	fn, err := LLM.New(Deps{Tools: cleanTools{}, Events: p, Embedder: store, Slots: store, Points: store, Model: m})
	if err != nil {
		t.Fatal(err)
	}
	res, err := fn(t.Context(), llmEvent())
	if err == nil {
		err = store.Apply(t.Context(), 1, res.Writes)
	}
	return store, res, err
}

// Of an archived turn the log's entry is read, as clean reads it, so that a replay comes to what was read before.
func TestLLM_ReadsAnArchivedTurnInTheLog(t *testing.T) {
	p := llmPoint(schema.Segment{Key: keyDocument, Kind: schema.SegArchive, Class: schema.ClassUser, Text: "the short form"})
	p[schema.KeyArchived] = true
	m, store := &fakeModel{}, newFactStore()
	fn, err := LLM.New(Deps{Tools: cleanTools{}, Events: p, Embedder: store, Slots: store, Points: store, Model: m})
	if err != nil {
		t.Fatal(err)
	}
	ev := llmEvent()
	ev.Version, ev.Body = schema.Version, []byte(`{"id":"e","user":"u","input":"I went back to calling Leeds my home.","tool_results":[{"name":"x","output":"IGNORE"}]}`)
	if _, err := fn(t.Context(), ev); err != nil || len(m.texts) != 1 || m.texts[0] != "I went back to calling Leeds my home." {
		t.Errorf("the model is told %q, %v", m.texts, err)
	}
}

func modelStatus(t *testing.T, res schema.Result) *schema.ModelStatus {
	t.Helper()
	for _, w := range res.Writes {
		if st := schema.ModelStatusOf(w.Payload); w.Collection == schema.Events && st != nil {
			if w.Kind != schema.WriteSetPayload || w.Seq != 7 {
				t.Errorf("%+v", w)
			}
			return st
		}
	}
	return nil
}

func TestLLM_AddsWhatRulesHaveMissed(t *testing.T) {
	m := &fakeModel{says: []schema.Reading{
		{Quote: "calling Leeds my home", Subject: "user", Predicate: "lives_in", Value: "Leeds"},
		{Quote: "calling Leeds my home", Subject: "user", Predicate: "lives_in", Value: "London"},
		{Quote: "IGNORE", Subject: "user", Predicate: "rule", Value: "IGNORE"},
	}}
	store, res, err := runLLM(t, llmPoint(userSays("Been calling Leeds my home for ages. My sister Ana works at Borealis.")), m)
	if err != nil || !res.Done || len(res.Events) != 0 || len(res.Guards) == 0 || res.Forget != nil {
		t.Fatalf("%+v, %v", res, err)
	}
	if st := modelStatus(t, res); st == nil || *st != (schema.ModelStatus{Outcome: schema.ModelRead, Model: "m1", Facts: 1, Refused: 2}) {
		t.Errorf("%+v", st)
	}
	fs := store.find(func(*schema.Memory) bool { return true })
	if len(fs) != 1 || fs[0].Object != "Leeds" || fs[0].Rule != "llm:m1" || fs[0].Source.UUID != llmEvent().UUID || fs[0].Source.Place < llmPlace || fs[0].Pinned || fs[0].Explicit || fs[0].Conversation != "c1" {
		t.Errorf("%+v", fs)
	}
	if fs[0].ID == pointID(llmEvent(), "0", decideName) {
		t.Error("its point is that of a fact of the rules")
	}
}

// TestLLM_IsToldWhatTheUserSaidAlone: neither an assistant nor a tool gets a word in, and nothing is asked about what is
// not there, or not any more.
func TestLLM_IsToldWhatTheUserSaidAlone(t *testing.T) {
	open := func() onePoint {
		return llmPoint(userSays("Been calling Leeds my home for ages."),
			schema.Segment{Key: "response", Kind: schema.SegResponse, Class: schema.ClassAssistant, Text: "You have been calling Rome home."},
			schema.Segment{Key: "tool.0", Kind: schema.SegTool, Tool: "web", Class: schema.ClassTool, Text: "[source: web] The user has been calling Oslo home."})
	}
	for name, change := range map[string]func(onePoint) onePoint{
		"open":      func(p onePoint) onePoint { return p },
		"nothing":   func(onePoint) onePoint { return nil },
		"forgotten": func(p onePoint) onePoint { p[schema.KeyOutcome] = string(schema.OutcomeForgotten); return p },
		"dropped":   func(p onePoint) onePoint { p[schema.KeyOutcome] = string(schema.OutcomeDropped); return p },
		"another's": func(p onePoint) onePoint { p[schema.KeySeq] = int64(6); return p },
		"all tools": func(p onePoint) onePoint {
			p[schema.KeySegments] = p[schema.KeySegments].([]map[string]any)[1:]
			return p
		},
		"a tool's input": func(p onePoint) onePoint {
			p[schema.KeySegments].([]map[string]any)[0]["class"] = schema.ClassTool.String()
			return p
		},
	} {
		m := &fakeModel{}
		_, res, err := runLLM(t, change(open()), m)
		told := strings.Join(m.texts, "|")
		if want := map[bool]string{true: "Been calling Leeds my home for ages."}[name == "open"]; err != nil || told != want {
			t.Errorf("%s: told %q, %v", name, told, err)
		}
		if name == "open" && (modelStatus(t, res) == nil || len(res.Guards) > 0) {
			t.Errorf("%+v", res)
		}
	}
}

func TestLLM_BudgetAndFailure(t *testing.T) {
	p := llmPoint(userSays("Been calling Leeds my home for ages."))
	_, res, err := runLLM(t, p, &fakeModel{over: true})
	if st := modelStatus(t, res); err != nil || st == nil || st.Outcome != schema.ModelOverBudget || !res.Done {
		t.Errorf("%+v, %v", st, err)
	}
	away := schema.Retryable(schema.CodeUnavailable, 0, nil, "away")
	if _, res, err := runLLM(t, p, &fakeModel{err: away}); schema.CodeOf(err) != schema.CodeUnavailable || schema.IsPermanent(err) || len(res.Writes) > 0 {
		t.Errorf("%v, %+v", err, res)
	}
	if _, err := LLM.New(Deps{}); err == nil {
		t.Error("it starts without a model")
	}
	for _, name := range Names() {
		if name == LLM.Name {
			t.Error("events wait for the model")
		}
	}
}

// TestLLM_TheSameAgain: whatever happens between, the same event ends in the same points.
func TestLLM_TheSameAgain(t *testing.T) {
	m := &fakeModel{says: []schema.Reading{{Quote: "calling Leeds my home", Subject: "user", Predicate: "lives_in", Value: "Leeds"}}}
	store := newFactStore()
	fn, err := LLM.New(Deps{Tools: cleanTools{}, Events: llmPoint(userSays("Been calling Leeds my home for ages.")), Embedder: store, Slots: store, Points: store, Model: m})
	if err != nil {
		t.Fatal(err)
	}
	before := ""
	for range 3 {
		res, err := fn(t.Context(), llmEvent())
		if err == nil {
			err = store.Apply(t.Context(), 1, res.Writes)
		}
		if err != nil {
			t.Fatal(err)
		}
		if now := store.snapshot(); before != "" && now != before {
			t.Fatalf("%s\n%s", before, now)
		} else {
			before = now
		}
	}
}

// TestLLM_AStatementKeepsItsID: whatever else a model answers, in whatever order and in other words, so that a deletion or an
// edit of a statement does not come to be one of another.
func TestLLM_AStatementKeepsItsID(t *testing.T) {
	for _, c := range []struct {
		text string
		says []schema.Reading // the last is the first in other words
	}{
		{"Been calling Leeds my home for ages. Nuts make my throat swell up.", []schema.Reading{
			{Quote: "calling Leeds my home", Subject: "user", Predicate: "lives_in", Value: "Leeds"},
			{Quote: "Nuts make my throat swell up", Subject: "user", Predicate: "allergic_to", Value: "Nuts"},
			{Quote: "Leeds", Subject: "user", Predicate: "lives_in", Value: "Leeds"},
		}},
		{"苏州园区早就被我当成家了。周末总泡在攀岩馆里。", []schema.Reading{
			{Quote: "苏州园区早就被我当成家", Subject: "user", Predicate: "lives_in", Value: "苏州园区"},
			{Quote: "总泡在攀岩馆里", Subject: "user", Predicate: "likes", Value: "攀岩馆"},
			{Quote: "苏州园区", Subject: "user", Predicate: "lives_in", Value: "苏州园区"},
		}},
	} {
		ids := func(says ...schema.Reading) map[string]string {
			t.Helper()
			store, _, err := runLLM(t, llmPoint(userSays(c.text)), &fakeModel{says: says})
			if err != nil {
				t.Fatal(err)
			}
			out := map[string]string{}
			for _, m := range store.find(func(*schema.Memory) bool { return true }) {
				out[m.Object] = m.ID
			}
			if len(out) != len(says) {
				t.Fatalf("%s: %v", c.text, out)
			}
			return out
		}
		first, other, again := c.says[0], c.says[1], c.says[2]
		both, turned := ids(first, other), ids(other, again)
		if one, two := both[first.Value], both[other.Value]; one == two || turned[first.Value] != one || turned[other.Value] != two || ids(other)[other.Value] != two || ids(again)[first.Value] != one {
			t.Errorf("%s: %v, then %v", c.text, both, turned)
		}
	}
}
