package qdrantd

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/emptypb"
)

var rewrite = flag.Bool("update", false, "write the tables of docs/qdrantd.md and docs/qdrantd.zh.md instead of comparing them")

var services = []grpc.ServiceDesc{qdrant.Qdrant_ServiceDesc, qdrant.Collections_ServiceDesc, qdrant.Points_ServiceDesc, qdrant.Snapshots_ServiceDesc}

// otherMethods are the calls of the protocol that are not handled, by full name.
func otherMethods() []string {
	handled := map[string]bool{}
	for _, m := range handledMethods() {
		handled[m.name] = true
	}
	var out []string
	for _, s := range services {
		for _, m := range s.Methods {
			if name := "/" + s.ServiceName + "/" + m.MethodName; !handled[name] {
				out = append(out, name)
			}
		}
	}
	return out
}

func TestEveryOtherCallIsRefused(t *testing.T) {
	r := start(t)
	others := otherMethods()
	for _, name := range others {
		err := r.GetConnection().Invoke(t.Context(), name, &emptypb.Empty{}, &emptypb.Empty{})
		wantCode(t, err, codes.Unimplemented)
		if _, method, _ := strings.Cut(name[1:], "/"); !strings.Contains(err.Error(), method) {
			t.Errorf("%s: %v does not name it", name, err)
		}
	}
	if len(others) < 20 {
		t.Errorf("only %d calls tried", len(others))
	}
}

// surface is the tables of the page on this server. The words of a language come from heads.
func surface(heads [3]string) string {
	var b strings.Builder
	fields := func(d protoreflect.MessageDescriptor) (yes, no string) {
		set := accepted[d.FullName()]
		for i := range d.Fields().Len() {
			if name := d.Fields().Get(i).Name(); set["*"] || set[name] {
				yes += " `" + string(name) + "`"
			} else {
				no += " `" + string(name) + "`"
			}
		}
		return strings.TrimSpace(yes), strings.TrimSpace(no)
	}
	table := func(what string, row func(func(name string, d protoreflect.MessageDescriptor))) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n| --- | --- | --- |\n", what, heads[1], heads[2])
		row(func(name string, d protoreflect.MessageDescriptor) {
			yes, no := fields(d)
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, yes, no)
		})
		b.WriteString("\n")
	}
	requests := map[protoreflect.FullName]bool{}
	table(heads[0], func(row func(string, protoreflect.MessageDescriptor)) {
		for _, m := range handledMethods() {
			d := m.req.ProtoReflect().Descriptor()
			requests[d.FullName()] = true
			row(strings.TrimPrefix(m.name, "/qdrant."), d)
		}
	})
	table("message", func(row func(string, protoreflect.MessageDescriptor)) {
		for _, name := range slices.Sorted(maps.Keys(accepted)) {
			d, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
			if err != nil || requests[name] {
				continue
			}
			row(strings.TrimPrefix(string(name), "qdrant."), d.(protoreflect.MessageDescriptor))
		}
	})
	for i, name := range otherMethods() {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("`" + strings.TrimPrefix(name, "/qdrant.") + "`")
	}
	b.WriteString("\n")
	return b.String()
}

// TestPageListsTheSurface holds the tables of the page to the code.
func TestPageListsTheSurface(t *testing.T) {
	for file, heads := range map[string][3]string{
		"../../../docs/qdrantd.md":    {"call", "handled", "refused"},
		"../../../docs/qdrantd.zh.md": {"调用", "支持", "拒绝"},
	} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		const begin, end = "<!-- surface: made by a test -->\n", "<!-- end of surface -->\n"
		before, rest, ok1 := strings.Cut(string(page), begin)
		got, after, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			t.Fatalf("%s lacks the marks around its tables", file)
		}
		want := "\n" + surface(heads) + "\n"
		if got == want {
			continue
		}
		if !*rewrite {
			t.Errorf("%s differs from the code: go test ./internal/embedded/qdrantd -run TestPageListsTheSurface -update", file)
			continue
		}
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
