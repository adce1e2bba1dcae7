package clean

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// newTruncate: "N" keeps the first N runes, "N:middle" the first two thirds and the last third.
func newTruncate(arg string) (Func, error) {
	num, mode, _ := strings.Cut(arg, ":")
	n, err := strconv.Atoi(strings.TrimSpace(num))
	if err != nil || n < 1 || n > 100_000_000 {
		return nil, errors.New("needs a number of characters, e.g. truncate:4000")
	}
	switch mode {
	case "", "head":
		return func(text, _ string) (string, error) { return truncateHead(text, n), nil }, nil
	case "middle":
		return func(text, _ string) (string, error) { return truncateMiddle(text, n), nil }, nil
	}
	return nil, fmt.Errorf("%q is neither head nor middle", mode)
}

func truncateHead(text string, n int) string {
	cut := runeOffset(text, n)
	if cut == len(text) {
		return text
	}
	cut = backToSpace(text, cut)
	return strings.TrimRight(text[:cut], " \t\n") + "\n" + cutMark(utf8.RuneCountInString(text[cut:]))
}

func truncateMiddle(text string, n int) string {
	if runeOffset(text, n) == len(text) {
		return text
	}
	head := backToSpace(text, runeOffset(text, n-n/3))
	tail := len(text)
	for range n / 3 {
		_, size := utf8.DecodeLastRuneInString(text[:tail])
		tail -= size
	}
	tail = max(head, forthToSpace(text, tail))
	return strings.TrimRight(text[:head], " \t\n") + "\n" + cutMark(utf8.RuneCountInString(text[head:tail])) + "\n" + strings.TrimLeft(text[tail:], " \t\n")
}

func cutMark(n int) string { return fmt.Sprintf("[… %d characters cut …]", n) }

// runeOffset is the byte offset of the n-th rune, or the length of a shorter text.
func runeOffset(text string, n int) int {
	if len(text) <= n {
		return len(text)
	}
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// wordReach is how far a cut moves, in bytes, so that it does not fall inside a word: half a credential would no
// longer be recognised as one.
const wordReach = 256

func backToSpace(text string, cut int) int {
	for i := cut; i > 0 && cut-i < wordReach; {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		if !isWordRune(r) {
			return i
		}
		i -= size
	}
	return cut
}

func forthToSpace(text string, cut int) int {
	if cut > 0 {
		if r, _ := utf8.DecodeLastRuneInString(text[:cut]); !isWordRune(r) {
			return cut
		}
	}
	for i, r := range text[cut:min(len(text), cut+wordReach)] {
		if !isWordRune(r) {
			return cut + i
		}
	}
	return cut
}

// isWordRune: what may not be cut apart. Han and kana stand for themselves.
func isWordRune(r rune) bool { return r != utf8.RuneError && r < 0x2E80 && !unicode.IsSpace(r) }
