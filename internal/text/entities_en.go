package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
	return f.d.e.stop[w] || f.common(i) || !f.list("given-names")[w] && !f.list("en-places")[w] && !f.list("en-titles")[w] && f.toks[i].Kind == KindWord && !f.elsewhere(i)
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
