package httpapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// contract is the version of the HTTP contract.
const contract = "1.0.0"

// document is the OpenAPI document as generated; see Document.
//
//go:embed openapi.json
var document []byte

// Contract is the OpenAPI document of all routes as it was generated. It is not to be changed.
func Contract() []byte { return document }

type object = map[string]any

const about = "Siltstone remembers for agents: turns in, memories out. Routes under /v1/ need a token with the scope that stands beside them, but for the default of " +
	"a server on loopback without tokens; there the header X-Silt-Tenant says whose memory is meant.\n\n" +
	"Requests are decoded strictly: a field or parameter that is not known, or stands twice, is refused by name. Bodies are UTF-8 JSON, " +
	"plain or with `Content-Encoding: gzip`, and their limits hold for what is unpacked. GET routes answer HEAD, too. A path that does not take a method answers 405 with `Allow`. " +
	"Every error is an ErrorReply with a code of the [catalogue](https://github.com/siltstone-ai/siltstone/blob/main/docs/errors.md)."

// Document is the OpenAPI 3.1 document of all routes, made from their table, their descriptions and the JSON Schemas
// of the wire types, which schemaOf gives by name.
func Document(schemaOf func(name string) ([]byte, error)) ([]byte, error) {
	c := &components{schemaOf: schemaOf, schemas: object{
		"Health": object{"type": "object", "required": []string{"status"}, "properties": object{
			"status": text(), "failing": object{"type": "object", "description": "what does not answer, and why", "additionalProperties": text()},
		}},
	}, names: map[string]string{"health": "Health"}}
	if _, err := c.ref("error_reply"); err != nil {
		return nil, err
	}
	paths := object{}
	for _, rt := range routes {
		op, ok := operations[rt.name()]
		if !ok {
			return nil, fmt.Errorf("%s has no description", rt.name())
		}
		o, err := c.operation(rt, op)
		if err != nil {
			return nil, fmt.Errorf("describe %s: %w", rt.name(), err)
		}
		p, _ := paths[rt.path].(object)
		if p == nil {
			p = object{}
			paths[rt.path] = p
		}
		p[strings.ToLower(rt.method)] = o
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Siltstone", "version": contract, "description": about,
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": []object{{"url": "http://127.0.0.1:8317", "description": "the default of siltstone up"}},
		"paths":   paths,
		"components": object{
			"schemas":         c.schemas,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer", "description": "A token; its scopes say what it allows: " + scopes() + "."}},
		},
	})
	return b.Bytes(), err
}

func scopes() string {
	out := make([]string, len(schema.Scopes))
	for i, s := range schema.Scopes {
		out[i] = string(s)
	}
	return strings.Join(out, ", ")
}

// components gathers the schemas that operations speak of.
type components struct {
	schemaOf func(string) ([]byte, error)
	schemas  object
	names    map[string]string // of documents: the component of each
}

func reference(component string) object { return object{"$ref": "#/components/schemas/" + component} }

// ref is a reference to the schema of a document, which it adds with all that the document defines.
func (c *components) ref(name string) (object, error) {
	if n, ok := c.names[name]; ok {
		return reference(n), nil
	}
	b, err := c.schemaOf(name)
	if err != nil {
		return nil, fmt.Errorf("read schema %s: %w", name, err)
	}
	var s object
	if err := json.Unmarshal(bytes.ReplaceAll(b, []byte(`"#/$defs/`), []byte(`"#/components/schemas/`)), &s); err != nil {
		return nil, fmt.Errorf("read schema %s: %w", name, err)
	}
	title, _ := s["title"].(string)
	defs, _ := s["$defs"].(object)
	delete(s, "$defs")
	delete(s, "$id")
	delete(s, "$schema")
	delete(s, "title")
	if defs == nil {
		defs = object{}
	}
	defs[title] = s
	for _, k := range slices.Sorted(maps.Keys(defs)) {
		if old, ok := c.schemas[k]; ok {
			if x, y := encode(old), encode(defs[k]); x != y {
				return nil, fmt.Errorf("schema %s defines %s otherwise than another one", name, k)
			}
		}
		c.schemas[k] = defs[k]
	}
	c.names[name] = title
	return reference(title), nil
}

func encode(v any) string {
	b, _ := json.Marshal(v) // decoded JSON
	return string(b)
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func (c *components) operation(rt route, op operation) (object, error) {
	o := object{"operationId": op.id, "summary": op.summary}
	if op.text != "" {
		o["description"] = op.text
	}
	var params []object
	for _, m := range pathParam.FindAllStringSubmatch(rt.path, -1) {
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": idSchema, "description": "As a reply named it, percent-encoded where it has to be."})
	}
	for _, p := range op.params {
		params = append(params, object{"name": p.name, "in": "query", "required": p.needed, "description": p.what, "schema": p.schema})
	}
	if rt.scope != "" {
		either := []object{{"token": []string{string(rt.scope)}}}
		if also := rt.also(); also != "" {
			either = append(either, object{"token": []string{string(also)}})
		}
		o["security"] = either
	} else {
		o["security"] = []object{}
	}
	if strings.HasPrefix(rt.path, "/v1/") {
		params = append(params, object{"name": HeaderTenant, "in": "header", "schema": text("maxLength", 64, "pattern", "^[A-Za-z0-9][A-Za-z0-9._-]*$"), "description": "Whose memory, where the server asks for no token; `default` where absent."})
	}
	if params != nil {
		o["parameters"] = params
	}
	if op.takes != "" {
		s, err := c.ref(op.takes)
		if err != nil {
			return nil, err
		}
		j := object{"schema": s}
		if op.example.body != "" {
			j["example"] = json.RawMessage(op.example.body)
		}
		content := object{"application/json": j}
		if op.streams {
			content["application/x-ndjson"] = object{"schema": text("description", "One "+c.names[op.takes]+" a line."), "example": op.example.many}
		}
		o["requestBody"] = object{"required": true, "content": content}
	}
	rs, err := c.responses(rt, op)
	o["responses"] = rs
	return o, err
}

func (c *components) responses(rt route, op operation) (object, error) {
	id := object{"X-Request-Id": object{"description": "The request's own, or a new one.", "schema": text()}}
	ok := object{"description": "Done.", "headers": id}
	s := object{"type": "object"}
	if op.gives != "" {
		var err error
		if s, err = c.ref(op.gives); err != nil {
			return nil, err
		}
		if op.list != "" {
			s = object{"type": "object", "required": []string{op.list}, "properties": object{op.list: object{"type": "array", "items": s}}}
		}
	}
	if op.streams {
		many, err := c.ref("batch_reply")
		if err != nil {
			return nil, err
		}
		s = object{"oneOf": []object{s, many}}
	}
	j := object{"schema": s}
	if op.example.reply != "" {
		j["example"] = json.RawMessage(op.example.reply)
	}
	if op.media != "" {
		ok["content"] = object{op.media: object{"schema": text()}}
	} else {
		ok["content"] = object{"application/json": j}
	}
	out := object{strconv.Itoa(op.success()): ok}
	byStatus := map[int][]schema.CodeInfo{}
	for _, code := range op.codes(rt) {
		i := code.Info()
		byStatus[i.HTTP] = append(byStatus[i.HTTP], i)
	}
	for status, is := range byStatus {
		var says []string
		for _, i := range is {
			says = append(says, "`"+string(i.Code)+"`: "+i.Meaning)
		}
		h := maps.Clone(id)
		if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
			h["Retry-After"] = object{"description": "Seconds.", "schema": object{"type": "integer", "minimum": 1}}
		}
		out[strconv.Itoa(status)] = object{
			"description": strings.Join(says, " "), "headers": h,
			"content": object{"application/json": object{"schema": reference("ErrorReply")}},
		}
	}
	if op.unwell {
		out["503"] = object{"description": "Not well.", "headers": id, "content": object{"application/json": object{"schema": reference("Health")}}}
	}
	return out, nil
}

// success is the status of success.
func (op operation) success() int {
	if op.status == 0 {
		return http.StatusOK
	}
	return op.status
}

// codes are the errors that a route may answer with.
func (op operation) codes(rt route) []schema.Code {
	out := []schema.Code{schema.CodeInvalid, schema.CodeDenied, schema.CodeInternal}
	if rt.scope != "" {
		out = append(out, schema.CodeUnauthenticated, schema.CodeRateLimited)
	}
	if strings.HasPrefix(rt.path, "/v1/") {
		out = append(out, schema.CodeUnavailable, schema.CodeOverloaded)
		if rt.method != http.MethodGet && !op.reads {
			out = append(out, schema.CodeNoSpace)
		}
	}
	if rt.path != "/openapi.json" && rt.path != "/healthz" {
		out = append(out, schema.CodeTimeout)
	}
	if op.takes != "" {
		out = append(out, schema.CodeTooLarge, schema.CodeMediaType, schema.CodeSlowBody)
	}
	for _, c := range op.can {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// served is the document without the routes that cfg leaves out.
func served(cfg *Config) ([]byte, error) {
	var d object
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	paths, _ := d["paths"].(object)
	for _, rt := range routes {
		p, _ := paths[rt.path].(object)
		if rt.has(cfg) {
			continue
		}
		delete(p, strings.ToLower(rt.method))
		if len(p) == 0 {
			delete(paths, rt.path)
		}
	}
	return json.Marshal(d)
}

func (s *server) getOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(s.openapi)))
	_, _ = w.Write(s.openapi) // the client has gone: nobody is left to tell
}
