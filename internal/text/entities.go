package text

import (
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Types of entities, as schema.Entity.Type.
const (
	EntityPerson       = "person"
	EntityPlace        = "place"
	EntityOrganisation = "organisation"
	EntityProduct      = "product"
	EntityWork         = "work" // a title in 《》
	EntityName         = "name" // a proper name of unknown kind
	EntityPath         = "path"
	EntityURL          = "url"
	EntityEmail        = "email"
	EntityDate         = "date"
	EntityVersion      = "version"
	EntityPhone        = "phone"
	EntityHost         = "host"
)

// Entities returns the names in the text, each once, in order of first occurrence, at most n. Spans (paths, URLs,
// e-mails, dates, versions, phones, hosts) are taken as found. Names are found by rules that rather miss than guess:
//   - Chinese: jieba's tags ns and nt; family names with a cue (a title behind, 叫, a word of kinship or office
//     before) or with two further characters; words before 公司, 大学, 路 and the like; transcribed names with ·; titles in 《》;
//   - English: sequences of capitalised words that do not only begin a sentence, typed by titles, given names,
//     endings (Inc, University, Street), a short list of countries and cities; words with inner capitals or a version
//     behind are products.
func (d *Doc) Entities(n int) []schema.Entity {
	f := &finder{d: d, toks: d.bodyTokens(), seen: map[string]bool{}, max: n}
	for i := 0; i < len(f.toks) && len(f.out) < n; {
		i = f.at(i)
	}
	return f.out
}

// Entities is [Doc.Entities] of a text.
func Entities(text string, n int) []schema.Entity { return Analyze(text).Entities(n) }

type finder struct {
	d    *Doc
	toks []Token
	seen map[string]bool
	out  []schema.Entity
	max  int
}

func (f *finder) add(typ, text string) {
	text = strings.TrimSpace(text)
	key := typ + "\x00" + FoldMatch(text)
	if text == "" || len(text) > 400 || f.seen[key] || len(f.out) >= f.max {
		return
	}
	f.seen[key] = true
	f.out = append(f.out, schema.Entity{Text: text, Type: typ})
}

func (f *finder) list(name string) map[string]bool { return f.d.e.names[name] }

var spanEntities = map[Kind]string{
	KindPath: EntityPath, KindURL: EntityURL, KindEmail: EntityEmail, KindDate: EntityDate,
	KindVersion: EntityVersion, KindPhone: EntityPhone, KindHost: EntityHost,
}

// at looks at token i and returns the next to look at.
func (f *finder) at(i int) int {
	t := &f.toks[i]
	if typ, ok := spanEntities[t.Kind]; ok {
		f.add(typ, t.Text)
		return i + 1
	}
	switch {
	case t.Kind == KindOther:
		if k := strings.LastIndex(t.Text, "《"); k >= 0 {
			return f.title(i, t.Start+k+len("《"))
		}
	case t.Han:
		return f.chinese(i)
	case t.Kind == KindWord || t.Kind == KindIdent:
		return f.english(i)
	}
	return i + 1
}

// title takes what stands in 《》.
func (f *finder) title(i, start int) int {
	text := f.d.Text
	end := strings.Index(text[start:min(len(text), start+150)], "》")
	if end <= 0 || strings.ContainsAny(text[start:start+end], "\n《") {
		return i + 1
	}
	f.add(EntityWork, text[start:start+end])
	next := i + 1 // a title of nothing but signs lies within one token
	for next < len(f.toks) && f.toks[next].End <= start+end {
		next++
	}
	return next
}

func (f *finder) hanAt(i int) *Token {
	if i >= 0 && i < len(f.toks) && f.toks[i].Han {
		return &f.toks[i]
	}
	return nil
}

// joined reports that token i follows the one before without anything between.
func (f *finder) joined(i int) bool {
	return i > 0 && i < len(f.toks) && f.toks[i].Start == f.toks[i-1].End
}

func (f *finder) chinese(i int) int {
	t := &f.toks[i]
	w := t.Norm
	n := runeLen(w)
	if end := f.foreign(i); end > i { // X·Y
		return end
	}
	if end := f.organisation(i); end > i {
		return end
	}
	if end := f.person(i); end > i {
		return end
	}
	switch {
	case t.Tag == "ns" && n >= 2 && !f.list("not-places")[w]:
		end := i + 1
		if next := f.hanAt(end); next != nil && f.list("place-suffixes")[next.Norm] && runeLen(next.Norm)+n <= 8 {
			end++
		}
		f.add(EntityPlace, f.span(i, end))
		return end
	case t.Tag == "nt" && n >= 3:
		f.add(EntityOrganisation, t.Text)
	case n >= 3 && (t.Tag == "" || t.Tag == "nz" || t.Tag == "nr") && f.placeSuffix(w): // 张江路, 西湖区
		f.add(EntityPlace, t.Text)
	}
	return i + 1
}

func (f *finder) span(i, end int) string {
	return f.d.Text[f.toks[i].Start:f.toks[end-1].End]
}

func (f *finder) placeSuffix(w string) bool {
	r, size := utf8.DecodeLastRuneInString(w)
	return size < len(w) && f.list("place-suffixes")[string(r)]
}

// foreign is a transcribed name with middle dots: 约翰·史密斯.
func (f *finder) foreign(i int) int {
	end := i + 1
	dots := 0
	for end+1 < len(f.toks) && f.toks[end].Kind == KindOther && (f.toks[end].Text == "·" || f.toks[end].Text == "•" || f.toks[end].Text == "・") && f.toks[end+1].Han {
		end += 2
		for f.hanAt(end) != nil && f.d.e.lex.word(f.toks[end].Norm) == nil && runeLen(f.toks[end].Norm) > 1 {
			end++
		}
		dots++
	}
	if dots == 0 {
		return i
	}
	f.add(EntityPerson, f.span(i, end))
	return end
}

// organisation is a run of name-like words before a word such as 公司.
func (f *finder) organisation(i int) int {
	runes := 0
	for k := i; k < len(f.toks) && k-i < 6; k++ {
		t := f.hanAt(k)
		if t == nil || k > i && !f.joined(k) {
			return i
		}
		runes += runeLen(t.Norm)
		if k > i && f.list("org-suffixes")[t.Norm] && runes <= 20 {
			end := k + 1
			for f.hanAt(end) != nil && f.joined(end) && f.list("org-suffixes")[f.toks[end].Norm] { // 科技有限公司
				end++
			}
			strong := t.Norm == "有限公司" || f.toks[end-1].Norm == "有限公司" || t.Norm == "集团"
			first := i == 0 || !f.joined(i) || f.d.e.stop[f.toks[i-1].Norm]
			if !f.nameLike(i) && !(strong && first) {
				return i
			}
			f.add(EntityOrganisation, f.span(i, end))
			return end
		}
		if f.d.e.stop[t.Norm] || posWeight(t.Tag) < 0.6 || f.list("name-cues")[t.Norm] || strings.HasPrefix(t.Tag, "a") {
			return i
		}
	}
	return i
}

// nameLike reports that the word at i can begin a name: a place, a proper noun, or a word that no dictionary has.
func (f *finder) nameLike(i int) bool {
	switch t := f.toks[i]; t.Tag {
	case "ns", "nt", "nz", "nr", "nrt", "j":
		return runeLen(t.Norm) > 1
	case "":
		return runeLen(t.Norm) > 1
	}
	return false
}

// person is a Chinese name: a family name and one or two characters.
func (f *finder) person(i int) int {
	t := &f.toks[i]
	w, end := t.Norm, i+1
	rs := []rune(w)
	if len(rs) == 1 { // 王 + 小明: names that are cut behind the family name
		if next := f.hanAt(end); f.list("common-surnames")[w] && next != nil && f.joined(end) {
			if f.list("titles")[next.Norm] {
				f.add(EntityPerson, f.span(i, end+1))
				return end + 1
			}
			if n := runeLen(next.Norm); n <= 2 && (next.Tag == "" || next.Tag == "nr" || n == 1 && !f.d.e.stop[next.Norm]) && f.cued(i, end+1) {
				f.add(EntityPerson, f.span(i, end+1))
				return end + 1
			}
		}
		return i
	}
	if len(rs) > 4 || f.list("not-persons")[w] {
		return i
	}
	family := string(rs[:1])
	given := len(rs) - 1
	if len(rs) >= 3 && f.list("surnames")[string(rs[:2])] {
		family, given = string(rs[:2]), len(rs)-2
	}
	if (rs[0] == '小' || rs[0] == '老' || rs[0] == '阿') && len(rs) == 2 && f.list("common-surnames")[string(rs[1:])] && (t.Tag == "nr" || t.Tag == "") {
		f.add(EntityPerson, t.Text)
		return end
	}
	if given < 1 || given > 2 || !f.list("surnames")[family] || t.Tag != "nr" && t.Tag != "" && t.Tag != "nrt" && t.Tag != "nrfg" {
		return i
	}
	if next := f.hanAt(end); next != nil && f.joined(end) && given == 1 && t.Tag == "" && runeLen(next.Norm) == 1 && !f.d.e.stop[next.Norm] && next.Tag == "" {
		end++ // 李雷 + 雷: the model cut the name short
	}
	sure := given == 2 && (t.Tag == "nr" || t.Tag == "nrfg" || t.Tag == "" && f.list("common-surnames")[family])
	if !sure && !f.cued(i, end) {
		return i
	}
	f.add(EntityPerson, f.span(i, end))
	return end
}

// cued reports that something before or behind the words i to end says that they are a person's name.
func (f *finder) cued(i, end int) bool {
	if next := f.hanAt(end); next != nil && f.joined(end) && f.list("titles")[next.Norm] {
		return true
	}
	for k := i - 1; k >= 0 && k >= i-2; k-- {
		t := f.hanAt(k)
		if t == nil {
			if s := f.toks[k].Text; f.toks[k].Kind == KindOther && (s == "：" || s == ":" || s == " " || s == "“") {
				continue
			}
			return false
		}
		if f.list("name-cues")[t.Norm] {
			return true
		}
		if t.Norm != "是" && t.Norm != "的" && t.Norm != "为" {
			return false
		}
	}
	return false
}
