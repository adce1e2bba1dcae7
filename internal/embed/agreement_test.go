package embed

import (
	"math"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestAgreementTellsWhoSpeaksOfWhatWasAsked(t *testing.T) {
	table, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, query, holds, lacks string
	}{
		{"the same words", "printer queue", "The printer waits in queue zebra-2.", "We had noodles by the river."},
		{"other words", "What did she purchase for the dog?", "Yesterday Ana bought a toy for her puppy.", "Yesterday Ana painted the kitchen."},
		{"Chinese asks English", "防守丢了多少分？", "The defense gave up just 308 points.", "The river rises in the mountains."},
		{"English asks Chinese", "When is my dentist appointment?", "下周三下午去看牙医。", "这周的例会改到周五。"},
		{"traditional characters", "過敏", "我对花生过敏。", "我喜欢早上跑步。"},
	} {
		got := table.Agreement(c.query, []string{c.holds, c.lacks})
		if got[0] < got[1]+0.15 {
			t.Errorf("%s: %.3f and %.3f, want the first clearly above", c.name, got[0], got[1])
		}
	}
}

func TestAgreementBounds(t *testing.T) {
	table, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	const q = "the blue passport holder 护照"
	got := table.Agreement(q, []string{q, "", "?!", "passport"})
	if math.Abs(got[0]-1) > 1e-9 {
		t.Errorf("a text that is the query agrees by %v, want 1", got[0])
	}
	if got[1] != 0 || got[2] != 0 {
		t.Errorf("no words agree by %v and %v, want 0", got[1], got[2])
	}
	if got[3] <= 0 || got[3] >= 1 {
		t.Errorf("one of the words agrees by %v, want between 0 and 1", got[3])
	}
	if got := table.Agreement("…", []string{"passport"}); got[0] != 0 {
		t.Errorf("a query without words agrees by %v, want 0", got[0])
	}
	if got := table.Agreement(q, nil); len(got) != 0 {
		t.Errorf("%d figures for no text", len(got))
	}
}

func BenchmarkAgreement(b *testing.B) {
	table, err := NewTable()
	if err != nil {
		b.Fatal(err)
	}
	texts := make([]string, 24)
	for i := range texts {
		texts[i] = "We went camping with the kids near the lake last weekend, it was great and we saw a bear from the car."
	}
	for b.Loop() {
		table.Agreement("Where did Caroline go camping with the children in July?", texts)
	}
}

// The table's cosine of two texts is that of the vectors that it gives them.
func TestCosinesAreThoseOfTheVectors(t *testing.T) {
	table, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"The gateway listens on port 8443.", "网关监听 8443 端口。", "", "A choir sings."}
	vs, err := table.Embed(t.Context(), append(texts, "Which port does the gateway use?"), schema.EmbedPassage)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range table.Cosines("Which port does the gateway use?", texts) {
		want := 0.0
		for d, x := range vs[i] {
			want += float64(x) * float64(vs[len(texts)][d])
		}
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: %v, want %v", texts[i], got, want)
		}
	}
}
