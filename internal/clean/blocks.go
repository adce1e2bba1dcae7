package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// blockRule says how an element-like block is treated.
type blockRule struct {
	group    string // opening and closing tags of one group match
	think    bool   // a model's thinking: a closing tag alone ends thinking whose opening the template swallowed
	generic  bool   // the name has other uses in data, so only a block that reads like memory goes
	unclosed bool   // an opening tag at the start of a line that is never closed takes the rest with it
}

// blockRules is every block that is taken out, by folded name: thinking, our own memory block, and those of other
// memory systems, so that what was injected is never remembered again. The names of other systems are those that
// their plug-ins inject; a block must be clearly delimited to go.
var blockRules = map[string]blockRule{
	"think":             {group: "think", think: true, unclosed: true},
	"thinking":          {group: "think", think: true, unclosed: true},
	"thought":           {group: "thought", think: true},
	"reasoning":         {group: "reasoning", think: true},
	"antml_thinking":    {group: "think", think: true, unclosed: true},
	"reasoning_content": {group: "reasoning_content", think: true, unclosed: true},
	"思考":                {group: "思考", think: true, unclosed: true},
	"思考过程":              {group: "思考过程", think: true, unclosed: true},

	"memory_context":      {group: "memory_context", unclosed: true},
	"memory":              {group: "memory", generic: true},
	"memories":            {group: "memories", generic: true},
	"relevant_memories":   {group: "relevant_memories"},
	"relevant_memory":     {group: "relevant_memory"},
	"retrieved_memories":  {group: "retrieved_memories"},
	"recalled_memories":   {group: "recalled_memories"},
	"recalled_context":    {group: "recalled_context"},
	"recalled_memory":     {group: "recalled_memory"},
	"past_memories":       {group: "past_memories"},
	"user_memories":       {group: "user_memories"},
	"long_term_memory":    {group: "long_term_memory"},
	"memory_block":        {group: "memory_block"},
	"memory_blocks":       {group: "memory_blocks"},
	"supermemory_context": {group: "supermemory_context"},
	"mem0_memories":       {group: "mem0_memories"},
	"hindsight_memories":  {group: "hindsight_memories"},
	"openclaw_memory":     {group: "openclaw_memory"},
	"memos_context":       {group: "memos_context"},
	"user_profile_memory": {group: "user_profile_memory"},
	"相关记忆":                {group: "相关记忆"},
	"记忆":                  {group: "记忆", generic: true},
	"历史记忆":                {group: "历史记忆"},
	"记忆上下文":               {group: "记忆上下文"},
}

// tag is one occurrence of a known tag.
type tag struct {
	start, end int
	rule       blockRule
	close      bool
}

const (
	maxTagName = 48  // bytes
	maxTagLen  = 512 // bytes with attributes
	maxNested  = 64  // tags looked through for the matching end
	maxRescans = 16  // times the code spans of the rest are found anew
)

// withoutBlocks takes thinking and injected memory out. What stands in a code span or fence stays: there the tag
// is spoken about. A block leaves white space behind, so that no two halves can make a new tag.
func withoutBlocks(s string) string {
	if tags := findTags(s); len(tags) > 0 {
		s = cutBlocks(s, tags)
	}
	return withoutSections(s)
}

func cutBlocks(s string, tags []tag) string {
	var b strings.Builder
	pos, last := 0, 0
	code, rescans := codeSpans(s, 0), 0
	noEnd := map[string]bool{}
	cut := func(from, to int, keepLine bool) {
		b.WriteString(s[last:from])
		if keepLine {
			b.WriteByte(' ')
		} else {
			b.WriteByte('\n')
		}
		if strings.ContainsAny(s[from:to], "`~") {
			if rescans++; rescans < maxRescans {
				code = codeSpans(s, to)
			} else {
				code = codeFinder{}
			}
		}
		last, pos = to, to
	}
	for i := 0; i < len(tags); i++ {
		t := tags[i]
		if t.start < pos || code.holds(t.start) {
			continue
		}
		if t.close {
			switch {
			case t.rule.think && last == 0 && alone(s, t):
				cut(0, t.end, false)
			case !t.rule.generic:
				cut(t.start, t.end, true)
			}
			continue
		}
		end, found := -1, false
		if !noEnd[t.rule.group] {
			end, found = matching(tags[i:], t.rule.group)
			if !found {
				noEnd[t.rule.group] = true
			}
		}
		switch {
		case found && t.rule.generic && !readsLikeMemory(s[t.end:end]):
		case found:
			cut(t.start, end, strings.IndexByte(s[t.start:end], '\n') < 0)
		case t.rule.unclosed && startsLine(s, t.start):
			cut(t.start, len(s), false)
		}
	}
	b.WriteString(s[last:])
	return b.String()
}

// matching is the end of the tag that closes tags[0]. Where nesting does not add up, the first closing tag does:
// that is where a model's thinking ended.
func matching(tags []tag, group string) (end int, ok bool) {
	depth, first := 0, -1
	for i, t := range tags {
		if t.rule.group != group {
			continue
		}
		if !t.close {
			depth++
		} else {
			if first < 0 {
				first = t.end
			}
			if depth--; depth == 0 {
				return t.end, true
			}
		}
		if i > maxNested && first >= 0 {
			break
		}
	}
	return first, first >= 0
}

// readsLikeMemory tells sentences from a value: <memory unit="KiB">4194304</memory> is hardware.
func readsLikeMemory(body string) bool {
	body = strings.TrimSpace(body)
	han, words := 0, 0
	for _, r := range body {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	for f := range strings.FieldsSeq(body) {
		if r, _ := utf8.DecodeRuneInString(f); unicode.IsLetter(r) {
			words++
		}
	}
	return han >= 4 || words >= 3
}

func startsLine(s string, i int) bool {
	for i > 0 {
		switch s[i-1] {
		case ' ', '\t', '>':
			i--
		case '\n':
			return true
		default:
			return false
		}
	}
	return true
}

// alone reports whether a tag ends its line and the text before it is not just the line it stands in.
func alone(s string, t tag) bool {
	rest := strings.TrimLeft(s[t.end:], " \t")
	return startsLine(s, t.start) || rest == "" || rest[0] == '\n'
}

// findTags finds the known tags in one pass: <name …>, </name>, in ASCII or full-width signs, 【思考】 and
// 【/思考】 too.
func findTags(s string) []tag {
	var tags []tag
	for i := 0; i < len(s); {
		c := s[i]
		if c != '<' && (c != 0xef || !strings.HasPrefix(s[i:], "＜")) && (c != 0xe3 || !strings.HasPrefix(s[i:], "【")) {
			i++
			continue
		}
		if t, ok := readTag(s, i); ok {
			tags = append(tags, t)
			i = t.end
			continue
		}
		i++
	}
	return tags
}

func readTag(s string, i int) (tag, bool) {
	open, closer := "<", ">"
	switch {
	case strings.HasPrefix(s[i:], "＜"):
		open, closer = "＜", "＞"
	case strings.HasPrefix(s[i:], "【"):
		open, closer = "【", "】"
	}
	j := i + len(open)
	t := tag{start: i}
	for _, slash := range []string{"/", "／"} {
		if strings.HasPrefix(s[j:], slash) {
			t.close = true
			j += len(slash)
			break
		}
	}
	if open == "<" && j < len(s) && s[j] == '|' { // <|thinking|>
		j++
	}
	start := j
	for j < len(s) && j-start <= maxTagName {
		c := s[j]
		if isAlnum(c) || c == '_' || c == '-' || c == ':' || c >= utf8.RuneSelf && !strings.HasPrefix(s[j:], closer) {
			j++
			continue
		}
		break
	}
	name := s[start:j]
	if name == "" || len(name) > maxTagName {
		return t, false
	}
	rule, ok := blockRules[foldName(name)]
	if !ok || open == "【" && !(rule.think && name[0] >= utf8.RuneSelf) {
		return t, false
	}
	t.rule = rule
	limit := s[j:min(len(s), j+maxTagLen)]
	end := strings.Index(limit, closer)
	if end < 0 || strings.Contains(limit[:end], "<") {
		return t, false
	}
	attrs := strings.TrimSpace(strings.Trim(limit[:end], "|"))
	if strings.HasSuffix(attrs, "/") || attrs != "" && (t.close || isAlnum(limit[0])) {
		return t, false // <memory/> holds nothing
	}
	t.end = j + end + len(closer)
	return t, true
}

func foldName(name string) string {
	plain := true
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 'A' && c <= 'Z' || c == '-' || c == ':' {
			plain = false
			break
		}
	}
	if plain {
		return name
	}
	return strings.NewReplacer("-", "_", ":", "_").Replace(strings.ToLower(name))
}

// sectionHeads are the headings of a rendered memory block that was taken out of its element, and of other
// systems' blocks. Only a heading that stands alone on its line, with list items under it, counts.
var sectionHeads = map[string]bool{
	"【必守约束】": true, "【用户偏好】": true, "【当前话题相关事实】": true, "【近期待办】": true,
	"【constraints to keep】": true, "【user preferences】": true, "【facts on the current topic】": true, "【open to-dos】": true,
	"memory context": true, "relevant memories": true, "recalled memories": true, "retrieved memories": true, "injected memories": true,
	"long-term memory context": true, "recalled context": true, "memories from previous conversations": true,
	"相关记忆": true, "历史记忆": true, "记忆上下文": true, "召回的记忆": true, "长期记忆": true, "检索到的记忆": true,
}

// withoutSections drops such a heading and the list items under it, up to the first line that is neither an item
// nor the indented rest of one.
func withoutSections(s string) string {
	if !strings.Contains(s, "【") && !strings.Contains(s, "记忆") && !containsFold(s, "memor") && !containsFold(s, "recalled") {
		return s
	}
	var b strings.Builder
	last, pos := 0, 0
	for pos < len(s) {
		line, next := lineAt(s, pos)
		if !sectionHead(line) {
			pos = next
			continue
		}
		end, items := next, 0
		for end < len(s) {
			l, n := lineAt(s, end)
			t := strings.TrimLeft(l, " \t")
			isItem := strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "* ") || strings.HasPrefix(t, "• ")
			if !isItem && !(items > 0 && t != "" && t != l) {
				break
			}
			items++
			end = n
		}
		if items > 0 {
			b.WriteString(s[last:pos])
			last = end
		}
		pos = end
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

func sectionHead(line string) bool {
	if len(line) > 96 {
		return false
	}
	t := strings.TrimSpace(line)
	if strings.HasPrefix(t, "【") {
		return sectionHeads[strings.ToLower(t)]
	}
	h := strings.TrimLeft(t, "#")
	if h == t { // other systems' names are common words: they must be a Markdown heading or wholly bold
		h = strings.TrimSuffix(strings.TrimPrefix(t, "**"), "**")
		if h == t {
			return false
		}
	}
	h = strings.TrimRight(strings.TrimSpace(h), ":：* ")
	return sectionHeads[strings.ToLower(h)]
}

func lineAt(s string, pos int) (line string, next int) {
	if i := strings.IndexByte(s[pos:], '\n'); i >= 0 {
		return s[pos : pos+i], pos + i + 1
	}
	return s[pos:], len(s)
}

// containsFold reports whether s holds the lower-case ASCII word w in its own or in capitalised form.
func containsFold(s, w string) bool {
	return strings.Contains(s, w) || strings.Contains(s, strings.ToUpper(w[:1])+w[1:]) || strings.Contains(s, strings.ToUpper(w))
}
