package distill

import (
	"strings"
	"time"
)

// subjectKind says whom a clause speaks of.
type subjectKind uint8

const (
	subjNone   subjectKind = 1 << iota // an imperative, or nothing a rule may use
	subjSelf                           // I, 我
	subjGroup                          // we, 我们, the team
	subjKin                            // somebody of the speaker's: my sister, 我妈妈
	subjMine                           // something of the speaker's: my desk phone, 我的车
	subjPerson                         // a name
	subjThing                          // anything else

	subjPeople = subjSelf | subjGroup | subjKin | subjPerson
	subjThings = subjThing | subjPerson | subjMine | subjGroup
	subjAny    = 0xff &^ subjNone
)

// subject is whom or what a clause speaks of.
type subject struct {
	kind subjectKind
	text string // as facts carry it: "user", "user's sister", "Grafana"
	name string // the name given beside a kin word ("my brother John")
	said string // as it was said, to complete a later clause that has none
}

// clause is the unit that rules match: one subject, one predicate.
type clause struct {
	content string // what a fact of this clause says by itself
	text    string // for matching: fillers gone, contractions written out
	low     string // text in lower case
	lang    string
	sub     subject
	vp      string // what is said of the subject, adverbs and negation gone
	vpLow   string

	alt    *clause // the same with the subject that it goes without, for where it says nothing as it is
	elided bool    // that subject is only supposed to be the speaker

	explicit bool // the speaker asked for it to be remembered
	negated  bool
	ended    bool      // no longer so
	past     bool      // was so once (used to, 以前)
	also     bool      // beside what else is so: supersedes nothing
	reported bool      // told about somebody else
	at       time.Time // when it was said
	conf     float64   // factor on the rule's confidence

	clock clock  // what its time expressions are read against
	dates []when // its time expressions, once they are read
	dated bool
}

// speaker is who says I in a segment.
type speaker struct {
	self string // "user", or the speaker's name
	who  string // whom or what the sentence before spoke of, in English
}

// unit is a sentence's part before clauses are read, with what was cut off its front.
type unit struct {
	text     string
	explicit bool
	todo     bool // "remember to …"
}

// clauses reads a sentence: guards first, then its parts. It returns none where something speaks against reading.
func clauses(sent string, sp speaker, at time.Time) []*clause {
	lang := langOf(sent)
	if lang == "zh" {
		return clausesZh(sent, sp, at)
	}
	return clausesEn(sent, sp, at)
}

// newClause fills in what both languages share.
func newClause(content, text, lang string, at time.Time, past bool) *clause {
	return &clause{content: content, text: text, low: strings.ToLower(text), lang: lang, at: at, conf: 1, clock: clock{at: at, past: past}}
}

// whens are the clause's time expressions: most clauses are never asked.
func (c *clause) whens() []when {
	if !c.dated {
		c.dates, c.dated = findWhens(c.text, c.clock), true
	}
	return c.dates
}

// date takes the time expressions of c's content, which the fact shows, instead of those of its text.
func (c *clause) date(past bool) {
	c.dates, c.dated = findWhens(c.content, clock{at: c.at, past: past}), true
}

// certain are the time expressions that name a certain time: all of them, or, of what recurs, those that are not bare.
func (c *clause) certain(recurs bool) []when {
	if !recurs {
		return c.whens()
	}
	var out []when
	for _, w := range c.whens() {
		if !w.bare {
			out = append(out, w)
		}
	}
	return out
}

// ahead reports whether the clause speaks of a time that is not over yet.
func (c *clause) ahead() bool {
	for _, w := range c.whens() {
		if !w.since && w.to.After(c.at) {
			return true
		}
	}
	return false
}

// setVP sets the predicate part.
func (c *clause) setVP(vp string) {
	c.vp = strings.TrimSpace(vp)
	c.vpLow = strings.ToLower(c.vp)
}

// inQuotes reports whether byte i of s lies inside quotation marks that hold more than a name: what is quoted
// there is somebody else's sentence.
func inQuotes(s string, i int) bool {
	for _, q := range [...][2]string{{`"`, `"`}, {"“", "”"}, {"「", "」"}, {"『", "』"}} {
		a := strings.Index(s, q[0])
		if a < 0 || a > i {
			continue
		}
		b := strings.Index(s[a+len(q[0]):], q[1])
		if b < 0 || a+len(q[0])+b > i {
			return i > a
		}
	}
	return false
}

// tidy is a sentence as a fact's content: on one line, one space between words.
func tidy(s string) string {
	for i := 0; i < len(s); i++ {
		if isSpace(s[i]) && (s[i] != ' ' || i+1 < len(s) && isSpace(s[i+1])) {
			return strings.TrimSpace(joinSpaces(s, i))
		}
	}
	return strings.TrimSpace(s)
}

// joinSpaces makes one space of every run of white space from byte i on.
func joinSpaces(s string, i int) string {
	b := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		switch {
		case !isSpace(s[i]):
			b = append(b, s[i])
		case i == 0 || !isSpace(s[i-1]):
			b = append(b, ' ')
		}
	}
	return string(b)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' }
