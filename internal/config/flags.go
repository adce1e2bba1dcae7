package config

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"
)

// Flags is the part of a command line that sets the configuration: a flag for every setting, --config for the file,
// and --http, which is short for --http-addr.
type Flags struct {
	fs   *pflag.FlagSet
	keys []Key
}

// AddFlags adds them to fs, but for the settings of the names in omit.
func AddFlags(fs *pflag.FlagSet, omit ...string) *Flags {
	f := &Flags{fs: fs}
	fs.String("config", "", "YAML configuration `file`; without it the one that "+EnvFile+" names")
	for _, k := range Keys() {
		if k.Flag == "" || slices.Contains(omit, k.Name) {
			continue
		}
		f.keys = append(f.keys, k)
		fs.Var(&flagValue{key: k, text: k.Text(k.Default)}, k.Flag, k.Help)
		if k.Kind() == "bool" {
			fs.Lookup(k.Flag).NoOptDefVal = "true" // "--flag" alone means true
		}
	}
	fs.String("http", "", "`address` of the HTTP edge: short for --http-addr")
	return f
}

// flagValue keeps what a flag was given; Resolve reads and judges it.
type flagValue struct {
	key  Key
	text string
}

func (v *flagValue) Set(s string) error { v.text = s; return nil }
func (v *flagValue) Type() string       { return v.key.Kind() }
func (v *flagValue) String() string     { return v.text }

// Sources is the configuration's sources: what the flags say over environ over the file. Call it once the command
// line has been read.
func (f *Flags) Sources(environ []string) Sources {
	s := Sources{Environ: environ, Flags: map[string]string{}}
	s.File, _ = f.fs.GetString("config") // AddFlags made it
	if short := f.fs.Lookup("http"); short.Changed {
		s.Flags["http.addr"] = short.Value.String()
	}
	for _, k := range f.keys {
		if flag := f.fs.Lookup(k.Flag); flag.Changed {
			s.Flags[k.Name] = flag.Value.String()
		}
	}
	return s
}

// Print writes the flags in groups for people, in lines of at most width columns.
func (f *Flags) Print(w io.Writer, width int) {
	groups, order := map[string]*pflag.FlagSet{}, []string{}
	for _, k := range f.keys {
		g := k.Group()
		if groups[g] == nil {
			groups[g] = pflag.NewFlagSet(g, pflag.ContinueOnError)
			groups[g].SortFlags = false
			order = append(order, g)
		}
		groups[g].AddFlag(f.fs.Lookup(k.Flag))
		if k.Name == "http.addr" {
			groups[g].AddFlag(f.fs.Lookup("http"))
		}
	}
	fmt.Fprintf(w, "Settings, each of them a key of the file and a variable of the environment too\n(--read-mode is read.mode and %sREAD_MODE):\n%s", Prefix, f.one("config", width))
	fmt.Fprint(w, groups[""].FlagUsagesWrapped(width))
	for _, g := range order {
		if g != "" {
			fmt.Fprintf(w, "\n%s:\n%s", g, groups[g].FlagUsagesWrapped(width))
		}
	}
}

// one is the usage of a single flag.
func (f *Flags) one(name string, width int) string {
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	fs.AddFlag(f.fs.Lookup(name))
	return fs.FlagUsagesWrapped(width)
}

// Settings reports whether the flag of that name belongs to the configuration.
func (f *Flags) Settings(name string) bool {
	return name == "config" || name == "http" || slices.ContainsFunc(f.keys, func(k Key) bool { return k.Flag == name })
}

// Suggest is err, of reading a command line, with the nearest flag named where it is about an unknown one.
func (f *Flags) Suggest(err error) error { return SuggestFlag(f.fs, err) }

// SuggestFlag is err, of reading a command line for fs, with the nearest flag named where it is about an unknown one.
func SuggestFlag(fs *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedName() == "" {
		return err
	}
	var names []string
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return fmt.Errorf("%w%s", err, Nearest("--"+unknown.GetSpecifiedName(), names))
}
