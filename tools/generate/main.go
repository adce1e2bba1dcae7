// Command generate writes every file of the repository that is made from code: the JSON Schemas of the wire types, the
// streams for people who provision them, and the references of subjects and streams and of errors. Run it with make generate; a test
// beside it fails where a file differs.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	if err := toRoot(); err != nil {
		return err
	}
	files, err := generate()
	if err != nil {
		return err
	}
	for path, b := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return err
		}
	}
	for _, path := range strays(files) {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// toRoot makes the folder with go.mod the working directory.
func toRoot() error {
	for {
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		if _, err := os.Stat("go.mod"); err == nil {
			return nil
		}
		if filepath.Dir(dir) == dir {
			return errors.New("no go.mod here or above")
		}
		if err := os.Chdir(".."); err != nil {
			return err
		}
	}
}

// generate is every generated file by its path, made from the code below the working directory.
func generate() (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, part := range []func(map[string][]byte) error{schemas, streams, reference, errorReference, openAPI, configuration} {
		if err := part(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// strays are schemas of types that are no more.
func strays(files map[string][]byte) []string {
	var out []string
	have, _ := filepath.Glob(filepath.Join(schemaDir, "*.json")) // the pattern is well-formed
	for _, path := range have {
		if _, ok := files[path]; !ok {
			out = append(out, path)
		}
	}
	return out
}
