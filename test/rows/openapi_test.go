package rows

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/edge/httpapi"
)

// What the OpenAPI document shows as an example is answered as it says, with what its JSON Schema requires.
func TestOpenAPIExamplesAreAnswered(t *testing.T) {
	c := tenant(t)
	ids := map[string]string{}
	// What takes away goes last, so that the others have something to find.
	var order, last []httpapi.Example
	for _, x := range httpapi.Examples() {
		if x.Method == "DELETE" {
			last = append(last, x)
		} else {
			order = append(order, x)
		}
	}
	for _, x := range append(order, last...) {
		path := strings.NewReplacer("{memory}", ids["memory"], "{pin}", ids["pin"]).Replace(x.Path)
		code, body := c.Send(x.Method, path, x.Type, x.Body)
		if code != x.Status {
			t.Errorf("%s %s is answered with %d, want %d: %.300s", x.Method, path, code, x.Status, body)
			continue
		}
		var reply map[string]any
		if x.Gives != "" || strings.HasPrefix(path, "/v1/") {
			if err := json.Unmarshal([]byte(body), &reply); err != nil {
				t.Errorf("%s %s: %v", x.Method, path, err)
				continue
			}
		}
		for _, key := range required(t, x.Gives) {
			if _, has := reply[key]; !has {
				t.Errorf("%s %s: the reply has no %s, which %s.json requires: %.300s", x.Method, path, key, x.Gives, body)
			}
		}
		id, _ := reply["id"].(string)
		switch x.Method + " " + strings.SplitN(path, "?", 2)[0] {
		case "POST /v1/memories":
			ids["memory"] = id
		case "POST /v1/pins":
			ids["pin"] = id
		}
	}
	if ids["memory"] == "" || ids["pin"] == "" {
		t.Errorf("no ids of a memory and a pin: %v", ids)
	}
}

// required are the fields that a JSON Schema asks for.
func required(t *testing.T, name string) []string {
	t.Helper()
	if name == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join("../../pkg/schema/jsonschema", name+".json"))
	if err != nil {
		if name == "health" || name == "accepted" { // described in the document itself
			return nil
		}
		t.Fatal(err)
	}
	var s struct {
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	return s.Required
}
