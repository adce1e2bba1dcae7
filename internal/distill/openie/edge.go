package openie

import (
	"strings"
	"unicode/utf8"
)

// Edge is a triple that is worth a place in a graph: its ends are things with names, its relation is a few words.
type Edge struct {
	Subject, Relation, Object string
	Negated                   bool
	Speaker                   Speaker // whether the subject is who speaks
}

// Speaker says whether the subject of an edge is who speaks.
type Speaker uint8

// Who speaks.
const (
	Other Speaker = iota // nobody who speaks
	Self                 // I, 我
	Group                // we, 我们
)

// speaker is the speaker whom p names by a pronoun alone.
func (s *Sentence) speaker(p Phrase) Speaker {
	if len(p) == 1 {
		switch s.Words[p[0]].Text {
		case "I", "i", "我":
			return Self
		case "We", "we", "我们":
			return Group
		}
	}
	return Other
}

// Edges are the triples of the sentence whose both ends are entities: noun phrases of a few words that no pronoun stands in, one
// of them named (a proper name, an identifier, a path, a number). What is only possible, wanted or allowed is none, nor
// is what somebody says.
func (s *Sentence) Edges() []Edge {
	var out []Edge
	for _, t := range s.Triples {
		var e Edge
		var ok bool
		if s.Lang == "zh" {
			e, ok = s.edgeZh(t)
		} else {
			e, ok = s.edgeEn(t)
		}
		if ok {
			out = append(out, e)
		}
	}
	return out
}

// Bounds of the parts of an edge: what is longer is a sentence, not a name or a relation.
const (
	maxEndEn, maxRelEn = 6, 5  // words
	maxEndZh, maxRelZh = 16, 8 // characters
)

func (s *Sentence) edgeEn(t Triple) (Edge, bool) {
	e := Edge{Speaker: s.speaker(t.Subject)}
	speaks := e.Speaker != Other
	object := s.bare(t.Object)
	if !speaks && (!s.nominal(t.Subject, maxEndEn) || s.when(t.Subject)) || !s.nominal(object, maxEndEn) || s.when(object) || s.count(object) {
		return e, false
	}
	if !s.named(t.Subject) && !s.named(object) || speaks && !s.proper(object) || !speaks && !s.named(t.Subject) && !s.definite(t.Subject) {
		return e, false
	}
	var rel []string
	for k, i := range t.Relation {
		w := &s.Words[i]
		low := strings.ToLower(w.Text)
		if w.Whole || w.Tag == "NNP" || w.Tag == "NNPS" {
			return e, false // names another thing than its ends
		}
		switch w.class {
		case 'M', 'W', 'P', 'X', 'H', 'Q', 'C':
			return e, false
		case 'T':
			if k+1 < len(t.Relation) && s.Words[t.Relation[k+1]].class == 'B' {
				return e, false // wants to, is going to
			}
		case 'R':
			if low == "not" || low == "n't" || low == "never" || low == "no" || low == "hardly" || low == "rarely" || low == "seldom" {
				e.Negated = !e.Negated
			}
			continue
		case 'D', 'S', '"':
			continue
		}
		if low == "no" {
			e.Negated = !e.Negated
			continue
		}
		rel = append(rel, low)
	}
	if len(rel) == 0 || len(rel) > 1 && be[rel[0]] && (speaks || s.passing(t.Relation)) {
		return e, false
	}
	for len(rel) > 1 && auxiliary[rel[0]] && !prepositionEn[rel[1]] || len(rel) > 2 && rel[1] == "been" {
		rel = rel[1:] // "has moved to" is "moved to"
	}
	if len(rel) > maxRelEn {
		return e, false
	}
	e.Subject, e.Relation, e.Object = s.Text(t.Subject), strings.Join(rel, " "), s.Text(object)
	return e, true
}

// passing reports whether a relation says what goes on at present: "is testing".
func (s *Sentence) passing(rel Phrase) bool {
	for _, i := range rel {
		if s.Words[i].class == 'G' {
			return true
		}
	}
	return false
}

// when reports whether p says a time: its last word does.
func (s *Sentence) when(p Phrase) bool {
	for _, i := range p {
		w := strings.ToLower(s.Words[i].Text)
		if timeWord[w] || month[w] || year(w) {
			return true
		}
	}
	return false
}

// count reports whether p is a number alone: "from 1" says nothing.
func (s *Sentence) count(p Phrase) bool {
	for _, i := range p {
		if s.Words[i].class != 'C' && s.Words[i].class != 'D' {
			return false
		}
	}
	return true
}

var (
	be            = wordSet("is are was were am 's 're 'm be been being")
	auxiliary     = wordSet("has have had did do does been be being 've 'd")
	prepositionEn = wordSet("in on at of by for from to with as into under over about after before since until near like than")
)

// bare is p without the quotation marks at its ends.
func (s *Sentence) bare(p Phrase) Phrase {
	for len(p) > 0 && (s.Words[p[0]].class == '"' || s.Words[p[0]].class == 'q') {
		p = p[1:]
	}
	for len(p) > 0 && (s.Words[p[len(p)-1]].class == '"' || s.Words[p[len(p)-1]].class == 'q') {
		p = p[:len(p)-1]
	}
	return p
}

// nominal reports whether p is a noun phrase of at most n words: no verb, no pronoun, no clause.
func (s *Sentence) nominal(p Phrase, n int) bool {
	if len(p) == 0 || len(p) > n {
		return false
	}
	noun := false
	for k, i := range p {
		w := &s.Words[i]
		if isSign(w.Text) && !strings.Contains("$%&-–\"“”`''", w.Text) {
			return false
		}
		switch w.class {
		case 'N', 'C':
			noun = true
		case 'S':
			if k > 0 || !ofSpeaker[strings.ToLower(w.Text)] {
				return false // "their", "his": whose it is stands elsewhere
			}
		case 'D':
			switch strings.ToLower(w.Text) {
			case "this", "that", "these", "those", "no", "any", "some", "each", "every", "all", "both", "another":
				return false
			}
		case 'J', 'E', 'G', 'Q', '$', '-', 'R':
		case 'I':
			if !strings.EqualFold(w.Text, "of") && !strings.EqualFold(w.Text, "about") {
				return false
			}
		default:
			if w.Text != "&" {
				return false
			}
		}
	}
	return noun && !vague[strings.ToLower(s.Words[p[len(p)-1]].Text)]
}

// vague are nouns that name nothing by themselves.
var vague = wordSet("something anything nothing everything someone anyone everyone somebody one ones thing things stuff lot lots kind sort way ways part rest same other others people")

var ofSpeaker = wordSet("my our")

// named reports whether a proper name, an identifier or a number stands in p.
func (s *Sentence) named(p Phrase) bool {
	for _, i := range p {
		w := &s.Words[i]
		if w.class == 'C' && strings.ContainsAny(w.Text, "0123456789") {
			return true
		}
	}
	return s.proper(p)
}

// proper reports whether a proper name or an identifier stands in p.
func (s *Sentence) proper(p Phrase) bool {
	for _, i := range p {
		w := &s.Words[i]
		if w.Whole || (w.Tag == "NNP" || w.Tag == "NNPS") && w.class == 'N' {
			return true
		}
	}
	return false
}

// definite reports whether p speaks of a certain thing: the gateway, our team.
func (s *Sentence) definite(p Phrase) bool {
	low := strings.ToLower(s.Words[p[0]].Text)
	return low == "the" || ofSpeaker[low]
}

func (s *Sentence) edgeZh(t Triple) (Edge, bool) {
	e := Edge{Speaker: s.speaker(t.Subject)}
	speaks := e.Speaker != Other
	object := s.bare(t.Object)
	lead := ""
	if len(object) > 1 && s.Words[object[0]].class == 'p' { // 开设办事处 | 在天津 is 在…开设办事处 | 天津
		lead = s.Words[object[0]].Text + "…"
		object = object[1:]
		if n := len(object); n > 1 && s.Words[object[n-1]].class == 'f' {
			object = object[:n-1]
		}
	}
	subject := s.bare(t.Subject)
	if !speaks && (!s.nominalZh(subject) || s.timesZh(subject)) || !s.nominalZh(object) || s.timesZh(object) || !s.namedZh(subject) && !s.namedZh(object) {
		return e, false
	}
	var b strings.Builder
	for _, i := range t.Relation {
		w := &s.Words[i]
		switch {
		case modalZh[w.Text] || w.class == 'c' || w.class == 'r' || sayZh[w.Text]:
			return e, false
		case negatedZh[w.Text]:
			e.Negated = !e.Negated
			continue
		case w.class == 'd' || w.class == 'y':
			continue
		}
		b.WriteString(w.Text)
	}
	if e.Relation = lead + b.String(); lead == e.Relation {
		return e, false
	}
	if n := utf8.RuneCountInString(e.Relation); n > maxRelZh {
		return e, false
	}
	if e.Relation == "有" || e.Relation == "是" && !s.namedZh(subject) {
		return e, false
	}
	e.Subject, e.Object = s.Text(subject), s.Text(object)
	return e, true
}

var negatedZh = wordSet("不 没 没有 未 并未 并不 不再 从未 从不")

// nominalZh reports whether p is a noun phrase: no verb, no pronoun but 我 before somebody of the speaker's.
func (s *Sentence) nominalZh(p Phrase) bool {
	if len(p) == 0 || utf8.RuneCountInString(s.Text(p)) > maxEndZh && !s.Words[p[0]].Whole {
		return false
	}
	noun := false
	for k, i := range p {
		switch w := &s.Words[i]; w.class {
		case 'n':
			noun = true
		case 'm':
		case 'r':
			if k > 0 || len(p) == 1 || w.Text != "我" && w.Text != "我们" {
				return false
			}
		case 'j', 'q', 'k':
		case 'u':
			if k == 0 || k == len(p)-1 {
				return false
			}
		default:
			return false
		}
	}
	return noun
}

// timesZh reports whether a time stands in p.
func (s *Sentence) timesZh(p Phrase) bool {
	for _, i := range p {
		if w := &s.Words[i]; w.class == 't' || afterZh[w.Text] || w.Tag == "t" {
			return true
		}
	}
	return false
}

// namedZh reports whether p names something: a name of a person, place, organisation or work, a foreign word, a number, a
// word that the dictionary does not have, or a noun that says what kind of named thing it is.
func (s *Sentence) namedZh(p Phrase) bool {
	for k, i := range p {
		w := &s.Words[i]
		switch {
		case w.Whole && w.class == 'n', w.Tag == "eng", w.Text == "《", w.Whole && w.class == 'm' && k == len(p)-1 && len(p) > 1:
			return true
		case w.class == 'n' && (strings.HasPrefix(w.Tag, "nr") || w.Tag == "ns" || w.Tag == "nt" || w.Tag == "nz"):
			return true
		case k == len(p)-1 && k > 0 && thingsZh[w.Text]:
			return true
		}
	}
	return false
}

// thingsZh are nouns that end the names of organisations and of parts of systems.
var thingsZh = wordSet("公司 集团 科技 软件 大学 学院 中学 小学 医院 银行 研究所 研究院 工厂 餐厅 酒店 基金 基金会 出版社 电视台 系统 服务 平台 模块 项目 网关 集群 数据库 服务器 仓库 框架 团队 部门 小组 组 路 街 区 镇 村 县 市 省")
