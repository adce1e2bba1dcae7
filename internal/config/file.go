package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// entry is one setting of a file.
type entry struct {
	node *yaml.Node
	line int
}

// readFile is what a YAML file sets, by key; found gets what is wrong with its shape.
func readFile(path string, known map[string]Key, found *faults) (map[string]entry, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) { // nothing but comments
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read configuration %s: %w", path, err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read configuration %s: it holds more than one document", path)
	}
	f := fileReader{path: path, known: known, groups: map[string]bool{}, out: map[string]entry{}, found: found}
	for name := range known {
		if group, _, ok := strings.Cut(name, "."); ok {
			f.groups[group] = true
		}
	}
	root := target(doc.Content[0])
	if isNull(root) {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("read configuration %s: it is not a list of keys and values", path)
	}
	f.group(root, "")
	return f.out, nil
}

type fileReader struct {
	path   string
	known  map[string]Key
	groups map[string]bool
	out    map[string]entry
	found  *faults
}

// group reads the keys of a mapping; prefix is "" or "read.".
func (f *fileReader) group(m *yaml.Node, prefix string) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		name, line, v := prefix+m.Content[i].Value, m.Content[i].Line, target(m.Content[i+1])
		_, isKey := f.known[name]
		switch {
		case isKey && f.out[name].line != 0:
			f.found.add("", "%s:%d: %s is set in line %d already", f.path, line, name, f.out[name].line)
		case isKey:
			f.out[name] = entry{v, line}
		case f.groups[name] && v.Kind == yaml.MappingNode:
			f.group(v, name+".")
		case f.groups[name] && isNull(v): // its keys are commented out
		case f.groups[name]:
			f.found.add("", "%s:%d: %s is a group of settings, not a value: its keys go below it, indented", f.path, line, name)
		default:
			f.found.add("", "%s:%d: %s is not a known key%s", f.path, line, name, Nearest(name, f.names()))
		}
	}
}

// names are what may stand in a file.
func (f *fileReader) names() []string {
	var out []string
	for name := range f.known {
		out = append(out, name)
	}
	for name := range f.groups {
		out = append(out, name)
	}
	return out
}

// target is what a node stands for.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// lay sets into, the setting k, to what the entry says.
func (e entry) lay(k Key, into reflect.Value) error {
	if k.Kind() == "tools" {
		var tree []map[string]any // mapstructure panics on keys that are no text
		if err := e.node.Decode(&tree); err != nil {
			return err
		}
		return parseTree(tree, into)
	}
	s, ok := text(e.node, k)
	if !ok {
		return fmt.Errorf("what is given is not a %s", k.Kind())
	}
	return k.parse(s, into)
}

// text is a node as text, as the environment would say it; ok is false for what no text says.
func text(n *yaml.Node, k Key) (s string, ok bool) {
	if n.Kind == yaml.ScalarNode {
		return n.Value, true
	}
	if n.Kind != yaml.SequenceNode || k.Kind() != "list" {
		return "", false
	}
	parts := make([]string, len(n.Content))
	for i, c := range n.Content {
		if c = target(c); c.Kind != yaml.ScalarNode {
			return "", false
		}
		parts[i] = c.Value
	}
	return strings.Join(parts, ","), true
}
