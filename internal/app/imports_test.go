package app

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// may says which rooms a room may import beside itself and its own subfolders, the standard library, internal/obs and internal/crash. Rooms
// that are not here may import anything of ours.
var may = map[string][]string{
	"pkg/schema":            {},
	"pkg/events":            {"pkg/schema"},
	"pkg/stages":            {"internal/clean", "internal/text", "internal/distill", "internal/decide", "pkg/events", "pkg/schema"},
	"pkg/client":            {"pkg/events", "pkg/schema"},
	"internal/intake":       {"pkg/events", "pkg/schema"},
	"internal/text":         {"pkg/schema"},
	"internal/clean":        {"internal/text", "pkg/schema"},
	"internal/distill":      {"internal/text", "pkg/schema"},
	"internal/decide":       {"internal/text", "pkg/schema"},
	"internal/rank":         {"internal/text", "pkg/schema"},
	"internal/render":       {"internal/text", "pkg/schema"},
	"internal/embed":        {"internal/outbound", "pkg/schema"},
	"internal/eval":         {"internal/text", "pkg/schema"},
	"internal/llm":          {"internal/outbound", "pkg/schema"},
	"internal/outbound":     {"pkg/schema"},
	"internal/store":        {"pkg/schema"},
	"internal/retrieve":     {"internal/rank", "internal/render", "internal/text", "pkg/events", "pkg/schema"},
	"internal/upkeep":       {"internal/text", "pkg/events", "pkg/schema"},
	"internal/compact":      {"internal/text", "pkg/events", "pkg/schema"},
	"internal/edge":         {"pkg/schema"},
	"internal/edge/natsapi": {"internal/edge", "pkg/events", "pkg/schema"}, // subjects and headers
	"internal/embedded":     {"internal/atomicfile", "internal/disk"},
	"internal/disk":         {},
	"internal/atomicfile":   {},
	"internal/auth":         {"internal/atomicfile", "pkg/schema"},
	"internal/config":       {"pkg/schema"},
	"internal/cputime":      {},
	"internal/crash":        {},
	"internal/doctor":       {"internal/disk"},
	"internal/obs":          {"pkg/schema"},
	"internal/scour":        {"pkg/schema"},
}

// vendors says where the packages of an outside dependency may be imported: its types never leave there.
var vendors = map[string][]string{
	"github.com/nats-io/":                 {"pkg/events", "pkg/client", "internal/embedded", "internal/app", "internal/edge/natsapi", "bench"},
	"github.com/ThreeDotsLabs/watermill":  {"pkg/events", "bench"},
	"github.com/qdrant/go-client":         {"internal/store/qdrant", "internal/embedded/qdrantd", "bench"},
	"github.com/redis/go-redis":           {"internal/store/redis"},
	"github.com/yanyiwu/gojieba":          {"internal/text"},
	"github.com/synadia-io/orbit.go":      {"pkg/events"},
	"github.com/alicebob/miniredis":       {"internal/embedded/redis"},
	"github.com/cockroachdb/pebble":       {"internal/embedded/qdrantd"},
	"github.com/spf13/cobra":              {"cmd"},
	"github.com/prometheus/client_golang": {"pkg/events", "internal/obs", "internal/app", "bench"},
	"go.opentelemetry.io/otel/sdk":        {"internal/obs"},
	"go.opentelemetry.io/otel/exporters":  {"internal/obs"},
	"golang.org/x/net/html":               {"internal/clean"},
	"github.com/longbridgeapp/opencc":     {"internal/text"},
	"github.com/jdkato/prose":             {"tools/postag"},
}

const module = "github.com/siltstone-ai/siltstone/"

type pkg struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// within reports whether package path lies in room.
func within(path, room string) bool { return path == room || strings.HasPrefix(path, room+"/") }

// roomOf is the innermost room that path lies in.
func roomOf(path string) string {
	in := ""
	for room := range may {
		if within(path, room) && len(room) > len(in) {
			in = room
		}
	}
	return in
}

func TestImportsFollowTheTable(t *testing.T) {
	pkgs := listPackages(t)
	if len(pkgs) < 15 {
		t.Fatalf("go list found only %d packages", len(pkgs))
	}
	for _, p := range pkgs {
		path := strings.TrimPrefix(p.ImportPath, module)
		room := roomOf(path)
		if strings.HasSuffix(path, "test") { // suites that tests import may start what they test
			continue
		}
		for _, imp := range p.Imports {
			if ours, ok := strings.CutPrefix(imp, module); ok {
				checkOurs(t, path, room, ours)
				continue
			}
			if room == "pkg/schema" && strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") {
				t.Errorf("%s imports %s, but may import the standard library alone", path, imp)
			}
			for vendor, where := range vendors {
				if strings.HasPrefix(imp, vendor) && !slices.ContainsFunc(where, func(r string) bool { return within(path, r) }) {
					t.Errorf("%s imports %s, which belongs to %v", path, imp, where)
				}
			}
		}
	}
}

func checkOurs(t *testing.T, path, room, imp string) {
	t.Helper()
	if within(imp, "cmd") {
		t.Errorf("%s imports a command, %s", path, imp)
	}
	if strings.HasSuffix(imp, "test") {
		t.Errorf("%s imports %s outside its tests", path, imp)
	}
	if room == "" || within(imp, room) || imp == "internal/obs" || imp == "internal/crash" {
		return
	}
	if !slices.ContainsFunc(may[room], func(r string) bool { return within(imp, r) }) {
		t.Errorf("%s imports %s; %s may import only %v", path, imp, room, may[room])
	}
	if within(imp, "internal/embedded") && room != "internal/app" {
		t.Errorf("%s imports %s: only the wiring knows that it runs embedded", path, imp)
	}
}
