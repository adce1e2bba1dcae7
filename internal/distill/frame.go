package distill

import (
	"cmp"
	"slices"
	"strings"
)

// frame is a class of English verbs and phrases that say one kind of thing about somebody, in any inflection and with any
// adverbs between: its lexicon, where rules of the table are closed templates. A frame reads what is said of a person, and
// is told apart from others by its first word alone, so that their number costs nothing.
type frame struct {
	rule
	says string // its phrases, apart by ";": see [phrase]
	turn bool   // a change whose outcome holds: "moved to", "joined". Of others a past tense tells what was.
	fits func(c *clause, o string) bool
	make func(c *clause, o string) fact // nil takes the object as it is
}

// phrase is how a frame may be put: words in their base form, of which the first is inflected.
//
//	a|b   either word; of the first one all inflections; "be" is any form of it
//	w?    the word may be left out
//	POSS  my, our, his, her, their
//	DET   an article, a possessive, a number, or nothing, and up to three words that describe
//	_     one to five words
//	X     the value: up to the next word of the phrase, or all that is left
//	NAME  the same, beginning with a capital or a digit
type phrase struct {
	frame *frame
	words [][]string
	opt   []bool
	lits  int // literal words: the more, the more specific
}

// inflected is a form of a verb that begins a phrase.
type inflected struct {
	p    *phrase
	form verbForm
}

type verbForm uint8

const (
	formBase verbForm = 1 << iota // and the third person
	formPast
	formIng
)

// lexicon finds phrases by the form of their first word.
type lexicon struct {
	by   map[string][]inflected
	cans map[string]bool // words that begin a phrase in its base form
}

func newLexicon(frames []frame) *lexicon {
	lx := &lexicon{by: map[string][]inflected{}, cans: map[string]bool{}}
	for i := range frames {
		fr := &frames[i]
		for says := range strings.SplitSeq(fr.says, ";") {
			fields := strings.Fields(says)
			if len(fields) == 0 {
				continue
			}
			p := &phrase{frame: fr}
			for _, w := range fields {
				opt := strings.HasSuffix(w, "?") && w != "?"
				w = strings.TrimSuffix(w, "?")
				p.words, p.opt = append(p.words, strings.Split(w, "|")), append(p.opt, opt)
				if w != "X" && w != "_" && w != "DET" && !opt {
					p.lits++
				}
			}
			for _, v := range p.words[0] {
				lx.cans[v] = true
				for form, f := range formsEn(v) {
					lx.by[form] = append(lx.by[form], inflected{p, f})
				}
			}
		}
	}
	for _, ps := range lx.by {
		slices.SortStableFunc(ps, func(a, b inflected) int { return cmp.Compare(b.p.lits, a.p.lits) })
	}
	return lx
}

// irregularEn are verbs whose past and participle follow no rule: base, past, participle.
var irregularEn = func() map[string][]string {
	out := map[string][]string{}
	for v := range strings.SplitSeq("have had,has;do did done,does;go went gone;get got gotten;take took taken;make made;eat ate eaten;drink drank drunk;drive drove driven;ride rode ridden;write wrote written;read read;keep kept;sleep slept;leave left;lose lost;break broke broken;tear tore torn;hurt hurt;cut cut;put put;quit quit;set set;sit sat;stand stood;bear bore borne;find found;hold held;teach taught;think thought;know knew known;grow grew grown;give gave given;come came come;become became become;run ran run;begin began begun;swim swam swum;sing sang sung;wear wore worn;swear swore sworn;choose chose chosen;speak spoke spoken;build built;spend spent;send sent;lend lent;sell sold;buy bought;bring brought;fight fought;catch caught;win won;feel felt;fall fell fallen;steer steered;split split;bet bet;hit hit;lie lay lain;lead led;meet met;pay paid;see saw seen;stick stuck;cling clung;dig dug;draw drew drawn;fly flew flown;forgo forwent forgone;understand understood;live lived;say said;tell told;wake woke woken;hear heard;let let;shoot shot;light lit;dwell dwelt", ";") {
		f := strings.Fields(strings.ReplaceAll(v, ",", " "))
		out[f[0]] = f[1:]
	}
	return out
}()

var beFormsEn = wordSet("be am is are was were been being")

// formsEn are the inflections of a verb. What is no verb ("cannot", "no") stays as it is.
func formsEn(v string) map[string]verbForm {
	out := map[string]verbForm{}
	add := func(w string, f verbForm) { out[w] |= f }
	switch {
	case v == "be":
		for w := range beFormsEn {
			switch w {
			case "was", "were":
				add(w, formPast)
			case "being":
				add(w, formIng)
			default:
				add(w, formBase)
			}
		}
		return out
	case v == "cannot" || strings.HasSuffix(v, "!"):
		add(strings.TrimSuffix(v, "!"), formBase)
		return out
	}
	add(v, formBase)
	n := len(v)
	last := v[n-1]
	soft := n > 1 && !strings.ContainsRune("aeiou", rune(v[n-2]))
	switch {
	case last == 'y' && soft:
		add(v[:n-1]+"ies", formBase)
	case last == 's' || last == 'x' || last == 'z' || last == 'o' || strings.HasSuffix(v, "ch") || strings.HasSuffix(v, "sh"):
		add(v+"es", formBase)
	default:
		add(v+"s", formBase)
	}
	double := doublesEn[v]
	switch {
	case strings.HasSuffix(v, "ie"):
		add(v[:n-2]+"ying", formIng)
	case last == 'e' && !strings.HasSuffix(v, "ee"):
		add(v[:n-1]+"ing", formIng)
	case double:
		add(v+string(last)+"ing", formIng)
	default:
		add(v+"ing", formIng)
	}
	if f, ok := irregularEn[v]; ok {
		for _, w := range f {
			if strings.HasSuffix(w, "s") && (w == "has" || w == "does") {
				add(w, formBase)
				continue
			}
			add(w, formPast)
		}
		return out
	}
	switch {
	case last == 'e':
		add(v+"d", formPast)
	case last == 'y' && soft:
		add(v[:n-1]+"ied", formPast)
	case double:
		add(v+string(last)+"ed", formPast)
	default:
		add(v+"ed", formPast)
	}
	return out
}

// doublesEn are the verbs that double their last letter.
var doublesEn = wordSet("plan stop run sit quit swim jog get put set cut split bat bet hit let log map nap opt pet plug rub ship shop skip slip snap spot step strip swap tag tap trim trip wrap commit prefer refer transfer travel dig win begin ban chat cram drop fit knit shun abhor defer drag grab hop hug mop nag pin plug scan skim stem sip knot refer fret dub cop")

// wordEn is a word of what is read: as it is compared, and where it stands.
type wordEn struct {
	low        string
	start, end int
	capital    bool // or a digit
}

func wordsEn(s string) []wordEn {
	var out []wordEn
	for i := 0; i < len(s); {
		if s[i] == ' ' {
			i++
			continue
		}
		j := i
		for j < len(s) && s[j] != ' ' {
			j++
		}
		core := strings.Trim(s[i:j], `,.;:!?"()`)
		out = append(out, wordEn{strings.ToLower(core), i, j, capital(core)})
		i = j
	}
	return out
}

var (
	haveEn    = wordSet("have has had having")
	possEn    = wordSet("my our his her their its your")
	detEn     = wordSet("a an the some any my our his her their this that one two three four five six seven eight nine ten several many few half most all both no another")
	loneAdvEn = wordSet("also now still just always often never ever really only even almost already usually mostly mainly currently generally normally recently finally lately sometimes occasionally basically pretty quite rather so very much too actually simply officially once twice again both all kind sort of kinda sorta long first originally gladly myself ourselves personally probably definitely regularly religiously strictly exclusively primarily happily freshly newly back since then do does did get got")
)

// skipsEn reports whether w may stand between a subject and its verb.
func skipsEn(w string) bool {
	return beFormsEn[w] || haveEn[w] || loneAdvEn[w] || len(w) > 4 && strings.HasSuffix(w, "ly") && !likelyNounEn[w]
}

var likelyNounEn = wordSet("family supply reply apply assembly italy july rely fly ally bully rally")

// read is what the first frame that fits says of c, those of the most words first.
func (lx *lexicon) read(c *clause) (fact, *rule, bool) {
	if c.lang != "en" || c.sub.kind == subjNone || c.vp == "" {
		return fact{}, nil, false
	}
	ws := wordsEn(c.vp)
	be, have := false, false
	for i := range min(len(ws), 8) {
		for _, in := range lx.by[ws[i].low] {
			fr := in.p.frame
			if fr.subj&c.sub.kind == 0 {
				continue
			}
			if f, ok := in.read(c, ws[i:], be, have); ok {
				return f, &fr.rule, true
			}
		}
		if !skipsEn(ws[i].low) {
			return fact{}, nil, false
		}
		if beFormsEn[ws[i].low] {
			be = true
			if ws[i].low == "been" {
				have = true
			}
		}
		have = have || haveEn[ws[i].low]
	}
	return fact{}, nil, false
}

// read makes the fact of a phrase whose first word is ws[0], behind forms of be and have.
func (in inflected) read(c *clause, ws []wordEn, be, have bool) (fact, bool) {
	fr := in.p.frame
	isBe := in.p.words[0][0] == "be"
	switch {
	case !isBe && be && in.form == formPast, !isBe && be && in.form == formBase, have && in.form == formBase && !isBe && !be:
		return fact{}, false // a passive, a noun
	case !be && !have && in.form == formIng && !c.ended && !c.elided && c.sub.kind != subjNone && ws[0].start > 0:
		return fact{}, false
	}
	from, to, ok := in.p.match(ws, 1, 1)
	if !ok {
		return fact{}, false
	}
	o := ""
	if from < to {
		o = objectOf(c, c.vp[ws[from].start:ws[to-1].end])
	}
	low := strings.ToLower(o)
	if from < to && (o == "" || isPronounEn(firstWord(low)) || hasPrefixAny(low+" ", "your ", "you ", "me ", "him ", "us ", "them ", "not ")) {
		return fact{}, false
	}
	if fr.fits != nil && !fr.fits(c, o) {
		return fact{}, false
	}
	if !fr.turn && be && in.form == formIng && rePassingNow.match(c.low) {
		return fact{}, false
	}
	f := fact{object: o}
	if fr.make != nil {
		f = fr.make(c, o)
	}
	if f.pred.name == "" {
		f.pred = fr.pred
	}
	f.conf = cmp.Or(f.conf, fr.conf)
	if in.form == formPast && !have && !fr.turn && !c.negated && fr.pred.name != pEvent.name {
		f.past = true
	}
	if c.negated {
		switch {
		case fr.pred.name == pLikes.name:
			f.pred = pDislikes
		case fr.pred.name == pDislikes.name, fr.pred.name == pHealth.name && !c.ended:
			return fact{}, false
		default:
			f.negated = true
		}
	}
	if f.qualifier == "" && (f.pred.arity == polar || f.pred.name == pLikes.name || f.pred.name == pDislikes.name) {
		f.qualifier = bareTaste(f.object)
	}
	return f, f.object != "" || f.qualifier != ""
}

// rePassingNow says that something is so for this moment.
var rePassingNow = gated(`(?i)\b(?:right now|today|tonight|this (?:morning|afternoon|evening|second|minute)|just now)\b`)

// match matches the phrase from its word n on against ws from i on. It gives the words of the value.
func (p *phrase) match(ws []wordEn, n, i int) (from, to int, ok bool) {
	if n == len(p.words) {
		return i, i, true
	}
	if p.opt[n] {
		if p.words[n][0] == "X" {
			return i, len(ws), true
		}
		if i < len(ws) && slices.Contains(p.words[n], ws[i].low) {
			if f, t, ok := p.match(ws, n+1, i+1); ok {
				return f, t, true
			}
		}
		return p.match(ws, n+1, i)
	}
	w := p.words[n]
	switch w[0] {
	case "X", "NAME":
		if i >= len(ws) {
			return 0, 0, false
		}
		if w[0] == "NAME" && !ws[i].capital {
			return 0, 0, false
		}
		if n+1 == len(p.words) {
			return i, len(ws), true
		}
		for j := i + 1; j < len(ws); j++ {
			if _, _, ok := p.match(ws, n+1, j); ok {
				return i, j, true
			}
		}
		return 0, 0, false
	case "DET":
		for j := i; j <= min(i+4, len(ws)); j++ {
			if f, t, ok := p.match(ws, n+1, j); ok {
				return f, t, true
			}
		}
		return 0, 0, false
	case "_":
		for j := i + 1; j <= min(i+5, len(ws)); j++ {
			if f, t, ok := p.match(ws, n+1, j); ok {
				return f, t, true
			}
		}
		return 0, 0, false
	case "POSS":
		if i < len(ws) && possEn[ws[i].low] {
			return p.match(ws, n+1, i+1)
		}
		return 0, 0, false
	}
	if i < len(ws) && slices.Contains(w, ws[i].low) {
		return p.match(ws, n+1, i+1)
	}
	if i < len(ws) && i+1 < len(ws) && (loneAdvEn[ws[i].low] || strings.HasSuffix(ws[i].low, "ly")) { // an adverb between
		return p.match(ws, n, i+1)
	}
	return 0, 0, false
}
