package schema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// Every code of the code is in the catalogue, once, with texts that say something.
func TestCatalogueHasEveryCodeOnce(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[Code]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		if id, ok := v.Type.(*ast.Ident); ok && id.Name == "Code" {
			want[Code(strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`))] = true
		}
		return true
	})
	if len(want) < 14 {
		t.Fatalf("only %d codes are found in errors.go", len(want))
	}
	last := 0
	for _, i := range Catalogue {
		if !want[i.Code] {
			t.Errorf("%s stands twice or is no code", i.Code)
		}
		delete(want, i.Code)
		if i.HTTP < 400 || i.HTTP > 599 || i.HTTP < last {
			t.Errorf("%s: status %d after %d", i.Code, i.HTTP, last)
		}
		last = i.HTTP
		if i.NATS < 400 || i.NATS > 599 || len(i.Meaning) < 20 || len(i.Remedy) < 20 {
			t.Errorf("%s: %+v", i.Code, i)
		}
		if got := i.Code.Info(); got != i {
			t.Errorf("%s: Info gives %+v", i.Code, got)
		}
		if i.Retry && (i.HTTP < 500 && i.HTTP != 408 && i.HTTP != 429) {
			t.Errorf("%s is the client's fault, and a retry helps?", i.Code)
		}
	}
	for c := range want {
		t.Errorf("%s is not in the catalogue", c)
	}
	if got := Code("unheard_of").Info(); got.Code != CodeInternal {
		t.Errorf("an unknown code is %+v", got)
	}
}
