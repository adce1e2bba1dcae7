package eval

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func said(conversation string, inputs ...string) (out []Event) {
	for i, in := range inputs {
		out = append(out, Event{ID: fmt.Sprintf("%s-%d", conversation, i), Conversation: conversation, At: time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC), Input: in})
	}
	return out
}

// A question's words are in no turn any more, but for those of the kind words, and its evidence is still there.
func TestQuestionsOfALogHoldOutWhatTheyAsk(t *testing.T) {
	u := User{ID: "u", Events: slices.Concat(
		said("en", "The gateway listens on port 8443 now. Ana restarted the staging cluster twice yesterday evening.", "My grandmother bakes rye bread with caraway.",
			"We painted the small kitchen green last weekend.", "The lighthouse keeper collects Roman coins. He sells copper lamps at the harbour market."),
		said("zh", "网关的监听端口改成了 8443。昨天晚上安娜重启了两次预发集群。", "奶奶用葛缕子烤黑麦面包。", "上周末我们把小厨房刷成了绿色。", "灯塔看守人收藏古罗马硬币。他在海港市场卖铜灯。"))}
	kinds := map[string]int{}
	for seed := range uint64(20) {
		got, unfit := Questions(u, 4, seed)
		if unfit != 0 {
			t.Errorf("seed %d: %d turns are unfit", seed, unfit)
		}
		if err := got.check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(got.Queries) == 0 || len(got.Queries) > 4 {
			t.Errorf("seed %d: %d questions", seed, len(got.Queries))
		}
		left := map[string]string{}
		for _, e := range got.Events {
			left[e.ID] = e.Input
		}
		for _, q := range got.Queries {
			kinds[q.Kind]++
			for id, in := range left {
				if q.Kind != KindWords && strings.Contains(in, q.Q) {
					t.Errorf("seed %d: %q is still in %s", seed, q.Q, id)
				}
			}
		}
		if again, _ := Questions(u, 4, seed); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("seed %d: it does not repeat", seed)
		}
	}
	for _, k := range []string{KindSentence, KindTurn, KindWords} {
		if kinds[k] == 0 {
			t.Errorf("no question of the kind %s: %v", k, kinds)
		}
	}
	if u.Events[0].Input != "The gateway listens on port 8443 now. Ana restarted the staging cluster twice yesterday evening." || u.Queries != nil {
		t.Error("what was given is changed")
	}
}

// What two turns hold alike asks for neither of them, and a turn without neighbours is not held out whole.
func TestQuestionsOfALogHaveOneAnswer(t *testing.T) {
	twins := User{ID: "u", Events: slices.Concat(said("a", "Our tomato seedlings wilted."), said("b", "Our tomato seedlings wilted."))}
	if got, _ := Questions(twins, 9, 1); len(got.Queries) != 0 || len(got.Events) != 2 {
		t.Errorf("%+v", got)
	}
}

// A turn that only asks answers nothing, and a masked one does not hold what was said: neither asks or answers, and both
// are counted and stay where they were. Of a turn that ends by asking nothing is left that answers either.
func TestQuestionsOfALogLeaveOutWhatNothingCanFind(t *testing.T) {
	unfit := said("a", "Which port does the staging gateway listen on nowadays?", "The deploy key of the staging gateway is [secret:api_key] since Monday evening.",
		"预发网关现在监听哪个端口？", "预发网关的部署密钥从周一起是 [secret:api_key]。", "Ana restarted the staging cluster twice yesterday. Which port does the gateway listen on nowadays?")
	for seed := range uint64(20) {
		got, n := Questions(User{ID: "u", Events: unfit}, 9, seed)
		if len(got.Queries) != 0 || n != len(unfit) || len(got.Events) != len(unfit) {
			t.Fatalf("seed %d: %d unfit, %+v", seed, n, got)
		}
	}
	// Beside them a turn is asked for by its words alone: no neighbour of it can answer.
	one := append(unfit[:2:2], Event{ID: "z", Conversation: "a", At: unfit[1].At, Input: "The lighthouse keeper collects Roman coins and copper lamps."})
	got, n := Questions(User{ID: "u", Events: one}, 9, 1)
	if n != 2 || len(got.Queries) != 1 || got.Queries[0].Kind != KindWords || got.Queries[0].Evidence[0] != "z" {
		t.Errorf("%d unfit, %+v", n, got.Queries)
	}
	// What is left once the statement is held out must not be a question alone.
	ends := said("b", "Which port does the staging gateway listen on nowadays? Ana restarted the large copper cluster twice yesterday evening after lunch.")
	for seed := range uint64(20) {
		for _, q := range first(Questions(User{ID: "u", Events: ends}, 9, seed)).Queries {
			if q.Kind == KindSentence && strings.HasPrefix(q.Q, "Ana") {
				t.Errorf("seed %d: %q asks for a question", seed, q.Q)
			}
		}
	}
}

func first(u User, _ int) User { return u }
