package distill

import (
	"math/bits"
	"regexp"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// rule is a row of a table: which clauses it reads, and what it makes of them.
type rule struct {
	name  string
	subj  subjectKind    // kinds of subject it reads; it sees what is said of them
	whole bool           // it sees the whole clause instead
	re    *regexp.Regexp // nil matches all of what it sees, as group 1
	pred  predicate
	conf  float64
	// build makes the fact from the match; nil takes group 1 as the object.
	build func(c *clause, m []string) (fact, bool)
}

// fact is what a rule read. Zero fields take what the predicate and the clause say.
type fact struct {
	pred      predicate
	subject   string
	qualifier string // parts slots of one predicate: the x of favourite x, the role of has_<role>
	object    string
	negated   bool
	replaces  string
	typ       schema.Type
	kind      schema.Kind
	conf      float64
	imp       float64
	noSlot    bool
	oneSlot   bool // functional in this case, whatever the predicate says
	past      bool
	soft      bool      // allows or wishes rather than demands: no rule to pin
	until     time.Time // over then, by what was said before
	expires   bool      // ends with its time expression
	twin      *fact     // a second fact of the same clause: a triple, not a memory of its own
}

// compile is a rule's pattern; patterns see text as written and match without regard to case.
func compile(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }

// match is the match of r in s, nil where there is none.
func (r *rule) match(s string) []string {
	switch {
	case r.re != nil:
		return r.re.FindStringSubmatch(s)
	case s == "":
		return nil
	}
	return []string{s, s}
}

// elidable reports whether r reads a clause whose subject is only supposed to be the speaker. Rows whose pattern may as
// well be an order, or be about anything, do not.
func (r *rule) elidable(c *clause) bool {
	return strings.HasPrefix(r.name, "zh.frame.") || elidableZh[r.name] || endedZh[r.name] && c.negated && c.ended
}

var (
	elidableZh = wordSet("zh.allergic zh.health zh.health.level zh.diet zh.marital zh.age zh.moved zh.lives zh.home zh.hometown zh.left_job zh.joined zh.works_at zh.works_when zh.job zh.job.one zh.speaks zh.skill zh.report zh.has.pet zh.has.kin zh.prefers zh.prefers.rather zh.likes zh.loves zh.dislikes zh.indifferent zh.consumes zh.trait zh.retired zh.life zh.habit zh.todo.plan zh.favourite zh.birthday zh.doing.now zh.got zh.studies.at zh.studies.year zh.years zh.since_in zh.uses.new zh.chose zh.own.attr zh.not_at_times zh.busy zh.trait.degree zh.job.now zh.job.as zh.field zh.gone_to zh.now_does zh.by zh.health.ill zh.health.takes zh.studies zh.retired zh.doing.now")
	endedZh    = wordSet("zh.uses zh.given_up zh.writes")
)

// table is a table of rules, with what tells at once which of them may read a clause.
type table struct {
	rules []rule
	whole *index    // over clauses, for the rows that see them whole
	part  *index    // over what is said of the subject, for the others
	kinds [9]rowSet // by kind of subject, the rows that read it; none for the ninth, no kind

	// frames reads by verbs, and what no row reads by its form as well: said tells that one does. Nil for none.
	frames func(c *clause, said bool) (fact, *rule, bool)
}

func newTable(rules []rule) *table {
	t := &table{rules: rules}
	words := make([][]string, len(rules))
	var whole, part rowSet
	for i := range rules {
		r := &rules[i]
		if r.re != nil {
			words[i] = literals(r.re.String())
		}
		if r.whole {
			whole.add(i)
		} else {
			part.add(i)
		}
		for k := range t.kinds {
			if r.subj&(1<<k) != 0 {
				t.kinds[k].add(i)
			}
		}
	}
	t.whole, t.part = newIndex(whole, words), newIndex(part, words)
	return t
}

// read is the first row that reads c, or the frame, which comes before the rows of last resort.
func (t *table) read(c *clause) (fact, *rule, bool) {
	f, rl, ok := t.row(c)
	if ok && !lastRows[rl.name] || t.frames == nil {
		return f, rl, ok
	}
	if g, r, ok := t.frames(c, ok && rl.pred.name != pStatement.name); ok {
		return g, r, true
	}
	return f, rl, ok
}

// lastRows are the rows that read what nothing else does, and those that take an idiom word by word: "live with diabetes",
// "have a soft spot for".
var lastRows = wordSet("en.habit en.never en.has en.uses en.trait.a en.event en.statement en.statement.name en.depends en.lives en.decided en.knows en.likes.not_care zh.habit zh.has zh.doing zh.event zh.event.carried zh.statement zh.attr zh.uses zh.given_up zh.consumes")

// row is the first row that reads c.
func (t *table) row(c *clause) (fact, *rule, bool) {
	may := t.whole.scan(c.text).or(t.part.scan(c.vp)).and(t.kinds[bits.TrailingZeros8(uint8(c.sub.kind))])
	for i := may.next(0); i >= 0; i = may.next(i + 1) {
		r := &t.rules[i]
		s := c.vp
		if r.whole {
			s = c.text
		}
		m := r.match(s)
		if m == nil {
			continue
		}
		var f fact
		ok := true
		if r.build != nil {
			f, ok = r.build(c, m)
		} else {
			f = fact{object: objectOf(c, m[1])}
			ok = f.object != ""
		}
		if !ok {
			continue
		}
		if f.pred.name == "" {
			f.pred = r.pred
		}
		if f.conf == 0 {
			f.conf = r.conf
		}
		return f, r, true
	}
	return fact{}, nil, false
}

var (
	reObjEndEn = gated(`(?i)(?:, |,$| (?:because|since|but|so|although|though|which|who|whose|when|while|whenever|if|unless|until|and (?:i|my|we|it|that|then|so|he|she|they)|now that|these days|as of|for now|after|before|every|any ?more|anymore)\b| - | – | not | instead of | rather than |[!;]).*$`)
	reObjTail  = gated(`(?i)(?: (?:now|too|as well|though|currently|these days|nowadays|at the moment|right now|yet|very much|a lot|so much|the most|most|again|by the way|today|this week|please))+$`)
	reObjEndZh = gated(`(?:，|,|；|。|！|因为|所以|但是|而且|不过).*$`)
)

// objectOf is the value in s: cut where another clause begins, trimmed of particles and marks.
func objectOf(c *clause, s string) string {
	if c.lang == "zh" {
		if containsAny(s, "，", ",", "；", "。", "！", "因为", "所以", "但是", "而且", "不过") {
			s = reObjEndZh.replace(s, "")
		}
		s = strings.TrimRight(s, "。！!~～.…；; 了的呢啊呀吧哦啦")
		return strings.Trim(strings.TrimSpace(s), `"“”「」'：:`)
	}
	if strings.IndexByte(s, ' ') < 0 {
		return strings.Trim(s, `"“”' .!,;:)`)
	}
	s = reObjEndEn.replace(s, "")
	s = reObjTail.replace(strings.TrimRight(s, " .!,;:)"), "")
	return strings.Trim(strings.TrimSpace(s), `"“”' `)
}
