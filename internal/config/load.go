package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Layer is where a value came from.
type Layer string

// Layers, the weakest first.
const (
	FromDefault Layer = "default"
	FromFile    Layer = "file"
	FromEnv     Layer = "env"
	FromFlag    Layer = "flag"
)

// Origin says where the value of a setting came from.
type Origin struct {
	Layer Layer  `json:"layer"`
	At    string `json:"at,omitempty"` // "siltstone.yaml:3", "SILTSTONE_READ_MODE", "--read-mode"
}

// Sources are the layers over the defaults, the weakest first.
type Sources struct {
	File    string            // path of a YAML file; "" for the one that SILTSTONE_CONFIG names, or none
	Environ []string          // as os.Environ gives it
	Flags   map[string]string // by name of the setting
}

// Value is one setting as it holds.
type Value struct {
	Key    Key
	Value  any // of the setting's type; Key.Masked makes it fit to be shown
	Origin Origin
}

// Resolved is a configuration and where its values came from.
type Resolved struct {
	Config Config
	File   string // path of the file that was read, "" for none

	origins map[string]Origin
}

// Load is Resolve for who wants the configuration alone.
func Load(path string, environ []string, flags map[string]string) (Config, error) {
	r, err := Resolve(Sources{File: path, Environ: environ, Flags: flags})
	return r.Config, err
}

// Resolve lays the sources over the defaults and validates the whole. It reads the file and nothing else. The error
// joins every fault, each naming its key, what is wrong and where it was set.
func Resolve(s Sources) (Resolved, error) {
	r := Resolved{Config: Default(), File: s.File, origins: map[string]Origin{}}
	known := map[string]Key{}
	into := map[string]reflect.Value{}
	walk(reflect.ValueOf(&r.Config).Elem(), "", func(k Key, v reflect.Value) { known[k.Name], into[k.Name] = k, v })

	var found faults
	env := r.environment(s.Environ, known, &found)
	if err := r.fromFile(known, into, &found); err != nil {
		return r, err
	}
	set := func(name, text string, o Origin) {
		if err := known[name].parse(text, into[name]); err != nil {
			found = append(found, fault{name, err.Error(), o.At})
		}
		r.origins[name] = o
	}
	for name, v := range env {
		set(name, v, Origin{FromEnv, known[name].Env})
	}
	for name, v := range s.Flags {
		if _, ok := known[name]; !ok {
			found.add("", "flags: %s is not a known key%s", name, Nearest(name, slices.Collect(maps.Keys(known))))
			continue
		}
		set(name, v, Origin{FromFlag, "--" + known[name].Flag})
	}
	if len(found) == 0 {
		found = r.Config.faults()
		for i, f := range found {
			found[i].at = r.origins[f.setting()].At
		}
	}
	return r, found.joined()
}

// environment is what the environment sets, by name of the setting. It finds the file too.
func (r *Resolved) environment(environ []string, known map[string]Key, found *faults) map[string]string {
	byEnv := map[string]Key{}
	for _, k := range known {
		if k.Env != "" {
			byEnv[k.Env] = k
		}
	}
	out := map[string]string{}
	for _, kv := range environ {
		name, v, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, Prefix) || strings.HasPrefix(name, testPrefix) {
			continue
		}
		if k, ok := byEnv[name]; ok {
			out[k.Name] = v
			continue
		}
		if !slices.Contains(otherEnv, name) {
			found.add("", "environment: %s is not a known variable%s", name, Nearest(name, slices.Concat(slices.Collect(maps.Keys(byEnv)), otherEnv)))
		}
		if name == EnvFile && r.File == "" {
			r.File = v
		}
	}
	return out
}

// fromFile lays the file over the defaults.
func (r *Resolved) fromFile(known map[string]Key, into map[string]reflect.Value, found *faults) error {
	if r.File == "" {
		return nil
	}
	entries, err := readFile(r.File, known, found)
	if err != nil {
		return err
	}
	for name, e := range entries {
		if isNull(e.node) { // nothing is said: what the default says stays
			continue
		}
		o := Origin{FromFile, fmt.Sprintf("%s:%d", r.File, e.line)}
		r.origins[name] = o
		if err := e.lay(known[name], into[name]); err != nil {
			*found = append(*found, fault{name, err.Error(), o.At})
		}
	}
	return nil
}

// Values lists every setting as it holds, in the order of Keys.
func (r *Resolved) Values() []Value {
	var out []Value
	walk(reflect.ValueOf(r.Config), "", func(k Key, v reflect.Value) {
		o, set := r.origins[k.Name]
		if !set {
			o.Layer = FromDefault
		}
		out = append(out, Value{Key: k, Value: v.Interface(), Origin: o})
	})
	return out
}

// Nearest says which known name differs least from name, as the end of a sentence; "" where none is near: a third of the
// letters may differ, two neighbours that changed places count once.
func Nearest(name string, known []string) string {
	letters := strings.TrimPrefix(strings.TrimPrefix(name, "--"), Prefix)
	best, dist := "", (len(letters)+2)/3+1
	if len(letters) < 3 {
		return ""
	}
	for _, k := range known {
		if d := distance(name, k); d < dist || d == dist && best != "" && k < best {
			best, dist = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// distance is the number of letters to change, to add, to leave out or to swap with their neighbour (optimal string
// alignment).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j-1]+cost, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
