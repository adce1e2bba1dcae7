package main

import (
	"fmt"

	"github.com/siltstone-ai/siltstone/internal/edge/httpapi"
)

// openAPI adds the document of the HTTP API: for people and tools, and beside the code that serves it.
func openAPI(out map[string][]byte) error {
	b, err := httpapi.Document(func(name string) ([]byte, error) {
		s, ok := out[schemaDir+"/"+name+".json"]
		if !ok {
			return nil, fmt.Errorf("there is no schema %s", name)
		}
		return s, nil
	})
	if err != nil {
		return fmt.Errorf("describe the HTTP API: %w", err)
	}
	out["docs/api/openapi.json"], out["internal/edge/httpapi/openapi.json"] = b, b
	return nil
}
