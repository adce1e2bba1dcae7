package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const (
	module    = "github.com/siltstone-ai/siltstone"
	schemaPkg = "pkg/schema"
	schemaDir = schemaPkg + "/jsonschema"
)

// document is one JSON Schema file. Requests take no other fields; replies may gain some, which clients pass over.
type document struct {
	name    string
	of      any
	request bool
}

var documents = []document{
	{"turn", schema.Turn{}, true},
	{"tool_result", schema.ToolResult{}, true},
	{"tool_policy", schema.ToolPolicy{}, true},
	{"settings", schema.Settings{}, true},
	{"memory_write", schema.MemoryWrite{}, true},
	{"memory_patch", schema.MemoryPatch{}, true},
	{"pin", schema.Pin{}, true},
	{"forget", schema.Forget{}, true},
	{"query", schema.Query{}, true},
	{"erase_request", schema.EraseRequest{}, true},
	{"archive", schema.Archive{}, true},
	{"replay_request", schema.ReplayRequest{}, true},
	{"switch_request", schema.SwitchRequest{}, true},
	{"audit_request", schema.AuditRequest{}, true},
	{"snapshot_request", schema.SnapshotRequest{}, true},

	{"accepted", schema.Accepted{}, false},
	{"archive_reply", schema.ArchiveReply{}, false},
	{"batch_reply", schema.BatchReply{}, false},
	{"dead_letter", schema.DeadLetter{}, false},
	{"dead_letter_list", schema.DeadLetterList{}, false},
	{"dead_reply", schema.DeadReply{}, false},
	{"error_reply", schema.ErrorReply{}, false},
	{"event_status", schema.EventStatus{}, false},
	{"forget_reply", schema.ForgetReply{}, false},
	{"item", schema.Item{}, false},
	{"job", schema.Job{}, false},
	{"job_started", schema.JobStarted{}, false},
	{"memory", schema.Memory{}, false},
	{"memory_page", schema.MemoryPage{}, false},
	{"memory_view", schema.MemoryView{}, false},
	{"pin_list", schema.PinList{}, false},
	{"replay_list", schema.ReplayList{}, false},
	{"reply", schema.Reply{}, false},
	{"log_state", schema.LogState{}, false},
	{"status_reply", schema.StatusReply{}, false},
	{"tool_def", schema.ToolDef{}, false},
	{"triple", schema.Triple{}, false},
	{"written", schema.Written{}, false},

	// Bodies inside the pipeline; those of the log are requests.
	{"cleaned", schema.Cleaned{}, false},
	{"candidates", schema.Candidates{}, false},
	{"erasure", schema.Erasure{}, false},
}

// schemas adds the JSON Schema of every document.
func schemas(out map[string][]byte) error {
	consts, err := constants(schemaPkg)
	if err != nil {
		return err
	}
	for _, d := range documents {
		r := &jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, AllowAdditionalProperties: !d.request, Mapper: mapper(consts)}
		if err := r.AddGoComments(module, schemaPkg); err != nil {
			return fmt.Errorf("read comments: %w", err)
		}
		s := r.ReflectFromType(reflect.TypeOf(d.of))
		typ := reflect.TypeOf(d.of).Name()
		if s.Properties == nil {
			return fmt.Errorf("%s has no fields", typ)
		}
		s.ID = jsonschema.ID(fmt.Sprintf("urn:siltstone:schema:%d:%s", schema.Version, d.name))
		s.Title = typ
		refine(typ, s)
		for name, def := range s.Definitions {
			refine(name, def)
		}
		if s.Description == "" {
			return fmt.Errorf("%s has no comment", typ)
		}
		b, err := indented(s)
		if err != nil {
			return err
		}
		out[schemaDir+"/"+d.name+".json"] = b
	}
	return nil
}

func indented(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	// Comments hold <, > and & as themselves.
	return []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(b.String())), nil
}

// mapper gives named string types the values of their constants, and classes their names.
func mapper(consts map[string][]string) func(reflect.Type) *jsonschema.Schema {
	return func(t reflect.Type) *jsonschema.Schema {
		if t == reflect.TypeFor[schema.Class]() {
			return enum(schema.ClassTool.String(), schema.ClassAssistant.String(), schema.ClassUser.String(), schema.ClassOperator.String())
		}
		if t.Kind() == reflect.String && t.PkgPath() == module+"/"+schemaPkg {
			if vs := consts[t.Name()]; len(vs) > 0 {
				return enum(vs...)
			}
		}
		return nil
	}
}

func enum(vs ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range vs {
		s.Enum = append(s.Enum, v)
	}
	return s
}

// constants are the string constants of a package by their type, in the order of the code.
func constants(dir string) (map[string][]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), n, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, v := range constSpecs(f) {
			typ, ok := v.Type.(*ast.Ident)
			if !ok {
				continue
			}
			s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				return nil, err
			}
			out[typ.Name] = append(out[typ.Name], s)
		}
	}
	return out, nil
}

// constSpecs are the constants of a file whose value is one string literal.
func constSpecs(f *ast.File) []*ast.ValueSpec {
	var out []*ast.ValueSpec
	for _, decl := range f.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if len(v.Values) != 1 {
				continue
			}
			if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				out = append(out, v)
			}
		}
	}
	return out
}
