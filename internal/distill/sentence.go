package distill

import (
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
)

// maxSentence is the longest sentence in bytes that is read: longer ones are pasted matter.
const maxSentence = 600

var (
	reFence   = gated("(?s)```.*?(?:```|\\z)|~~~.*?(?:~~~|\\z)")
	reTag     = gated(`(?ms)^\s*<([a-zA-Z][\w-]*)(?: [^<>]*)?>.*?</([a-zA-Z][\w-]*)>|<!--.*?(?:-->|\z)`)
	reCode    = gated(`^(?:[{}\[\]<>|]|(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|Traceback|Exception|panic)(?:[ :]|\p{Han})|(?:error|warning|fatal|docker|npm ERR|npm|git|bash|zsh|curl|make|rustc|ld|gcc|ssh)(?:\[\w+\])?: |//|/\*|#(?:include|define|!)|import |from \S+ import|def |func |class |return |const |let |var |public |private |if \(|for \(|while \(|\$ |>>> |at [\w.$]+\(|\d{4}-\d\d-\d\d[T ]\d\d:\d\d)`)
	reShell   = gated(`^(?:sudo )?[a-z][\w.+-]* (?:[\w./:=@+-]+ ){0,4}--?[a-zA-Z][\w-]*(?:[ =]|$)`)
	rePasteEn = gated(`(?i)\b(?:summari[sz]e|translate|proofread|rewrite|rephrase|paraphrase|explain|review|correct|polish|analy[sz]e|what does|reply to|respond to|fix)\b[^.!?]*[:：]\s*$`)
	rePasteZh = gated(`(?:总结|翻译|译成|润色|改写|解释|校对|分析|概括|看看|看一下|回复|修改|检查)[^。！？]*[:：]\s*$`)
	// What is said of a text that stands beside it: somebody else's.
	rePastedZh = gated(`(?:——|—|（|\(|\n)\s*(?:这|以上|上面)(?:是|段是|条是|封是)[^，。]{0,12}?(?:发来|写|发|给|贴|说|讲|片段|小说|原文|稿子)(?:的|我的)?[^。]{0,10}?(?:帮|你|怎么|看看|回)|^亲爱的日记`)
	rePastedEn = gated(`(?i)(?:<-|←|--|—|\()\s*(?:(?:i )?found this|this is (?:from|what)|that's (?:from|what)|got this|from (?:a|the) (?:forum|website|blog|ad|manual|letter|email))\b|^(?:system|assistant|prompt) ?: ?you are\b`)
	reHeadEn   = gated(`(?i)^\s*(?:please |can you |could you )?(?:summari[sz]e|translate|proofread|rewrite|rephrase|paraphrase|polish)\b[^.!?\n]{0,80}?[:：]\s`)
	reHeadZh   = gated(`^\s*(?:请|帮我|帮忙|麻烦)*(?:把)?(?:总结|翻译|润色|改写|校对|概括)[^。！？\n]{0,30}?[:：]`)
)

// sentences are the sentences of a text that somebody says himself: code blocks, quoted lines, tagged blocks and
// what is pasted below "summarise this:" are left out.
func sentences(s string) []string {
	if strings.Contains(s, "```") || strings.Contains(s, "~~~") {
		s = reFence.replace(s, "\n")
	}
	if strings.Contains(s, "<") {
		s = reTag.replace(s, " … ")
	}
	if reHeadEn.match(s) || reHeadZh.match(s) || rePastedZh.match(s) || rePastedEn.match(s) {
		return nil
	}
	var out []string
	inCode := false
	for line := range strings.Lines(s) {
		if inCode = inCode && strings.ContainsAny(line[:1], " \t"); inCode { // the body of a function
			continue
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '>' || line[0] == '|' || codeLike(line) {
			inCode = hasSuffixAny(line, ":", "{", "(", "[")
			continue
		}
		if hasSuffixAny(line, ":", "：") && (rePasteEn.match(line) || rePasteZh.match(line)) {
			break // what follows is somebody else's text
		}
		line = strings.TrimLeft(line, "-*•·# ")
		out = splitLine(out, line)
	}
	return out
}

// codeLike reports whether a line is code or a log line rather than somebody's words.
func codeLike(line string) bool {
	return strings.HasSuffix(line, ";") || strings.HasSuffix(line, "{") || containsAny(line, "=>", "::", "();") || reCode.match(line) || reShell.match(line)
}

// splitLine cuts a line into sentences, and those at a semicolon.
func splitLine(out []string, line string) []string {
	for _, sp := range text.Sentences(line) {
		s := tidy(line[sp.Start:sp.End])
		for {
			i := strings.Index(s, "; ")
			if i < 0 || inQuotes(s, i) {
				break
			}
			out, s = push(out, s[:i]), s[i+2:]
		}
		out = push(out, s)
	}
	return out
}

func push(out []string, s string) []string {
	s = strings.TrimSpace(s)
	if n := utf8.RuneCountInString(s); n < 3 || len(s) > maxSentence {
		return out
	}
	return append(out, s)
}

// langOf is zh where there are at least as many Chinese characters as words in other scripts: a Chinese sentence
// with a long key or a path in it is Chinese. One that begins in Chinese needs half as many.
func langOf(s string) string {
	han, words, in := 0, 0, false
	for _, r := range s {
		switch {
		case r < 0x80 && (r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-'):
			if !in {
				words++
			}
			in = true
			continue
		case isHan(r):
			han++
		}
		in = in && (r == '.' || r == '/' || r == ':' || r == '@')
	}
	if han > 0 && (han >= words || hanFirst(s) && 2*han >= words) { // 我用 Visual Studio Code
		return "zh"
	}
	return "en"
}

// hanFirst reports whether s begins with a Chinese character.
func hanFirst(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isHan(r)
}
