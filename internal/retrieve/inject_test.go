package retrieve

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// records is a record of injections in memory.
type records struct {
	m                 map[string][]events.Injection
	readErr, writeErr error
}

func (r *records) Injections(_ context.Context, tenant, user, conversation string) ([]events.Injection, error) {
	return r.m[tenant+"/"+user+"/"+conversation], r.readErr
}

func (r *records) AddInjection(_ context.Context, tenant, user, conversation string, in events.Injection) error {
	if r.m == nil {
		r.m = map[string][]events.Injection{}
	}
	k := tenant + "/" + user + "/" + conversation
	if r.writeErr == nil {
		r.m[k] = append(r.m[k], in)
	}
	return r.writeErr
}

func deduped(turn, query string) schema.Query {
	return schema.Query{Query: query, Conversation: "chat", Turn: turn, Dedupe: "conversation"}
}

// Without its record a query answers as one that does not ask for it, and says so.
func TestD9_ALostRecordIsSaid(t *testing.T) {
	rec := &records{}
	w := newWorld(t, func(w *world) { w.deps.Injected = rec })
	household(w)
	want := w.query(schema.Query{Query: "What is my job?", Conversation: "chat"}).Block
	for _, fail := range []struct{ read, write error }{{errDown, nil}, {nil, errDown}} {
		rec.readErr, rec.writeErr = fail.read, fail.write
		r := w.query(deduped("1", "What is my job?"))
		if strings.Join(r.Degraded, " ") != "dedupe" || r.Block != want {
			t.Errorf("degraded %v, block:\n%s\nwant:\n%s", r.Degraded, r.Block, want)
		}
	}
}

// Another statement of the same fact is the same memory.
func TestD9_AMemoryIsWhatItSays(t *testing.T) {
	a := rank.Candidate{Item: schema.Item{ID: "1", Type: schema.TypeFact, Content: "x"}, Hash: "h"}
	b := rank.Candidate{Item: schema.Item{ID: "2", Type: schema.TypeFact, Content: "x"}, Hash: "h"}
	if memoryMark(a) != memoryMark(b) {
		t.Error("two statements of one fact are told apart")
	}
	turn := func(id, shown string) rank.Candidate {
		return rank.Candidate{Item: schema.Item{ID: id, Type: schema.TypeEpisode, Content: shown}}
	}
	if memoryMark(turn("3", "all of it")) != memoryMark(turn("3", "a part")) || memoryMark(turn("3", "x")) == memoryMark(turn("4", "x")) {
		t.Error("a turn is not itself")
	}
}

// Of two long turns that read alike in a block, one is shown, and the other is no news in the next: what a block leaves out
// of them does not matter.
func TestD9_ALongTurnThatReadsAlikeIsNoNews(t *testing.T) {
	for _, c := range []struct{ name, query, lead, rest string }{
		{"english", "When does the Vrangelholm ferry leave?", "The Vrangelholm ferry leaves from the old pier beside the market hall on every weekday.", "Somebody talked about %s for a while and nothing came of it."},
		{"中文", "弗兰格岛的渡轮什么时候开？", "弗兰格岛的渡轮每个工作日从菜市场旁边的老码头开出。", "后来有人聊了很久的%s，没有聊出什么结果。"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(w *world) { w.deps.Injected, w.cfg.ItemRunes = &records{}, 120 })
			for id, matters := range map[string][]string{
				"a": {"gardens 花园", "weather 天气", "bread 面包", "chess 象棋"},
				"b": {"shoes 鞋子", "trains 火车", "music 音乐", "paint 油漆"},
			} {
				all := c.lead
				for _, m := range matters {
					all += " " + fmt.Sprintf(c.rest, m)
				}
				w.turn(id, user, "past", "2026-05-01T09:00:00Z", said(all))
			}
			first, next := w.query(deduped("1", c.query)).Block, w.query(deduped("2", c.query)).Block
			if n := strings.Count(first, c.lead); n != 1 {
				t.Errorf("%d times in the first block:\n%s", n, first)
			}
			if strings.Contains(next, c.lead) {
				t.Errorf("the next turn:\n%s", next)
			}
		})
	}
}

// Two questions of one turn see the same past, whichever came first.
func TestD9_QuestionsOfOneTurn(t *testing.T) {
	ins := []events.Injection{{Turn: "1", Ask: "a", Held: []string{"x"}}, {Turn: "2", Ask: "a", Held: []string{"y"}}, {Turn: "3", Ask: "a", Held: []string{"z"}}}
	for _, c := range []struct {
		turn, ask string
		may       string
	}{{"1", "a", "x"}, {"1", "b", "wxyz"}, {"2", "a", "y"}, {"2", "b", "wyz"}, {"3", "b", "wz"}, {"4", "a", "w"}} {
		may, got := injectable(ins, c.turn, c.ask), ""
		for _, m := range []string{"w", "x", "y", "z"} {
			if may(m) {
				got += m
			}
		}
		if got != c.may {
			t.Errorf("turn %s asks %s: %s, want %s", c.turn, c.ask, got, c.may)
		}
	}
}

// A block that lacked something is not what the turn gets once it is there; what it held is still held.
func TestD9_ABlockThatLackedSomethingIsMadeAnew(t *testing.T) {
	rec := &records{}
	w := newWorld(t, func(w *world) { w.deps.Injected = rec })
	household(w)
	whole := w.query(schema.Query{Query: "What is my job?", Conversation: "other"}).Block
	w.store.searchErr = errDown
	poor := w.query(deduped("1", "What is my job?"))
	w.store.searchErr = nil
	if len(poor.Degraded) == 0 || poor.Block == whole {
		t.Fatalf("degraded %v, block:\n%s", poor.Degraded, poor.Block)
	}
	for range 2 {
		if r := w.query(deduped("1", "What is my job?")); len(r.Degraded) > 0 || r.Block != whole {
			t.Errorf("degraded %v, block:\n%s\nwant:\n%s", r.Degraded, r.Block, whole)
		}
	}
	if r := w.query(deduped("2", "What is my job?")); strings.Contains(r.Block, "auditor") || !strings.Contains(r.Block, "香菜") {
		t.Errorf("the next turn:\n%s", r.Block)
	}
}

// What is pinned is in every block, whatever its type.
func TestD9_PinsAreInEveryBlock(t *testing.T) {
	w := newWorld(t, func(w *world) { w.deps.Injected = &records{} })
	w.fact("sign", schema.TypePreference, "Sign every letter with Ollerenshaw", func(m *schema.Memory) { m.Pinned, m.Confidence = true, .9 })
	w.fact("short", schema.TypePreference, "The user prefers short answers", func(m *schema.Memory) { m.Confidence = .9 })
	for turn, want := range []bool{true, false, false} {
		r := w.query(deduped(strconv.Itoa(turn), "How do I end a letter?"))
		if !strings.Contains(r.Block, "Ollerenshaw") || strings.Contains(r.Block, "short answers") != want {
			t.Errorf("turn %d:\n%s", turn, r.Block)
		}
	}
}

// What has no room in the block is counted, in the language of the question: the pinned ones were served first.
func TestD5_SaysHowManyRulesDoNotFit(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.fact(fmt.Sprint("rule", i), schema.TypeConstraint, fmt.Sprintf("Never paint wall %d", i), func(m *schema.Memory) { m.Importance = .9 })
	}
	if r := w.query(schema.Query{Query: "hello"}); strings.Contains(r.Hint, "fit") {
		t.Errorf("all fit, and the hint is %q", r.Hint)
	}
	for i := range 2 {
		w.fact(fmt.Sprint("pin", i), schema.TypeConstraint, fmt.Sprintf("Pinned matter %d", i), func(m *schema.Memory) { m.Importance, m.Pinned = .5, true })
	}
	w.fact("fact", schema.TypeFact, "The user works as an auditor")
	w.cache.standing = nil
	r := w.query(schema.Query{Query: "hello"})
	if n := strings.Count(r.Block, "wall") + strings.Count(r.Block, "matter"); n != 5 || strings.Count(r.Block, "matter") != 2 {
		t.Errorf("%d rules:\n%s", n, r.Block)
	}
	if !strings.Contains(r.Hint, "2 rules and pins do not fit") || !strings.Contains(r.Hint, "does not mean") {
		t.Errorf("hint %q", r.Hint)
	}
	if r := w.query(schema.Query{Query: "你好"}); !strings.Contains(r.Hint, "还有 2 条约束或置顶没有放进去") {
		t.Errorf("hint %q", r.Hint)
	}
	if r := w.query(schema.Query{Query: "hello", TokenBudget: 120}); strings.Contains(r.Hint, " 2 rules") || !strings.Contains(r.Hint, "do not fit") {
		t.Errorf("few tokens: hint %q, block\n%s", r.Hint, r.Block)
	}
	if r := w.query(schema.Query{Query: "hello", Render: "none"}); strings.Contains(r.Hint, "fit") {
		t.Errorf("without a block: hint %q", r.Hint)
	}
}
