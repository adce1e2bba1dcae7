package clean

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func newHTML(arg string) (Func, error) {
	if err := noArg(arg); err != nil {
		return nil, err
	}
	return func(text, _ string) (string, error) { return visible(text), nil }, nil
}

func newHTMLLenient(arg string) (Func, error) {
	if err := noArg(arg); err != nil {
		return nil, err
	}
	return func(text, _ string) (string, error) {
		if !looksLikeHTML(text) {
			return text, nil
		}
		return visible(text), nil
	}, nil
}

// looksLikeHTML: a document by its head, or at least three closing tags of the elements that pages are made of.
func looksLikeHTML(text string) bool {
	if isHTMLDocument(text) {
		return true
	}
	n := 0
	for rest := text[:min(len(text), 64<<10)]; ; {
		i := strings.Index(rest, "</")
		if i < 0 {
			return false
		}
		rest = rest[i+2:]
		name, _, ok := strings.Cut(rest[:min(len(rest), 12)], ">")
		switch atom.Lookup([]byte(strings.ToLower(strings.TrimSpace(name)))) {
		case 0:
		default:
			if ok {
				n++
			}
		}
		if n == 3 {
			return true
		}
	}
}

func isHTMLDocument(text string) bool {
	head := strings.TrimLeft(text[:min(len(text), 1024)], " \t\r\n\ufeff")
	for strings.HasPrefix(head, "<!--") || strings.HasPrefix(head, "<?xml") {
		_, rest, ok := strings.Cut(head, ">")
		if !ok {
			return false
		}
		head = strings.TrimLeft(rest, " \t\r\n")
	}
	head = strings.ToLower(head[:min(len(head), 16)])
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}

// What a page's elements do to its text.
var (
	htmlHidden = atoms(atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Math, atom.Iframe, atom.Object,
		atom.Canvas, atom.Audio, atom.Video, atom.Map, atom.Select, atom.Datalist, atom.Dialog)
	htmlNoise = atoms(atom.Nav, atom.Footer, atom.Aside, atom.Button, atom.Menu)
	htmlBlock = atoms(atom.Address, atom.Article, atom.Blockquote, atom.Body, atom.Br, atom.Caption, atom.Center, atom.Dd, atom.Details, atom.Div,
		atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Header, atom.Hr, atom.Html, atom.Li, atom.Main, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody,
		atom.Tfoot, atom.Thead, atom.Title, atom.Tr, atom.Ul)
	htmlVoid = atoms(atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param,
		atom.Source, atom.Track, atom.Wbr)
)

func atoms(list ...atom.Atom) map[atom.Atom]bool {
	m := make(map[atom.Atom]bool, len(list))
	for _, a := range list {
		m[a] = true
	}
	return m
}

// visible is the text that a reader of the page sees. It reads tokens, not a tree, so that neither depth nor
// malformed markup can stop it. Navigation, footers and elements marked hidden are left out; where one of those is
// never closed the page is read again without that rule, so that a missing end tag costs noise and not the page.
func visible(text string) string {
	out, whole := readHTML(text, true)
	if !whole {
		out, _ = readHTML(text, false)
	}
	return tidy(out)
}

func readHTML(text string, skipNoise bool) (out string, whole bool) {
	z := html.NewTokenizer(strings.NewReader(text))
	w := htmlWriter{}
	w.b.Grow(len(text) / 2)
	var skip atom.Atom // the element being skipped, 0 for none
	var skipName string
	depth, noise, pre := 0, false, 0
	for {
		tt := z.Next()
		switch tt {
		case html.ErrorToken: // the end: the reader never fails otherwise
			return w.b.String(), skipName == "" || !noise
		case html.TextToken:
			if skipName == "" {
				w.text(string(z.Text()), pre > 0)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			raw, hasAttr := z.TagName()
			a := atom.Lookup(raw)
			if skipName != "" {
				if tt == html.StartTagToken && (skip != 0 && a == skip || skip == 0 && string(raw) == skipName) {
					depth++
				}
				continue
			}
			alt, hidden := "", false
			if hasAttr {
				alt, hidden = readAttrs(z, a)
			}
			switch {
			case htmlVoid[a]:
				if hidden {
					continue
				}
			case htmlHidden[a], skipNoise && (htmlNoise[a] || hidden):
				if tt == html.StartTagToken {
					skip, skipName, depth, noise = a, string(raw), 1, !htmlHidden[a]
				}
				w.block()
				continue
			}
			if htmlBlock[a] {
				w.block()
			}
			switch a {
			case atom.Li:
				w.text("- ", true)
			case atom.Td, atom.Th:
				w.gap()
			case atom.Img:
				w.text(alt, false)
			case atom.Pre:
				pre++
			case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
				w.blank()
			}
		case html.EndTagToken:
			raw, _ := z.TagName()
			a := atom.Lookup(raw)
			if skipName != "" {
				if skip != 0 && a == skip || skip == 0 && string(raw) == skipName {
					if depth--; depth == 0 {
						skip, skipName = 0, ""
					}
				}
				continue
			}
			if htmlBlock[a] {
				w.block()
			}
			if a == atom.Pre && pre > 0 {
				pre--
			}
		}
	}
}

// readAttrs tells an image's alternative text and whether the element is hidden from readers.
func readAttrs(z *html.Tokenizer, a atom.Atom) (alt string, hidden bool) {
	for {
		k, v, more := z.TagAttr()
		switch string(k) {
		case "alt":
			if a == atom.Img {
				alt = string(v)
			}
		case "hidden":
			hidden = hidden || string(v) != "until-found"
		case "aria-hidden":
			hidden = hidden || string(v) == "true"
		case "style":
			s := strings.ToLower(strings.Join(strings.Fields(string(v)), ""))
			hidden = hidden || strings.Contains(s, "display:none") || strings.Contains(s, "visibility:hidden") || strings.Contains(s, "font-size:0")
		}
		if !more {
			return alt, hidden
		}
	}
}

// htmlWriter lays out text: runs of white space are one space, blocks begin on a line of their own.
type htmlWriter struct {
	b      strings.Builder
	breaks int  // line feeds owed before the next text
	space  bool // a space is owed
	begun  bool
}

func (w *htmlWriter) block() { w.breaks = max(w.breaks, 1) }
func (w *htmlWriter) blank() { w.breaks = max(w.breaks, 2) }
func (w *htmlWriter) gap()   { w.space = true }

func (w *htmlWriter) text(s string, verbatim bool) {
	if verbatim {
		if s != "" {
			w.owe()
			w.b.WriteString(s)
		}
		return
	}
	s = strings.ReplaceAll(s, "\u00a0", " ") // layout, not text
	if s != "" && isHTMLSpace(s[0]) {
		w.space = true
	}
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < 0x80 && isHTMLSpace(byte(r)) }) {
		w.owe()
		w.b.WriteString(f)
		w.space = true
	}
	if s != "" && !isHTMLSpace(s[len(s)-1]) {
		w.space = false
	}
}

// owe writes the white space that is due before text.
func (w *htmlWriter) owe() {
	switch {
	case !w.begun:
		w.begun = true
	case w.breaks > 0:
		w.b.WriteString("\n\n"[:min(w.breaks, 2)])
	case w.space:
		w.b.WriteByte(' ')
	}
	w.breaks, w.space = 0, false
}

func isHTMLSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// withoutComments drops <!-- … -->: a reader of the rendered text never sees them, so they are a place to hide
// instructions for an agent. A comment that is never closed stays.
func withoutComments(text string) string {
	i := strings.Index(text, "<!--")
	if i < 0 {
		return text
	}
	var b strings.Builder
	for i >= 0 {
		end := strings.Index(text[i+4:], "-->")
		if end < 0 {
			break
		}
		b.WriteString(text[:i])
		b.WriteByte(' ') // never join what stood apart: the two halves might make a new mark
		text = text[i+4+end+3:]
		i = strings.Index(text, "<!--")
	}
	b.WriteString(text)
	return b.String()
}
