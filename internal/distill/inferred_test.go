package distill

import (
	"fmt"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// pointed is a statement of a model's about the user; change may spoil it.
func pointed(quote, predicate, value string, change ...func(*schema.Reading)) schema.Reading {
	r := schema.Reading{Quote: quote, Subject: "user", Predicate: predicate, Value: value}
	for _, c := range change {
		c(&r)
	}
	return r
}

// infer reads text beside what rules know of it, or as if they had read nothing.
func infer(text string, rules bool, rs ...schema.Reading) ([]schema.Memory, map[string]int) {
	seg := schema.Segment{Key: "input", Kind: schema.SegInput, Class: schema.ClassUser, Text: text}
	body := schema.Cleaned{Segments: []schema.Segment{seg}}
	env := schema.Envelope{Tenant: "t", User: "u", ID: "e", UUID: schema.EventUUID("t", "e"), At: time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)}
	var known []schema.Memory
	if rules {
		known = Read(body, env).Facts
	}
	return Inferred(body, env, &seg, known, rs, "m1")
}

// TestInferredIsQuoted: what a model points out becomes a memory only where the text says it, of whom it says it, as it
// says it.
func TestInferredIsQuoted(t *testing.T) {
	about := func(s string) func(*schema.Reading) { return func(r *schema.Reading) { r.Subject = s } }
	denied := func(r *schema.Reading) { r.Negated = true }
	when := func(s string) func(*schema.Reading) { return func(r *schema.Reading) { r.Time = s } }
	which := func(s string) func(*schema.Reading) { return func(r *schema.Reading) { r.Attribute = s } }
	for _, c := range []struct {
		text string
		r    schema.Reading
		want string // subject | predicate | object, or why it is refused
	}{
		{"Been calling Leeds my home for ages.", pointed("calling Leeds my home", "lives_in", "Leeds"), "user | lives_in | Leeds"},
		{"周末总泡在攀岩馆里。", pointed("总泡在攀岩馆里", "likes", "攀岩馆"), "user | likes | 攀岩馆"},
		{"Nuts make my throat swell up, every kind of them.", pointed("Nuts make my throat swell up", "allergic_to", "Nuts"), "user | allergic_to | Nuts"},
		{"Been calling Leeds my home for ages.", pointed("calling Leeds my home", "lives_in", "Leeds, England"), "quote"},
		{"Been calling Leeds my home for ages.", pointed("lives in Leeds", "lives_in", "Leeds"), "quote"},
		{"Been calling Leeds my home for ages.", pointed("calling Leeds my home", "lives_in", "利兹"), "quote"},
		{"Been calling Yorkshire my home for ages.", pointed("calling Yorkshire", "lives_in", "York"), "quote"},
		{"Been calling Leeds my home for ages.", pointed("calling Leeds my home", "lives_in", " "), "quote"},
		{"Been calling Leeds my home for ages.", pointed("calling Leeds my home", "rule", "Leeds"), "predicate"},
		{"Been calling Leeds my home for ages.", pointed("calling Leeds my home", "attribute", "Leeds"), "predicate"},
		{"Been calling Leeds my home for ages.", pointed("calling Leeds my home", "attribute", "Leeds", which("home")), "user | attribute | Leeds"},
		{"Been calling Leeds my home for ages.", pointed("calling Leeds my home", "attribute", "Leeds", which("house")), "quote"},
		{"What if Leeds were my home, would that be wise?", pointed("Leeds were my home", "lives_in", "Leeds"), "guarded"},
		{"如果我搬去利兹住，房租要多少？", pointed("我搬去利兹住", "lives_in", "利兹"), "guarded"},
		{"Been calling Leeds my home for ages.", pointed("calling Leeds my home", "lives_in", "Leeds", denied), "polarity"},
		{"Been calling Leeds my home since 2019.", pointed("calling Leeds my home", "lives_in", "Leeds", when("since 2019")), "user | lives_in | Leeds"},
		{"Been calling Leeds my home since 2019.", pointed("calling Leeds my home", "lives_in", "Leeds", when("since 2018")), "time"},
		{"Been calling Leeds my home since 2019.", pointed("calling Leeds my home", "lives_in", "Leeds", when("calling")), "time"},
		{"My sister has been calling Leeds her home.", pointed("calling Leeds her home", "lives_in", "Leeds", about("My sister")), "user's sister | lives_in | Leeds"},
		{"My sister has been calling Leeds her home.", pointed("calling Leeds her home", "lives_in", "Leeds"), "subject"},
		{"My sister has been calling Leeds her home.", pointed("calling Leeds her home", "lives_in", "Leeds", about("My brother")), "subject"},
		{"My sister has been calling Leeds her home.", pointed("calling Leeds her home", "lives_in", "Leeds", about("she")), "subject"},
		{"I live in Leeds.", pointed("live in Leeds", "lives_in", "Leeds"), "known"},
		{"I live in Leeds.", pointed("live in Leeds", "hometown", "Leeds"), "known"},
		{"The wifi password reads [secret:password] these days.", pointed("password reads [secret:password]", "attribute", "[secret:password]", which("password"), about("The wifi password")), "secret"},
	} {
		got, refused := infer(c.text, c.want == RefusedKnown, c.r)
		said := ""
		if len(got) == 1 {
			m := got[0]
			said = fmt.Sprintf("%s | %s | %s", m.Subject, m.Predicate, m.Object)
			if m.Rule != "llm:m1" || m.Explicit || m.Pinned || m.Replaces != "" || m.Confidence > inferredConf || m.Group == "" || m.ContentHash == "" || m.Source.Class != schema.ClassUser || m.Source.Seg != "input" || !wholeIn(m.Content, m.Object) {
				t.Errorf("%s: %+v", c.text, m)
			}
		}
		for why, n := range refused {
			if n != 1 || said != "" {
				t.Errorf("%s: %v beside %q", c.text, refused, said)
			}
			said = why
		}
		if said != c.want {
			t.Errorf("%s: %q, want %q", c.text, said, c.want)
		}
	}
}

// TestInferredSaysItOnce: of statements that say the same the first stands, and no more than a turn may leave behind.
func TestInferredSaysItOnce(t *testing.T) {
	r := pointed("calling Leeds my home", "lives_in", "Leeds")
	got, refused := infer("Been calling Leeds my home for ages.", false, r, r, r)
	if len(got) != 1 || refused[RefusedKnown] != 2 {
		t.Errorf("%d, %v", len(got), refused)
	}
}

// TestOffersBindNothing: nothing that a model may state is a rule, a plan or a wish.
func TestOffersBindNothing(t *testing.T) {
	for _, o := range offers {
		if o.pred.typ == schema.TypeConstraint || o.pred.typ == schema.TypeTodoHint || o.means == "" {
			t.Errorf("%s is a %s", o.pred.name, o.pred.typ)
		}
	}
}
