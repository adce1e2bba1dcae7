package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// codeFailed is the code of an error that is none of the catalogue's: the command itself could not do something.
const codeFailed schema.Code = "failed"

// complaint is an error as --json shows it: the shape of the HTTP API's, the exit status and what to do about it.
type complaint struct {
	Error schema.WireError `json:"error"`
	Exit  int              `json:"exit"`
	Hint  string           `json:"hint,omitempty"`
}

// complain writes why a command failed to standard error, for people or as one line of JSON.
func (e *env) complain(err error, code int, hint string) {
	if !e.json {
		fmt.Fprintln(e.err, "siltstone:", inFlags(err))
		if hint != "" {
			fmt.Fprintln(e.err, hint)
		}
		return
	}
	c := complaint{Error: schema.WireError{Code: codeFailed, Message: err.Error()}, Exit: code, Hint: hint}
	var known *schema.Error
	if errors.As(err, &known) {
		c.Error.Code, c.Error.Field = known.Code, known.Field
		if err.Error() == known.Error() { // nothing but it: code and field are said already
			c.Error.Message = ofFlags(known).Message
			if known.Err != nil {
				c.Error.Message += ": " + known.Err.Error()
			}
		}
	} else if code == exitUsage {
		c.Error.Code = schema.CodeInvalid
	}
	enc := json.NewEncoder(e.err)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(c) // where standard error cannot be written nothing is left to tell it to
}

// inFlags is the text of err in the words of the command line: the server speaks of headers, which nobody types here.
func inFlags(err error) string {
	s := err.Error()
	var known *schema.Error
	if errors.As(err, &known) {
		s = strings.Replace(s, known.Error(), ofFlags(known).Error(), 1)
	}
	return s
}

// ofFlags is e with the flags in the place of the headers that they set.
func ofFlags(e *schema.Error) *schema.Error {
	out := *e
	switch {
	case e.Code == schema.CodeUnauthenticated && e.Field == "Authorization":
		out.Field = "--token"
		if before, _, found := strings.Cut(e.Message, ": send "); found {
			out.Message = before
		}
	case e.Code == schema.CodeDenied && e.Field == "Authorization":
		out.Field = "--token"
	case e.Field == "X-Silt-Tenant":
		out.Field, out.Message = "--tenant", strings.Replace(e.Message, "leave the header out", "leave it out", 1)
	}
	return &out
}

// asksJSON reports whether --json stands among the flags of args.
func asksJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}
