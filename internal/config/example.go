package config

import (
	"fmt"
	"strings"
)

const exampleHead = `# The settings of Siltstone with their defaults, each commented out. Take away the # before those that you set, and
# start with --config FILE or SILTSTONE_CONFIG=FILE. Environment and flags lie over this file; what is unknown is refused.
`

const exampleTools = `#tools:
#  - name: cmd_run
#    no_memory: false
#    cleaner: ["ansi", "truncate:4000"]
#  - name: my_search
#    ingest: false
`

// Example is a YAML file with every setting commented out, its default as value and its effect above it.
func Example() string {
	var b strings.Builder
	b.WriteString(exampleHead)
	group := ""
	for _, k := range Keys() {
		name, indent := k.Name, ""
		if g := k.Group(); g != "" {
			name, indent = strings.TrimPrefix(name, g+"."), "  "
			if g != group {
				fmt.Fprintf(&b, "\n%s:\n", g)
			}
			group = g
		} else {
			b.WriteString("\n")
		}
		if k.Kind() == "tools" {
			fmt.Fprintf(&b, "# %s\n%s", k.Help, exampleTools)
			continue
		}
		fmt.Fprintf(&b, "%s# %s\n%s#%s: %s\n", indent, k.Help, indent, name, k.yaml())
	}
	return b.String()
}

// yaml is the default as YAML.
func (k Key) yaml() string {
	switch k.Kind() {
	case "list":
		return "[" + strings.Join(k.Default.([]string), ", ") + "]"
	case "text":
		return fmt.Sprintf("%q", k.Default)
	}
	return k.Text(k.Default)
}
