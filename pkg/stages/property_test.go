package stages

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// ways of a life that repeat, contradict, give up and take up again what others say, in both languages.
var ways = []string{
	"I love thrillers.", "I hate thrillers.", "I don't watch thrillers at all any more.", "I watch thrillers every Friday.", "I love psychological thrillers.",
	"I have a dog.", "I no longer have a dog.", "My dog is called Rex.", "I'm allergic to peanuts.", "I'm not allergic to peanuts any more.", "I have no allergies any more.",
	"I drink coffee every morning.", "I quit drinking coffee.", "I love coffee.", "I'm vegan.", "I'm a vegetarian.", "My blood pressure this morning was 130/85.",
	"我喜欢看恐怖片。", "我再也不看恐怖片了。", "我讨厌恐怖片。", "我养了一只猫。", "我不养猫了。", "我每天早上喝咖啡。", "我戒咖啡了。", "我对花生过敏。", "我现在什么都不过敏了。",
	"I live in Porto.", "I no longer live in Porto.", "我住在成都。", "Don't use emojis in your answers.", "以后可以用表情了。", "Remind me to buy milk.", "I bought the milk.",
}

// drawLife draws events of one user: turns by the user, and the same words by less trusted mouths.
func drawLife(rt *rapid.T, t *testing.T) []*schema.Event {
	var evs []*schema.Event
	for i := range rapid.IntRange(2, 9).Draw(rt, "n") {
		said := rapid.SampledFrom(slices.Concat(life, ways)).Draw(rt, "said")
		at := day0.AddDate(0, 0, rapid.IntRange(0, 6).Draw(rt, "day"))
		id := fmt.Sprint("e", i)
		if rapid.IntRange(0, 3).Draw(rt, "by") == 0 {
			class := rapid.SampledFrom([]schema.Class{schema.ClassTool, schema.ClassAssistant, schema.ClassOperator}).Draw(rt, "class")
			ev := explicitEvent(t, id, uint64(i+1), at, class, schema.Memory{Type: schema.TypeFact, Content: said, Rule: ruleExplicit + "memory"})
			evs = append(evs, &ev)
			continue
		}
		ev := spoken(t, id, uint64(i+1), at, userSays(said))
		if ev == nil {
			rt.Fatalf("%q states nothing", said)
		}
		evs = append(evs, ev)
	}
	return evs
}

// deliver hands the events to a stage in an order that is drawn, some twice, three at a time.
func deliver(rt *rapid.T, t *testing.T, evs []*schema.Event) (*factStore, *Runner) {
	again := evs[:rapid.IntRange(0, len(evs)).Draw(rt, "again")]
	order := rapid.Permutation(slices.Concat(evs, again)).Draw(rt, "order")
	s := newFactStore()
	r := s.runner(t)
	var wg sync.WaitGroup
	ch := make(chan *schema.Event)
	for range 3 {
		wg.Go(func() {
			for ev := range ch {
				if err := r.Handle(context.Background(), *ev); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, ev := range order {
		ch <- ev
	}
	close(ch)
	wg.Wait()
	return s, r
}

func TestC3_ReplayEqualsLiveAndNoPolesHoldTogether(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		evs := drawLife(rt, t)
		live, _ := deliver(rt, t, evs)
		replayed := newFactStore() // the log, from its beginning
		handle(t, replayed.runner(t), evs...)
		if a, b := live.snapshot(), replayed.snapshot(); a != b {
			rt.Fatalf("live:\n%s\nreplayed:\n%s", a, b)
		}
		noPoles(rt, live)
		noLowerHand(rt, live)
	})
}

// noPoles fails where something holds and its denial too.
func noPoles(rt *rapid.T, s *factStore) {
	now := day0.AddDate(1, 0, 0)
	poles := map[string]string{} // what is held of a thing, by its first statement
	for _, m := range s.find(func(m *schema.Memory) bool { return m.Active(now) && m.Object != "" && m.Type != schema.TypeTodoHint }) {
		family, not := m.Predicate, m.Negated
		if family == "dislikes" {
			family, not = "likes", !not
		}
		words, _ := text.Thing(m.Object)
		thing := fmt.Sprint(m.Subject, " ", family, " ", words)
		if other := fmt.Sprint(thing, !not); poles[other] != "" {
			rt.Fatalf("there hold %q and %q\n%s", poles[other], m.Content, s.snapshot())
		}
		poles[fmt.Sprint(thing, not)] = m.Content
	}
}

// noLowerHand fails where a statement gave way to one that is trusted less.
func noLowerHand(rt *rapid.T, s *factStore) {
	all := map[string]schema.Memory{}
	for _, m := range s.find(func(*schema.Memory) bool { return true }) {
		all[m.ID] = m
	}
	for _, m := range all {
		if by, ok := all[m.SupersededBy]; ok && by.Source.Class < m.Source.Class {
			rt.Fatalf("%q by %s gave way to %q by %s\n%s", m.Content, m.Source.Class, by.Content, by.Source.Class, s.snapshot())
		}
	}
}

// Whoever takes an event away, whatever had been decided with it in sight, leaves what was as if it had never come.
func TestC3_NothingHoldsWithoutALiveSource(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		evs := drawLife(rt, t)
		s, r := deliver(rt, t, evs)
		gone := rapid.SampledFrom(evs).Draw(rt, "gone")
		var ids, groups, slots []string
		for _, m := range s.find(func(m *schema.Memory) bool { return m.Source.UUID == gone.UUID }) {
			ids = append(ids, m.ID)
			groups, slots = append(groups, m.Group), append(slots, m.Slot)
		}
		full := func(k string) bool { return k == "" }
		groups, slots = slices.DeleteFunc(groups, full), slices.DeleteFunc(slots, full)
		if err := s.Apply(t.Context(), 1, []schema.Write{{Kind: schema.WriteDelete, Collection: schema.Facts, IDs: ids}}); err != nil {
			rt.Fatal(err)
		}
		if err := r.resettler.Resettle(t.Context(), 1, schema.Owner("t", "u"), groups, slots); err != nil {
			rt.Fatal(err)
		}
		never := newFactStore()
		for _, ev := range evs {
			if ev != gone {
				handle(t, never.runner(t), ev)
			}
		}
		if a, b := s.snapshot(), never.snapshot(); a != b {
			rt.Fatalf("without %s\ngot:\n%s\nwant:\n%s", gone.ID, a, b)
		}
		for _, m := range s.find(func(m *schema.Memory) bool { return m.Source.UUID == gone.UUID }) {
			rt.Fatalf("%q is left", m.Content)
		}
	})
}

// asked takes requests to forget.
type asked struct {
	mu  sync.Mutex
	got []schema.Forget
}

func (a *asked) ForgetAs(_ context.Context, _ schema.Event, f schema.Forget) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got = append(a.got, f)
	return nil
}

// A wish takes what it names, and itself where it is all that a turn says; nobody else's, and nothing said later.
func TestA5_SpokenWishToForgetIsAppendedToTheLog(t *testing.T) {
	for _, tc := range []struct{ said, other, wish string }{
		{"My storage unit is B-14.", "I live in Porto.", "Please forget my storage unit."},
		{"我的储物间是B-14。", "我住在成都。", "请忘掉我的储物间。"},
	} {
		s := newFactStore()
		r := s.runner(t)
		a := &asked{}
		r.Forgetter = a
		handle(t, r, spoken(t, "a", 1, day0, userSays(tc.said)), spoken(t, "b", 2, day0, userSays(tc.other)),
			spoken(t, "later", 9, day0.AddDate(0, 0, 1), userSays(tc.said+" "+tc.other)))
		wish := spoken(t, "w", 5, day0.Add(time.Hour), userSays(tc.wish))
		handle(t, r, wish)
		first := s.find(func(m *schema.Memory) bool { return m.Source.Event == "a" })
		if len(first) != 1 || len(a.got) != 1 || a.got[0].User != "u" || len(a.got[0].IDs) != 2 ||
			!slices.Contains(a.got[0].IDs, first[0].ID) || !slices.Contains(a.got[0].IDs, "w") {
			t.Errorf("%s: %+v\n%s", tc.wish, a.got, s.snapshot())
		}
		if left := s.find(func(m *schema.Memory) bool { return m.Source.Event == "w" }); len(left) > 0 {
			t.Errorf("%s left %q", tc.wish, left[0].Content)
		}
		a.got = nil
		handle(t, r, spoken(t, "x", 6, day0.Add(2*time.Hour), userSays(tc.other+" "+tc.wish)))
		if len(a.got) != 1 || !slices.Equal(a.got[0].IDs, []string{first[0].ID}) {
			t.Errorf("with something else in the turn: %+v", a.got)
		}
		r.Marks = forgetting{"w"}
		a.got = nil
		handle(t, r, wish)
		if len(a.got) != 0 {
			t.Errorf("a wish that was met is met again: %+v", a.got)
		}
	}
}

// undecided is an earlier event that is not decided until it is set so.
type undecided struct{ done bool }

func (u *undecided) Decided(context.Context, schema.Event) (bool, error) { return u.done, nil }

// What was said before a wish may be decided after it is first looked at: the wish waits, holds up nobody, and takes it.
func TestA5_AWishToForgetWaitsForWhatWasSaidBefore(t *testing.T) {
	s, u, a := newFactStore(), &undecided{}, &asked{}
	r, err := NewRunner(Decide, 1, Deps{Embedder: s, Slots: s, Points: s, Earlier: u}, nil, s, s)
	if err != nil {
		t.Fatal(err)
	}
	r.Forgetter = a
	wish := spoken(t, "w", 5, day0.Add(time.Hour), userSays("Please forget my storage unit."))
	if err := r.Handle(t.Context(), *wish); !errors.Is(err, events.ErrWait) || len(a.got) != 0 {
		t.Fatalf("%v, and %v is asked for; want the wish to wait", err, a.got)
	}
	handle(t, r, spoken(t, "a", 1, day0, userSays("My storage unit is B-14.")))
	u.done = true
	handle(t, r, wish)
	if len(a.got) != 1 || len(a.got[0].IDs) != 2 {
		t.Errorf("asked for are %v, want the fact and the wish", a.got)
	}
}

// BenchmarkDecide_LifeOf50000 is one more statement of a user with n of them: what each adds must not cost more than the slots that it touches.
func BenchmarkDecide_LifeOf50000(b *testing.B) {
	for _, n := range [...]int{5_000, 50_000} {
		b.Run(fmt.Sprint(n, "facts"), func(b *testing.B) {
			s, f, _ := lived(b, n)
			rng := rand.New(rand.NewSource(1))
			evs := make([]*schema.Event, 200)
			for i := range evs {
				what := []string{fmt.Sprintf("I love dish-%d.", rng.Intn(n)), "I live in Lisbon now.", fmt.Sprintf("I don't eat dish-%d any more.", rng.Intn(n))}[i%3]
				evs[i] = spoken(b, fmt.Sprint("late", i), uint64(n+i), day0.AddDate(1, 0, i), userSays(what))
			}
			s.given = 0
			i := 0
			for b.Loop() {
				if _, err := f(context.Background(), *evs[i%len(evs)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
			b.ReportMetric(float64(s.given)/float64(i), "read/op")
		})
	}
}

// BenchmarkDistillDecide is what one turn of 1 KB costs from its cleaned text to its decision.
func BenchmarkDistillDecide(b *testing.B) {
	said := strings.Repeat("We went through the plan for the week and nothing in it was new to anybody. ", 11) + "I live in Lisbon now. 我喜欢喝豆浆。 Never deploy on Fridays."
	s := newSlotStore()
	f, err := Decide.New(Deps{Embedder: s, Slots: s, Points: s})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(said)))
	i := 0
	for b.Loop() {
		i++
		ev := spoken(b, fmt.Sprint("e", i), uint64(i), day0.Add(time.Duration(i)*time.Minute), userSays(said))
		if _, err := f(context.Background(), *ev); err != nil {
			b.Fatal(err)
		}
	}
}
