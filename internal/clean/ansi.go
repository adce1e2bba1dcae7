package clean

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func newANSI(arg string) (Func, error) {
	if err := noArg(arg); err != nil {
		return nil, err
	}
	return func(text, _ string) (string, error) { return terminal(text, true), nil }, nil
}

func noArg(arg string) error {
	if arg != "" {
		return fmt.Errorf("takes no argument, got %q", arg)
	}
	return nil
}

// terminal gives what a terminal would show: no escapes, backspaces done. With overwrite, what a carriage return
// goes back over is gone too, as in a progress bar; without, the carriage return is a line break, which loses
// nothing of a text with old line ends. Lines are stripped one by one, so that an escape that never ends costs the
// rest of its line only.
func terminal(text string, overwrite bool) string {
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		text = strings.ReplaceAll(text, "\r\n", "\n") // "\r\r\n", as some consoles write it
	}
	if !needsTerminal(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		if !needsTerminal(line) {
			b.WriteString(line)
			continue
		}
		body, end := strings.CutSuffix(line, "\n")
		if overwrite {
			b.WriteString(lastShown(body))
		} else {
			for i, part := range strings.Split(body, "\r") {
				if i > 0 {
					b.WriteByte('\n')
				}
				b.WriteString(stripLine(part))
			}
		}
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// lastShown is the last part of a line, between its carriage returns, that shows anything. (A real terminal would
// let a longer earlier part stand out behind it; with the erase codes gone that would be more noise than truth.)
func lastShown(line string) string {
	for {
		i := strings.LastIndexByte(line, '\r')
		if part := stripLine(line[i+1:]); i < 0 || strings.TrimSpace(part) != "" {
			return part
		}
		line = line[:i]
	}
}

func needsTerminal(s string) bool {
	return strings.IndexByte(s, 0x1b) >= 0 || strings.IndexByte(s, '\b') >= 0 || strings.IndexByte(s, '\r') >= 0 ||
		strings.Contains(s, "\u009b") || strings.Contains(s, "\u009d")
}

func stripLine(s string) string {
	// C1 controls as UTF-8 are not read by the library, so give them their seven-bit form.
	if strings.Contains(s, "\u009b") || strings.Contains(s, "\u009d") {
		s = strings.NewReplacer("\u009b", "\x1b[", "\u009d", "\x1b]").Replace(s)
	}
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = ansi.Strip(s)
	}
	if strings.IndexByte(s, '\b') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\b' {
			out = append(out, s[i])
			continue
		}
		if len(out) > 0 {
			_, size := utf8.DecodeLastRune(out)
			out = out[:len(out)-size]
		}
	}
	return string(out)
}
