package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Utterance is one line of a file of utterances: what is said, and the facts that it states. Without facts it is to
// state none.
type Utterance struct {
	Text  string             `json:"text"`
	Seg   schema.SegmentKind `json:"seg"`  // who says it: input (the default), response or tool
	Tool  string             `json:"tool"` // that says it; any where absent
	At    time.Time          `json:"at"`   // SaidAt where absent
	Facts []Stated           `json:"facts"`
}

// SaidAt is when utterances without a time of their own are said: on Sunday, 10 May 2026 at 9:00 in Shanghai.
var SaidAt = time.Date(2026, 5, 10, 9, 0, 0, 0, time.FixedZone("", 8*3600))

// Stated is a fact that an utterance states. What is absent is not compared, but for the subject, the two negations and
// the object.
type Stated struct {
	Predicate string `json:"p"` // alternatives apart by |; * for any
	Subject   string `json:"s"` // alternatives apart by |; * for any; absent for the speaker, or for the thing that only the predicate is about
	Object    string `json:"o"` // occurs in the value or in the sentence, to the letter but for case; "" for any value
	Negated   bool   `json:"n"`
	Past      bool   `json:"past"` // no longer so
	Explicit  bool   `json:"e"`
	Type      string `json:"t"`
	Kind      string `json:"k"`
	Content   string `json:"c"`    // the whole sentence
	From      string `json:"from"` // the day from which it holds, in the speaker's zone
	To        string `json:"to"`   // the day on which it ended
	Expires   string `json:"x"`    // the first day on which it is over
}

// ReadUtterances reads a file of utterances, one a line. It refuses unknown fields, which would go uncompared, and
// facts without a predicate.
func ReadUtterances(r io.Reader) ([]Utterance, error) {
	return readLines(r, "utterances", maxSaid, Utterance{Seg: schema.SegInput, At: SaidAt}, (*Utterance).check)
}

// maxSaid bounds an utterance or a pair, in bytes.
const maxSaid = 1 << 24

func (u *Utterance) check() error {
	if u.Text == "" {
		return fmt.Errorf("text: is missing")
	}
	switch u.Seg {
	case schema.SegInput, schema.SegResponse, schema.SegTool:
	default:
		return fmt.Errorf("seg: %q is none of input, response, tool", u.Seg)
	}
	for i, f := range u.Facts {
		if f.Predicate == "" {
			return fmt.Errorf("facts[%d].p: is missing", i)
		}
	}
	return nil
}

// saysItself are the predicates whose value is a sentence, with what is denied in its words.
var saysItself = []string{"rule", "permitted", "exempt", "medical_advice", "plans", "reminder", "habit", "decided", "states", "reported", "reference"}

// called are the predicates that tell what somebody of the speaker's is called.
var called = []string{"knows", "has", "manager_is"}

// is reports whether m is the fact s, as by names subjects.
func (s *Stated) is(m *schema.Memory, by *FactReader) bool {
	return (s.isAbout(m, by) && s.isSaid(m) || s.isCalled(m)) && s.holds(m) &&
		(!s.Explicit || m.Explicit) && (s.Type == "" || s.Type == string(m.Type)) && (s.Kind == "" || s.Kind == string(m.Kind)) &&
		(s.Content == "" || s.Content == m.Content) &&
		isDay(s.From, m.ValidFrom) && isDay(s.To, m.ValidTo) && isDay(s.Expires, m.ExpiresAt)
}

// isCalled reports whether s is the name of somebody of the speaker's and m that the speaker knows somebody by it: "my
// wife is called Ana" is either.
func (s *Stated) isCalled(m *schema.Memory) bool {
	return (strings.HasPrefix(s.Subject, "user's ") || (s.Subject == "" || s.Subject == "*") && s.Predicate != "name") && slices.Contains(strings.Split(s.Predicate, "|"), "name") && m.Subject == "user" &&
		slices.Contains(called, m.Predicate) && s.Negated == m.Negated && within(m.Object, s.Object)
}

// isSaid compares predicate, negation and value.
func (s *Stated) isSaid(m *schema.Memory) bool {
	mp, mneg := pole(m.Predicate, m.Negated)
	for p := range strings.SplitSeq(s.Predicate, "|") {
		gp, gneg := pole(p, s.Negated)
		if p == "*" {
			gp, gneg = mp, gneg || m.Predicate == "dislikes"
		}
		if p == "has_member" && slices.Contains(called, mp) { // of a family or a team
			gp = mp
		}
		if gp == mp && (gneg == mneg || s.Past && mneg || slices.Contains(saysItself, mp)) {
			return within(m.Object, s.Object) || within(m.Content, s.Object)
		}
	}
	return false
}

// pole makes one of "dislikes" and "does not like".
func pole(predicate string, negated bool) (string, bool) {
	if predicate == "dislikes" {
		return "likes", !negated
	}
	return predicate, negated
}

// holds compares whether it is still so: what is denied now is no longer so.
func (s *Stated) holds(m *schema.Memory) bool {
	over := !m.ValidTo.IsZero()
	return over == s.Past || m.Predicate == "did" || s.Past && m.Negated || s.Negated && over && m.Negated
}

// isAbout compares subjects: those of which one holds all words of the other are the same ("staging db", "the staging
// db"; "user's sister", "user's older sister").
func (s *Stated) isAbout(m *schema.Memory, by *FactReader) bool {
	switch s.Subject {
	case "*":
		return true
	case "":
		return !by.Person(m.Subject)
	}
	for who := range strings.SplitSeq(s.Subject, "|") {
		a, b := text.Fold(by.Subject(who)), text.Fold(m.Subject)
		if a == b || holdsWords(a, b) || holdsWords(b, a) {
			return true
		}
	}
	return false
}

func holdsWords(s, of string) bool {
	if text.Lang(s) == "zh" {
		return of != "" && strings.Contains(s, of)
	}
	words := strings.Fields(s)
	for w := range strings.FieldsSeq(of) {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return len(words) > 0 && of != "" && of != "user's"
}

func within(s, part string) bool { return strings.Contains(text.Fold(s), text.Fold(part)) }

// isDay reports whether t is that day, or no day is asked for.
func isDay(day string, t time.Time) bool {
	return day == "" || !t.IsZero() && t.Format(time.DateOnly) == day
}
