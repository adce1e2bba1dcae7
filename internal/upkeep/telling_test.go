package upkeep

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestTellingWordsAreTheUsersAlone(t *testing.T) {
	said := func(user, id, text string) schema.Event {
		return schema.Event{
			Envelope: schema.Envelope{ID: id, User: user, Op: schema.OpTurn, Version: 1},
			Body:     fmt.Appendf(nil, `{"user":%q,"conversation":"c-1","input":%q}`, user, text),
		}
	}
	w := NewTelling(`{"ObservedAt":1,"Conversation":2}`)
	w.Add(said("ann", "turn-0001", "Call Quintessa at +4930901820 about the conversation with Wolfgang; the handbook is ordinary. 备用钥匙在青花瓷盆的下面。 Conversation. invoice77x9"))
	w.Others(said("bob", "t", "wolfgang knows"))
	w.Others(said("bob", "t", "他说青花瓷"))
	w.Add(said("ann", "turn-0002", "晨星项目的口令"))
	escaped := said("bob", "t", "")
	escaped.Body = []byte(`{"user":"bob","input":"\u6668\u661f\u9879\u76ee\u7684\u53e3\u4ee4"}`) // the same, as many clients write it
	w.Others(escaped)
	if got, want := w.Words(), []string{"备用钥匙在青花瓷盆的", "4930901820", "invoice77x9", "Quintessa"}; !reflect.DeepEqual(sorted(got), sorted(want)) {
		t.Errorf("%q, want %q", got, want)
	}
}

func sorted(in []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range in {
		out[s] = true
	}
	return out
}
