package redis

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestKeysAreMadeInOneFile looks at the source: no file but keys.go writes a key, or a part of one. Outside this package
// nobody can: no other one may import a Redis client (internal/app's table of vendors).
func TestKeysAreMadeInOneFile(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range files {
		if name == "keys.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		seen++
		f, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == gotoken.STRING && (strings.Contains(s, "silt:") || strings.Contains(s, ":{")) {
					t.Errorf("%s: the text %s looks like a key", name, n.Value)
				}
			case *ast.Ident:
				if n.Name == "prefix" || n.Name == "layoutVersion" || n.Name == "keyOf" || n.Name == "keyGen" {
					t.Errorf("%s: %s is for keys.go alone", name, n.Name)
				}
			case *ast.BinaryExpr: // a key with something added to it
				for _, x := range []ast.Expr{n.X, n.Y} {
					if c, ok := x.(*ast.CallExpr); ok && n.Op == gotoken.ADD && isKey(c.Fun) {
						t.Errorf("%s: something is added to a key", name)
					}
				}
			}
			return true
		})
	}
	if seen < 5 {
		t.Errorf("only %d files were looked at", seen)
	}
}

func isKey(fun ast.Expr) bool {
	id, ok := fun.(*ast.Ident)
	return ok && strings.HasPrefix(id.Name, "key") && !strings.HasPrefix(id.Name, "keys")
}

// TestEveryCommandTakesKeysOfThisPackage watches what reaches the server.
func TestEveryCommandTakesKeysOfThisPackage(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{})
	useAll(t, s)
	want := []string{keyEpoch}
	for _, o := range []string{"o", "p"} {
		want = append(want, keyStanding(gen, o), keyCounts(gen, o), keyTouched(gen, o), keyRecent(gen, o), keyItems(gen, o), keyEnded(gen, o))
	}
	for _, k := range r.m.Keys() {
		if !slices.Contains(want, k) {
			t.Errorf("the server holds %s", k)
		}
	}
	if doc, err := os.ReadFile("keys.go"); err != nil || strings.Count(string(doc), "silt:1:") < len(want)/2+1 {
		t.Errorf("keys.go lists fewer keys than there are: %v", err)
	}
}
