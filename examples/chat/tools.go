package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"
)

// tool is what the model may ask to be run.
type tool struct {
	name, about string
	parameters  map[string]any // JSON Schema
	run         func(ctx context.Context, arguments string) (string, error)
}

// clock tells the time.
func clock() tool {
	return tool{
		name: "clock", about: "the date and time now", parameters: object(nil),
		run: func(context.Context, string) (string, error) { return time.Now().Format(time.RFC1123Z), nil },
	}
}

// maxNames bounds what list_files tells of one directory.
const maxNames = 200

// listFiles lists directories below root, and nothing outside of it.
func listFiles(root *os.Root) tool {
	return tool{
		name: "list_files", about: "names of the files and directories in a directory of the project",
		parameters: object(map[string]any{"dir": map[string]any{"type": "string", "description": "path from the project's root; . is the root"}}, "dir"),
		run: func(_ context.Context, arguments string) (string, error) {
			var in struct{ Dir string }
			if err := json.Unmarshal([]byte(arguments), &in); err != nil {
				return "", errors.New("the arguments are no JSON object with a dir")
			}
			in.Dir = path.Clean(in.Dir) // "" is the root, too
			dir, err := root.Open(in.Dir)
			if err != nil {
				return "", fmt.Errorf("open %s: %w", in.Dir, err)
			}
			defer dir.Close()
			entries, err := dir.ReadDir(-1)
			if err != nil {
				return "", fmt.Errorf("list %s: %w", in.Dir, err)
			}
			var out strings.Builder
			for i, e := range entries {
				if i == maxNames {
					fmt.Fprintf(&out, "… and %d more\n", len(entries)-i)
					break
				}
				name := path.Join(in.Dir, e.Name())
				if e.IsDir() {
					name += "/"
				}
				fmt.Fprintln(&out, name)
			}
			if out.Len() == 0 {
				return "empty", nil
			}
			return out.String(), nil
		},
	}
}

// object is the JSON Schema of an object.
func object(properties map[string]any, required ...string) map[string]any {
	if properties == nil {
		properties = map[string]any{}
	}
	o := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}
