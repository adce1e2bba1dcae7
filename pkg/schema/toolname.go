package schema

import (
	"slices"
	"strings"
	"unicode"
)

// ToolKey is the form in which names of tools are compared, stored and looked up: lower case, without the hyphens,
// underscores and spaces between words. "WebFetch", "web-fetch", "web_fetch" and "webfetch" are one tool: agents
// that give it to a model spell one name in all these ways, and a policy must not hang on which. What qualifies a
// name is part of its key ("functions.bash"); see [ToolKeys]. A name of nothing but separators is its own key.
func ToolKey(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	for _, r := range name {
		if r != '-' && r != '_' && r != ' ' {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	if b.Len() == 0 {
		return name
	}
	return b.String()
}

// SameTool reports whether a tool that an agent called name is one that asked means. The last part of a qualified name
// means all that end in it, and a qualified name means the same name, or its last part where the agent did not qualify
// it; not the tool of that name on another server.
func SameTool(asked, name string) bool {
	a, n := ToolKeys(asked), ToolKeys(name)
	return slices.Contains(n, a[0]) || slices.Contains(a, n[0])
}

// ToolKeys is what the tool that an agent calls name is looked up by, the narrowest first: the key of the whole
// name and, for a qualified one ("mcp__files__read_file", "functions.bash", "server/tool"), the key of its last
// part. So a policy for "read_file" covers every server that offers it, and one for the whole name that one alone.
func ToolKeys(name string) []string {
	keys := []string{ToolKey(name)}
	last := name
	if i := strings.LastIndex(last, "__"); i >= 0 {
		last = last[i+2:]
	}
	if i := strings.LastIndexAny(last, "./:"); i >= 0 {
		last = last[i+1:]
	}
	if last == "" {
		return keys
	}
	if k := ToolKey(last); k != keys[0] {
		keys = append(keys, k)
	}
	return keys
}
