package stages

import (
	"context"
	"errors"

	"github.com/siltstone-ai/siltstone/internal/distill"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// LLM has a language model point out what rules have missed. It works on what is settled, so that nothing waits for it:
// neither the stages, nor the floor, nor whoever asks whether all is idle.
var LLM = Spec{
	Name: llmName, In: InSettled, Optional: true,
	Doc: "has a language model point out what the rules have missed; only where llm.url is set, and nothing waits for it",
	New: newLLM,
}

const llmName = "llm"

// llmPlace is the place of the first statement of a model's among those of its event: behind those of rules.
const llmPlace = 1000

// ModelReader reads statements in texts by a language model, within a budget.
type ModelReader interface {
	// Name names the model.
	Name() string
	// Read is what the model says it has read in a text of ev. Asked again, it says the same. ok is false where the budget
	// of ev's tenant for the day on which ev was accepted is spent. It blocks on a server; an error that is not permanent may
	// pass.
	Read(ctx context.Context, ev schema.Event, text string) (rs []schema.Reading, ok bool, err error)
}

type llmStage struct {
	model  ModelReader
	events EventReader
	clean  *cleanStage // for turns of which the event point has the document alone
	decide decider
}

func newLLM(d Deps) (Func, error) {
	switch {
	case d.Model == nil:
		return nil, errors.New("llm needs the port Model")
	case d.Events == nil:
		return nil, errors.New("llm needs the port Events")
	}
	if _, err := newDecide(d); err != nil { // the same ports
		return nil, err
	}
	c, err := newCleanStage(d) // an archived turn is read anew
	if err != nil {
		return nil, err
	}
	return llmStage{d.Model, d.Events, c, decider{d.Embedder, d.Slots, d.Points, d.Earlier}}.run, nil
}

// run reads what clean has kept of a turn. What is not there as this entry's, or not any more, has nothing to read.
func (s llmStage) run(ctx context.Context, ev schema.Event) (schema.Result, error) {
	if ev.Op != schema.OpTurn {
		return schema.Result{}, nil
	}
	pl, err := s.events.EventPoint(ctx, ev.Generation, ev.UUID)
	if err != nil {
		return schema.Result{}, err
	}
	if pl == nil || seqOf(pl) != ev.Seq || pl[schema.KeyOutcome] != string(schema.OutcomeOpen) {
		return schema.Result{}, nil
	}
	body := turnOf(pl)
	if pl[schema.KeyArchived] == true { // what it stated stays, and is read again in a replay
		out, err := s.clean.turn(ev, map[string]any{})
		if err != nil || out == nil {
			return schema.Result{}, err
		}
		if body, _, err = readCleaned(*out); err != nil {
			return schema.Result{}, err
		}
	}
	st := schema.ModelStatus{Outcome: schema.ModelRead, Model: s.model.Name()}
	var facts []schema.Memory
	known := distill.Read(body, ev.Envelope).Facts
	for i := range body.Segments {
		seg := &body.Segments[i]
		if seg.Kind != schema.SegInput || seg.Class < schema.ClassUser {
			continue // a model is told what the user said, and nothing that others could have written for it
		}
		rs, ok, err := s.model.Read(ctx, ev, seg.Text)
		switch {
		case err != nil:
			return schema.Result{}, err
		case !ok:
			st.Outcome = schema.ModelOverBudget
			continue
		}
		found, refused := distill.Inferred(body, ev.Envelope, seg, known, rs, s.model.Name())
		facts = append(facts, found...)
		for _, n := range refused {
			st.Refused += n
		}
	}
	st.Facts = len(facts)
	own := statements(ev, facts, llmName, llmPlace)
	for i := range own { // by what is stated, not by its place: a mark stays with its statement whatever else is answered
		own[i].ID = pointID(ev, own[i].Source.Seg+"."+own[i].Group, llmName)
	}
	res := schema.Result{Done: true}
	if len(own) > 0 {
		if res, err = s.decide.settle(ctx, ev, own, nil); err != nil {
			return schema.Result{}, err
		}
	}
	res.Writes = append(res.Writes, ModelWrite(ev, st))
	return res, nil
}

// ModelWrite notes on the event point of ev what became of it with the model.
func ModelWrite(ev schema.Event, st schema.ModelStatus) schema.Write {
	return schema.Write{
		Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: schema.Owner(ev.Tenant, ev.User),
		IDs: []string{ev.UUID}, Payload: st.Payload(), Seq: ev.Seq,
	}
}

// turnOf is the cleaned turn that an event point holds.
func turnOf(pl map[string]any) schema.Cleaned {
	str := func(m map[string]any, key string) string { s, _ := m[key].(string); return s }
	c := schema.Cleaned{Agent: str(pl, schema.KeyAgent), Conversation: str(pl, schema.KeyConversation), Speaker: str(pl, schema.KeySpeaker)}
	segs, _ := pl[schema.KeySegments].([]map[string]any)
	for _, m := range segs {
		class, _ := schema.ParseClass(str(m, "class"))
		c.Segments = append(c.Segments, schema.Segment{
			Key: str(m, "key"), Kind: schema.SegmentKind(str(m, "kind")), Tool: str(m, "tool"), Class: class, Text: str(m, "text"), Lang: str(m, "lang"),
		})
	}
	return c
}
