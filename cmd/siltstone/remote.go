package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/siltstone-ai/siltstone/pkg/client"
)

// client returns a client of the server that the flags name.
func (e *env) client() (*client.HTTP, error) {
	var opts []client.HTTPOption
	if e.tenant != "" {
		opts = append(opts, client.WithTenant(e.tenant))
	}
	c, err := client.NewHTTP(e.server, opts...)
	return c, usage(err)
}

// printJSON writes v as indented JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}
