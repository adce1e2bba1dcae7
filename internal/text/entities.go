package text

import (
	"strings"
	"unicode"
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
	for i < len(f.toks) && f.toks[i].End <= start+end {
		i++
	}
	return i
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

// english takes a sequence of capitalised words that begins at i.
func (f *finder) english(i int) int {
	if !f.capital(i) {
		return i + 1
	}
	end := i + 1
	for end+1 < len(f.toks) && (f.toks[end].Text == " " || f.toks[end].Text == ". " && f.list("en-titles")[f.toks[end-1].Norm]) {
		if f.capital(end + 1) {
			end += 2
			continue
		}
		if w := f.toks[end+1].Text; (w == "of" || w == "de" || w == "van" || w == "von" || w == "da") && end+3 < len(f.toks) && f.toks[end+2].Text == " " && f.capital(end+3) {
			end += 4
			continue
		}
		break
	}
	start := i
	opens := f.opensSentence(i)
	for start < end && opens && f.ordinary(start) { // "When Caroline": the first word is capital by position
		start += 2
		opens = false
	}
	for start < end && f.d.e.stop[f.toks[start].Norm] { // "The", "My" inside a heading
		start += 2
	}
	if start >= end {
		return end
	}
	words := (end - start + 1) / 2
	if words > 6 { // a heading
		return end
	}
	typ := f.typeOf(start, end)
	if typ == "" && words == 1 {
		if opens && start == i || isUpper(f.toks[start].Text) || f.common(start) {
			return end
		}
	}
	if typ == "" {
		typ = EntityName
	}
	if version := end + 1; typ == EntityProduct && version < len(f.toks) && f.toks[end].Text == " " && f.versionLike(version) {
		end = version + 1
	}
	f.add(typ, f.span(start, end))
	return end
}

func (f *finder) capital(i int) bool {
	t := &f.toks[i]
	if t.Kind != KindWord && t.Kind != KindIdent || t.Han || len(t.Text) < 2 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(t.Text)
	if t.Kind == KindIdent {
		return innerCapital(t.Text)
	}
	w := strings.ToLower(t.Text)
	if strings.Contains(w, "'") && f.d.e.stop[w] {
		return false
	}
	return unicode.IsUpper(r) && !dayOrMonth(w)
}

// innerCapital reports names such as PostgreSQL, iPhone15, GPT4: letters and digits with a capital, no snake case.
func innerCapital(s string) bool {
	upper := 0
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			upper++
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '#' && r != '.':
			return false
		}
	}
	if upper == 0 || opaque(s) || len(s) > 24 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(first) || strings.HasPrefix(s, "i") || strings.HasPrefix(s, "e") || strings.HasPrefix(s, "mac")
}

func dayOrMonth(w string) bool {
	switch w {
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		return true
	}
	for _, m := range months {
		if w == m {
			return true
		}
	}
	return false
}

// opensSentence reports that token i is the first word of a sentence, a line, a quotation or a list item.
func (f *finder) opensSentence(i int) bool {
	if i == 0 {
		return true
	}
	p := &f.toks[i-1]
	if p.Kind != KindOther {
		return false
	}
	s := strings.TrimRight(p.Text, " \t\"'“‘(*_#-•>")
	if s == "" {
		return strings.ContainsAny(p.Text, "\"“‘(*#-•>") || i == 1
	}
	return strings.ContainsAny(s[len(s)-1:], ".!?:;\n") || strings.HasSuffix(s, "。") || strings.HasSuffix(s, "！") || strings.HasSuffix(s, "？")
}

// ordinary reports that the word may well be written small: it is in the list of frequent words or a function word.
func (f *finder) ordinary(i int) bool {
	w := f.toks[i].Norm
	return f.d.e.stop[w] || f.common(i) || f.list("given-names")[w] == false && f.list("en-places")[w] == false && f.list("en-titles")[w] == false && f.toks[i].Kind == KindWord && !f.elsewhere(i)
}

// elsewhere reports that the same capitalised word stands inside another sentence of the text.
func (f *finder) elsewhere(i int) bool {
	for k := i + 1; k < len(f.toks) && k < i+2000; k++ {
		if f.toks[k].Text == f.toks[i].Text && !f.opensSentence(k) {
			return true
		}
	}
	return false
}

func (f *finder) common(i int) bool {
	w := f.toks[i].Norm
	if f.list("given-names")[w] || f.list("en-places")[w] {
		return false
	}
	_, ok := f.d.e.common[w]
	return ok
}

// typeOf names the kind of the sequence, "" where nothing tells.
func (f *finder) typeOf(start, end int) string {
	first, last := f.toks[start].Norm, f.toks[end-1].Norm
	words := (end - start + 1) / 2
	var all []string
	for k := start; k < end; k += 2 {
		all = append(all, f.toks[k].Norm)
	}
	switch {
	case f.list("en-titles")[strings.TrimSuffix(first, ".")] && words > 1:
		return EntityPerson
	case words > 1 && f.list("en-org-suffixes")[last] || words > 2 && (first == "university" || first == "bank" || first == "department" || first == "ministry"):
		return EntityOrganisation
	case f.list("en-places-of-words")[strings.Join(all, "|")] || words == 1 && f.list("en-places")[first] && !f.list("given-names")[first]:
		return EntityPlace
	case words > 1 && f.list("en-place-suffixes")[last] || words > 1 && (first == "lake" || first == "mount"):
		return EntityPlace
	case f.list("given-names")[first] && words <= 3:
		return EntityPerson
	case f.titleBefore(start):
		return EntityPerson
	case words == 1 && f.list("en-products")[first]:
		return EntityProduct
	}
	for k := start; k < end; k += 2 {
		if f.toks[k].Kind == KindIdent && innerCapital(f.toks[k].Text) {
			return EntityProduct
		}
	}
	if end+1 < len(f.toks) && f.toks[end].Text == " " && f.versionLike(end+1) && words <= 2 && !f.common(end-1) {
		return EntityProduct
	}
	return ""
}

// titleBefore reports "Dr. " and the like before the token.
func (f *finder) titleBefore(i int) bool {
	return i >= 2 && (f.toks[i-1].Text == " " || f.toks[i-1].Text == ". ") && f.list("en-titles")[f.toks[i-2].Norm] && f.capital(i-2)
}

// versionLike is a version, or a number that can be one: Windows 11, Python 3.12.
func (f *finder) versionLike(i int) bool {
	t := &f.toks[i]
	return t.Kind == KindVersion || t.Kind == KindNumber && len(t.Text) <= 5 && !strings.Contains(t.Text, ",")
}
