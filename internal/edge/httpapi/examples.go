package httpapi

import "strings"

// Example is a request of the OpenAPI document, to be tried.
type Example struct {
	Method, Path, Type, Body string // Path may hold {memory} and {pin}: ids that the examples before were answered with
	Status                   int
	Gives                    string // JSON Schema of the reply by its name, "" for none of ours or a list
}

// Examples are those of the document, in the order of the table of routes.
func Examples() []Example {
	var out []Example
	for _, rt := range routes {
		op := operations[rt.name()]
		x := Example{Method: rt.method, Path: op.example.path, Type: "application/json", Body: op.example.body, Status: op.status, Gives: op.gives}
		if x.Path == "" {
			x.Path = rt.path
		}
		if strings.Contains(x.Path, "{id}") { // of dead letters: there is none to be had for the asking
			continue
		}
		if op.takes != "" && x.Body == "" { // what takes a body and shows none is nothing to try: erasing starts the streams again
			continue
		}
		if x.Status == 0 {
			x.Status = 200
		}
		if op.list != "" {
			x.Gives = ""
		}
		out = append(out, x)
		if op.example.many != "" {
			x.Type, x.Body, x.Gives = "application/x-ndjson", op.example.many, ""
			out = append(out, x)
		}
	}
	return out
}
