package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/invopop/jsonschema"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// refine adds to the schema of one type what its Validate demands and Go's types do not say. A schema may take more
// than Validate does (lengths are bytes there and characters here), never less: a test of pkg/schema holds the two
// against one another.
func refine(typ string, s *jsonschema.Schema) {
	p := props{typ, s}
	switch typ {
	case "Turn":
		p.ids("id", "user", "agent", "conversation", "speaker")
		p.list("tools_used", schema.MaxToolResults)
		p.list("tool_results", schema.MaxToolResults)
		p.least("context_window", 0)
		p.metadata("metadata")
		s.AnyOf = anyRequired("input", "response", "tool_results")
	case "ToolResult":
		p.ids("name", "call_id")
		s.Required = []string{"name"} // what was aborted put nothing out
	case "ToolPolicy":
		p.ids("name")
		p.list("cleaner", schema.MaxSteps)
		s.AnyOf = anyRequired("no_memory", "cleaner", "ingest")
	case "ToolDef":
		p.ids("name")
	case "Settings":
		p.of("types").PropertyNames = enum(types(schema.TypeEpisode)...)
	case "MemoryWrite":
		p.ids("id", "user")
		p.of("type").Enum = enum(types()...).Enum
		p.of("content").MaxLength = n(schema.MaxContent)
		p.share("importance", "confidence")
		s.Required = []string{"user", "type"}
		s.AnyOf = contentOrDeletion()
	case "MemoryPatch":
		p.ids("id", "user")
		p.of("type").Enum = enum(types()...).Enum
		p.of("content").MaxLength = n(schema.MaxContent)
		p.share("importance", "confidence")
		s.AnyOf = anyRequired("type", "content", "importance", "confidence", "pinned", "expires_at")
	case "Pin":
		p.ids("id", "user")
		p.of("type").Enum = enum(string(schema.TypeConstraint), string(schema.TypePreference)).Enum
		p.of("content").MaxLength = n(schema.MaxContent)
		s.Required = []string{"user"}
		s.AnyOf = contentOrDeletion()
	case "Forget":
		p.ids("user", "conversation")
		p.list("ids", schema.MaxForgetIDs)
		p.of("match").MaxLength = n(schema.MaxMatch)
	case "Archive":
		p.ids("user")
		p.list("ids", schema.MaxArchiveIDs)
		p.of("ids").MinItems = n(1)
	case "Query":
		s.Required = []string{"user"}
		p.ids("user", "conversation", "turn")
		p.of("query").MaxLength = n(schema.MaxQuery)
		p.least("limit", 0)
		p.of("limit").Maximum = json.Number(strconv.Itoa(schema.MaxLimit))
		p.of("limit").Default = schema.DefaultLimit
		p.least("token_budget", 0)
		p.least("min_seq", 0)
		p.values("render", "typed_v2", "flat", "none")
		p.values("lang", "zh", "en")
		p.values("mode", "hybrid", "legacy")
		p.values("dedupe", "none", "conversation")
	case "QueryFilter":
		p.ids("tool")
		p.metadata("metadata")
	case "Cleaned":
		p.metadata("metadata")
	case "EventStatus":
		p.values("state", "pending", "indexed", "dropped", "duplicate", "conflict", "dead", "forgotten")
	}
}

func types(more ...schema.Type) []string {
	out := []string{string(schema.TypeConstraint), string(schema.TypePreference), string(schema.TypeTodoHint), string(schema.TypeFact)}
	for _, t := range more {
		out = append(out, string(t))
	}
	return out
}

func n(v int) *uint64 { u := uint64(v); return &u }

// anyRequired demands at least one of the fields.
func anyRequired(names ...string) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, f := range names {
		out = append(out, &jsonschema.Schema{Required: []string{f}})
	}
	return out
}

// contentOrDeletion demands a content, or the deletion of what an id names.
func contentOrDeletion() []*jsonschema.Schema {
	gone := jsonschema.NewProperties()
	gone.Set("delete", &jsonschema.Schema{Const: true})
	return []*jsonschema.Schema{{Required: []string{"content"}}, {Required: []string{"id", "delete"}, Properties: gone}}
}

// props is the properties of one type.
type props struct {
	typ string
	s   *jsonschema.Schema
}

// of is a property, which must be there.
func (p props) of(name string) *jsonschema.Schema {
	v, ok := p.s.Properties.Get(name)
	if !ok {
		panic(fmt.Sprintf("%s has no field %q", p.typ, name)) // the table above is wrong
	}
	return v
}

func (p props) ids(names ...string) {
	for _, f := range names {
		p.of(f).MaxLength = n(schema.MaxID)
	}
}

func (p props) list(name string, most int) { p.of(name).MaxItems = n(most) }

func (p props) least(name string, v int) { p.of(name).Minimum = json.Number(strconv.Itoa(v)) }

func (p props) share(names ...string) {
	for _, f := range names {
		p.least(f, 0)
		p.of(f).Maximum = "1"
	}
}

func (p props) values(name string, vs ...string) { p.of(name).Enum = enum(vs...).Enum }

func (p props) metadata(name string) {
	m := p.of(name)
	m.MaxProperties = n(schema.MaxMetadata)
	m.AdditionalProperties = &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "string", MaxLength: n(schema.MaxMetaValue)},
		{Type: "number", Minimum: json.Number(strconv.Itoa(-schema.MaxMetaNumber)), Maximum: json.Number(strconv.Itoa(schema.MaxMetaNumber))},
		{Type: "boolean"},
	}}
}
