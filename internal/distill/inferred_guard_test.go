package distill

import (
	"fmt"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// pointing is what a model states of a text, and what becomes of it: subject | predicate | object, or why it is refused.
type pointing struct {
	text, quote, subject, predicate, value string
	negated                                bool
	want                                   string
}

func checkPointings(t *testing.T, all []pointing) {
	t.Helper()
	for _, p := range all {
		got, refused := infer(p.text, false, schema.Reading{Quote: p.quote, Subject: p.subject, Predicate: p.predicate, Value: p.value, Negated: p.negated})
		said := ""
		for why := range refused {
			said = why
		}
		if len(got) == 1 {
			said = fmt.Sprintf("%s | %s | %s", got[0].Subject, got[0].Predicate, got[0].Object)
		}
		if said != p.want || len(got)+len(refused) != 1 {
			t.Errorf("%s: %s %s %q (negated %t): %q, want %q", p.text, p.subject, p.predicate, p.value, p.negated, said, p.want)
		}
	}
}

// TestInferredIsNoRequest: what is asked for, wished for or to be forgotten is no statement, whatever words it holds.
func TestInferredIsNoRequest(t *testing.T) {
	checkPointings(t, []pointing{
		{"Book me a table in Leeds.", "a table in Leeds", "user", "lives_in", "Leeds", false, RefusedGuarded},
		{"Please look up flats in Leeds.", "flats in Leeds", "user", "lives_in", "Leeds", false, RefusedGuarded},
		{"For the trip, reserve two seats in Leeds.", "two seats in Leeds", "user", "lives_in", "Leeds", false, RefusedGuarded},
		{"Could you greet me as Bo from Leeds.", "Bo from Leeds", "user", "hometown", "Leeds", false, RefusedGuarded},
		{"I want you to book a table in Leeds.", "a table in Leeds", "user", "lives_in", "Leeds", false, RefusedGuarded},
		{"I've always wanted to call Leeds my home.", "call Leeds my home", "user", "lives_in", "Leeds", false, RefusedGuarded},
		{"Forget that Leeds is where I am based.", "Leeds is where I am based", "user", "lives_in", "Leeds", false, RefusedGuarded},
		{"I'd like you to forget, once and for all, that Leeds is my base.", "Leeds is my base", "user", "lives_in", "Leeds", false, RefusedGuarded},
		{"In Leeds book me a table.", "In Leeds book me a table", "user", "hometown", "table", false, RefusedGuarded},
		{"Weekends mostly find me at the climbing wall.", "find me at the climbing wall", "user", "likes", "climbing wall", false, "user | likes | climbing wall"},
		{"Been calling Leeds my home for ages.", "calling Leeds my home", "user", "lives_in", "Leeds", false, "user | lives_in | Leeds"},
		{"帮我在利兹订张桌子。", "在利兹订张桌子", "user", "lives_in", "利兹", false, RefusedGuarded},
		{"订一张去利兹的票。", "去利兹的票", "user", "lives_in", "利兹", false, RefusedGuarded},
		{"明天把利兹那家店订上。", "利兹那家店", "user", "lives_in", "利兹", false, RefusedGuarded},
		{"你去利兹看看房子。", "去利兹看看房子", "user", "lives_in", "利兹", false, RefusedGuarded},
		{"一直想搬去利兹住。", "搬去利兹住", "user", "lives_in", "利兹", false, RefusedGuarded},
		{"忘掉我把利兹当成家的事。", "我把利兹当成家", "user", "lives_in", "利兹", false, RefusedGuarded},
		{"请你把利兹是我家这件事忘记。", "利兹是我家", "user", "lives_in", "利兹", false, RefusedGuarded},
		{"利兹早就被我当成家了。", "利兹早就被我当成家", "user", "lives_in", "利兹", false, "user | lives_in | 利兹"},
		{"邻居前年给我送来一只鹦鹉当了宠物。", "给我送来一只鹦鹉", "user", "has", "鹦鹉", false, "user | has | 鹦鹉"},
	})
}

// TestInferredKeepsThePole: words that deny a taste, or anything else, do not affirm it, nor the other way round.
func TestInferredKeepsThePole(t *testing.T) {
	checkPointings(t, []pointing{
		{"I was never one for olives.", "never one for olives", "user", "likes", "olives", false, RefusedPolarity},
		{"I was never one for olives.", "never one for olives", "user", "likes", "olives", true, "user | dislikes | olives"},
		{"I was never one for olives.", "never one for olives", "user", "dislikes", "olives", false, "user | dislikes | olives"},
		{"I was never one for olives.", "never one for olives", "user", "dislikes", "olives", true, RefusedPolarity},
		{"Olives make me gag.", "Olives make me gag", "user", "dislikes", "Olives", false, "user | dislikes | Olives"},
		{"I cannot get enough of olives in winter.", "cannot get enough of olives", "user", "likes", "olives", false, "user | likes | olives"},
		{"Olives are my guilty treat on Fridays.", "Olives are my guilty treat", "user", "likes", "Olives", true, RefusedPolarity},
		{"Leeds was at no time my home.", "Leeds was at no time my home", "user", "attribute", "Leeds", false, RefusedPredicate},
		{"At no time was I calling Leeds my home.", "calling Leeds my home", "user", "lives_in", "Leeds", false, RefusedPolarity},
		{"橄榄从来都不合我的胃口。", "橄榄从来都不合我的胃口", "user", "likes", "橄榄", false, RefusedPolarity},
		{"橄榄从来都不合我的胃口。", "橄榄从来都不合我的胃口", "user", "likes", "橄榄", true, "user | dislikes | 橄榄"},
		{"橄榄从来都不合我的胃口。", "橄榄从来都不合我的胃口", "user", "dislikes", "橄榄", false, "user | dislikes | 橄榄"},
		{"橄榄我怎样也吃不腻。", "橄榄我怎样也吃不腻", "user", "likes", "橄榄", false, RefusedGuarded},
		{"橄榄我每天吃不腻。", "橄榄我每天吃不腻", "user", "likes", "橄榄", false, "user | likes | 橄榄"},
		{"利兹从没被我当成家。", "利兹从没被我当成家", "user", "lives_in", "利兹", false, RefusedPolarity},
	})
}

// TestInferredIsOfItsClause: it is the clause with the quote that has to state it, and whom it speaks of there.
func TestInferredIsOfItsClause(t *testing.T) {
	checkPointings(t, []pointing{
		{"I started in Rome, and my sister likes art.", "likes art", "user", "likes", "art", false, RefusedSubject},
		{"I started in Rome, and my sister is into art.", "into art", "my sister", "likes", "art", false, "user's sister | likes | art"},
		{"My sister visited when I moved to Porto.", "moved to Porto", "my sister", "lives_in", "Porto", false, RefusedSubject},
		{"I cheered when my sister settled in Porto.", "settled in Porto", "user", "lives_in", "Porto", false, RefusedSubject},
		{"I cheered when she settled in Porto.", "settled in Porto", "user", "lives_in", "Porto", false, RefusedSubject},
		{"My sister cheered when she settled in Porto.", "settled in Porto", "My sister", "lives_in", "Porto", false, "user's sister | lives_in | Porto"},
		{"My sister has been calling Leeds her base.", "calling Leeds her base", "Leeds", "likes", "Leeds", false, RefusedSubject},
		{"我从罗马起步，我妹妹迷上了艺术。", "迷上了艺术", "user", "likes", "艺术", false, RefusedSubject},
		{"我从罗马起步，我妹妹迷上了艺术。", "迷上了艺术", "我妹妹", "likes", "艺术", false, "user's younger sister | likes | 艺术"},
		{"我妹妹来的时候我在波尔图安了家。", "在波尔图安了家", "我妹妹", "lives_in", "波尔图", false, RefusedSubject},
		{"我高兴的时候我妹妹在波尔图安了家。", "在波尔图安了家", "user", "lives_in", "波尔图", false, RefusedSubject},
	})
}

// TestInferredSubjectIsTheSpeakers: in a group, whose sister it is hangs on who speaks, as it does for the rules.
func TestInferredSubjectIsTheSpeakers(t *testing.T) {
	for text, r := range map[string]schema.Reading{
		"My sister has been calling Leeds her base.": {Quote: "calling Leeds her base", Subject: "My sister", Predicate: "lives_in", Value: "Leeds"},
		"我妹妹早就把利兹当成家了。":                              {Quote: "把利兹当成家", Subject: "我妹妹", Predicate: "lives_in", Value: "利兹"},
	} {
		seg := schema.Segment{Key: "input", Kind: schema.SegInput, Class: schema.ClassUser, Text: text}
		env := schema.Envelope{Tenant: "t", User: "u", ID: "e", UUID: schema.EventUUID("t", "e"), At: time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)}
		got, refused := Inferred(schema.Cleaned{Speaker: "Mia", Segments: []schema.Segment{seg}}, env, &seg, nil, []schema.Reading{r}, "m1")
		if len(got) != 1 || got[0].Subject != "Mia's sister" && got[0].Subject != "Mia's younger sister" {
			t.Errorf("%s: %+v, %v", text, got, refused)
		}
	}
}

// TestInferredBindsNothing: whatever a model states becomes a memory that binds nothing, an allergy too.
func TestInferredBindsNothing(t *testing.T) {
	for _, o := range offers {
		for text, r := range map[string]schema.Reading{
			"Nuts make my throat swell up, every kind of them.": {Quote: "Nuts make my throat swell up", Subject: "user", Predicate: o.pred.name, Attribute: "throat", Value: "Nuts"},
			"坚果一碰喉咙就肿起来。":                                       {Quote: "坚果一碰喉咙就肿", Subject: "user", Predicate: o.pred.name, Attribute: "喉咙", Value: "坚果"},
		} {
			got, refused := infer(text, false, r)
			if len(got) != 1 {
				t.Errorf("%s %s: %v", text, o.pred.name, refused)
				continue
			}
			if m := got[0]; m.Type == schema.TypeConstraint || m.Type == schema.TypeTodoHint || m.Explicit || m.Pinned || m.Replaces != "" {
				t.Errorf("%s: %+v", o.pred.name, m)
			}
		}
	}
}
