package schema

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestToolKeys(t *testing.T) {
	for name, want := range map[string][]string{
		"bash": {"bash"}, "Bash": {"bash"}, "BASH": {"bash"},
		"web_fetch": {"webfetch"}, "WebFetch": {"webfetch"}, "web-fetch": {"webfetch"}, "Web Fetch": {"webfetch"}, "webfetch": {"webfetch"},
		"HTTPGet": {"httpget"}, "http_get": {"httpget"},
		"mcp__x__Bash": {"mcpxbash", "bash"}, "mcp__my-files__read_file": {"mcpmyfilesreadfile", "readfile"},
		"functions.bash": {"functions.bash", "bash"}, "server/My-Tool": {"server/mytool", "mytool"}, "ns:tool": {"ns:tool", "tool"},
		"mcp__files__v2.read": {"mcpfilesv2.read", "read"}, "trailing.": {"trailing."}, "trailing__": {"trailing"},
		"查询": {"查询"}, "Écrire": {"écrire"}, "___": {"___"}, "-": {"-"}, "a.-": {"a.", "-"},
	} {
		if got := ToolKeys(name); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestSameToolGoesBothWays(t *testing.T) {
	for _, c := range []struct {
		asked, name string
		want        bool
	}{
		{"web_fetch", "WebFetch", true}, {"web_fetch", "mcp__x__web_fetch", true}, {"mcp__x__web_fetch", "web_fetch", true},
		{"mcp__x__web_fetch", "webfetch", true}, {"MCP-X-WebFetch", "mcp__x__web_fetch", true}, {"mcp__x__web_fetch", "mcp__x__web_fetch", true},
		{"functions.bash", "Bash", true}, {"bash", "functions.bash", true},
		{"mcp__x__web_fetch", "mcp__y__web_fetch", false}, {"mcp__x__web_fetch", "web_search", false}, {"web_fetch", "fetch", false},
	} {
		if got := SameTool(c.asked, c.name); got != c.want {
			t.Errorf("%q means %q: %v", c.asked, c.name, got)
		}
	}
}

// A key is its own key, whatever the name, and is never empty for a name that is not.
func TestToolKeyIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[\pL\pN_ ./:-]{1,12}`).Draw(t, "name")
		k := ToolKey(name)
		if k == "" || ToolKey(k) != k {
			t.Fatalf("%q has the key %q, which has the key %q", name, k, ToolKey(k))
		}
		if keys := ToolKeys(name); keys[0] != k || len(keys) > 2 {
			t.Fatalf("%q: %q", name, keys)
		}
	})
}
