package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/siltstone-ai/siltstone/internal/config"
)

var update = flag.Bool("update", false, "write docs/cli.md instead of comparing it")

const (
	referenceEN = "../../docs/cli.md"
	referenceZH = "../../docs/cli.zh.md"
)

const referenceHead = `# The command line

Made from the commands by ` + "`go test ./cmd/siltstone -run TestReferenceDoesNotDrift -update`" + `; a test fails where it differs. [中文](cli.zh.md)
` + "`siltstone man DIR`" + ` writes the same as man pages, ` + "`siltstone completion SHELL`" + ` completes it in your shell.

## Exit status

| status | when |
| --- | --- |
| 0 | done |
| 1 | the command ran and its answer is no: a line that was rejected, an id that is not there, a check that failed; of up, that it could not start, or the data directory was removed under it |
| 2 | the command line or the configuration is wrong; nothing was done |
| 3 | no server answers, or not in time, or its disk is full; the same command may work later |

A command that is killed by a signal ends by that signal. One whose reader goes away (` + "`siltstone memories list … | head`" + `)
ends quietly, with 0. The roles ` + "`ingester`, `distiller` and `retriever`" + ` end with 0, 1 and 2 in the same sense, and take
the settings of ` + "[configuration.md](configuration.md)" + ` as flags.

## Output

Answers go to standard output, errors and notes to standard error. With ` + "`--json`" + ` the answer is one JSON document whose keys
are those of the HTTP API where that answers; keys may be added, none goes or changes its meaning within a major version.
` + "`up --json`" + ` writes that document, with its addresses, on one line as soon as it is up. An error is one line of JSON then:

    {"error":{"code":"invalid","message":"…","field":"user"},"exit":2,"hint":"…"}

` + "`code`" + ` and ` + "`field`" + ` are those of [errors.md](errors.md), or ` + "`failed`" + ` for what only the command itself can fail at; ` + "`exit`" + ` is the status
above. ` + "`config example` and `completion`" + ` print what they make, with ` + "`--json`" + ` too. Nothing is coloured; the progress bar of
publish is drawn on a terminal only.

` + "`SILTSTONE_SERVER`, `SILTSTONE_TENANT`, `SILTSTONE_TOKEN`, `SILTSTONE_TOKEN_FILE` and `SILTSTONE_ALLOW_PLAIN_HTTP`" + ` stand for the flags of those names.
`

// every calls visit with c and all commands below it, but for those that cobra adds and hides.
func every(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			every(sub, visit)
		}
	}
}

// flagsOf are the flags of c itself that are no settings; settings reports whether it takes those too.
func flagsOf(c *cobra.Command) (own []*pflag.Flag, settings bool) {
	known := config.AddFlags(pflag.NewFlagSet("", pflag.ContinueOnError))
	settings = c.Flags().Lookup("read-mode") != nil
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !(settings && known.Settings(f.Name)) {
			own = append(own, f)
		}
	})
	return own, settings
}

func flagName(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if kind, _ := pflag.UnquoteUsage(f); kind != "" {
		name += " " + kind
	}
	return name
}

// reference is docs/cli.md.
func reference(root *cobra.Command) []byte {
	var b bytes.Buffer
	b.WriteString(referenceHead)
	every(root, func(c *cobra.Command) {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n", c.CommandPath(), c.Short)
		line := c.UseLine() // before flagsOf, which merges the flags that all commands have
		own, settings := flagsOf(c)
		if c.Runnable() && c.HasParent() && (!c.HasSubCommands() || c.LocalNonPersistentFlags().HasFlags()) {
			fmt.Fprintf(&b, "\n    %s\n", line)
		}
		if c.Long != "" {
			fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(fenced(c.Long)))
		}
		if len(own) > 0 {
			b.WriteString("\n| flag | what |\n| --- | --- |\n")
			for _, f := range own {
				_, help := pflag.UnquoteUsage(f)
				if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
					help += " (default " + f.DefValue + ")"
				}
				fmt.Fprintf(&b, "| `%s` | %s |\n", flagName(f), help)
			}
		}
		if settings {
			b.WriteString("\nTakes every setting of [configuration.md](configuration.md) as a flag.\n")
		}
	})
	return b.Bytes()
}

// fenced is help text with its indented examples as blocks of shell commands.
func fenced(s string) string {
	return regexp.MustCompile(`(?m)((?:^  .*\n?)+)`).ReplaceAllStringFunc(s, func(block string) string {
		var b strings.Builder
		for line := range strings.Lines(block) {
			b.WriteString(strings.TrimPrefix(line, "  "))
		}
		lang := "sh"
		if strings.HasPrefix(b.String(), "{") {
			lang = "json"
		}
		return "```" + lang + "\n" + strings.TrimRight(b.String(), "\n") + "\n```\n"
	})
}

func testRoot() *cobra.Command { return newRoot(&env{out: io.Discard, err: io.Discard}) }

func TestReferenceDoesNotDrift(t *testing.T) {
	want := reference(testRoot())
	if *update {
		if err := os.WriteFile(referenceEN, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(referenceEN); err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/cli.md differs from the commands (%v): go test ./cmd/siltstone -run TestReferenceDoesNotDrift -update", err)
	}
}

// The Chinese reference is written by hand: it has the commands, their flags, examples and statuses that the English
// one has, in the same order.
func TestReferenceIsTheSameInChinese(t *testing.T) {
	frames := map[string][]string{}
	for _, path := range []string{referenceEN, referenceZH} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		frames[path] = frame(string(b))
	}
	en, zh := frames[referenceEN], frames[referenceZH]
	if len(en) < 60 {
		t.Errorf("only %d lines to compare", len(en))
	}
	for i := range max(len(en), len(zh)) {
		at := func(s []string) string {
			if i < len(s) {
				return s[i]
			}
			return "nothing"
		}
		if at(en) != at(zh) {
			t.Fatalf("docs/cli.zh.md has %q where docs/cli.md has %q", at(zh), at(en))
		}
	}
}

// frame is what must be alike in every language: headings of commands, usages, the first cells of tables, and commands
// to type without what is said in a language.
func frame(doc string) []string {
	var out []string
	code := false
	for line := range strings.Lines(doc) {
		line = strings.TrimRight(line, "\n")
		cell := regexp.MustCompile("^\\| (`[^`]+`|[0-9]) \\|").FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
		case code:
			line, _, _ = strings.Cut(line, " #")
			out = append(out, strings.Join(strings.Fields(regexp.MustCompile(`"[^"]*"|  +[^ -].*$`).ReplaceAllString(line, "…")), " "))
		case strings.HasPrefix(line, "## siltstone"), strings.HasPrefix(line, "    siltstone"):
			out = append(out, line)
		case cell != nil:
			out = append(out, cell[1])
		}
	}
	return out
}

// Every example in the help of a command is one that the command takes.
func TestExamplesInHelpAreValid(t *testing.T) {
	n := 0
	every(testRoot(), func(c *cobra.Command) {
		for line := range strings.Lines(c.Long) {
			for _, m := range regexp.MustCompile(`(?:^  |\| |<\()(?:bin/)?siltstone ([^|#>)]*)`).FindAllStringSubmatch(line, -1) {
				args := words(m[1])
				n++
				root := testRoot()
				cmd, rest, err := root.Find(args)
				if err != nil || cmd == root {
					t.Errorf("%s: %q: %v", c.CommandPath(), strings.TrimSpace(line), err)
					continue
				}
				if err := cmd.ParseFlags(rest); err != nil {
					t.Errorf("%s: %q: %v", c.CommandPath(), strings.TrimSpace(line), err)
				} else if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
					t.Errorf("%s: %q: %v", c.CommandPath(), strings.TrimSpace(line), err)
				}
			}
		}
	})
	if n < 25 {
		t.Errorf("only %d examples", n)
	}
}

// words splits a line of shell as far as examples need it: quotes, and what stands in a second column is no part of it.
func words(line string) []string {
	line, _, _ = strings.Cut(line+"   ", "   ")
	var out []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// Every command is documented, and takes --json.
func TestEveryCommandIsDocumented(t *testing.T) {
	var names []string
	every(testRoot(), func(c *cobra.Command) {
		names = append(names, c.CommandPath())
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: its short help is %q", c.CommandPath(), c.Short)
		}
		if c.Long == "" && (!c.HasParent() || c.Parent() == c.Root()) {
			t.Errorf("%s has no file in help", c.CommandPath())
		}
		own, _ := flagsOf(c)
		for _, f := range own {
			if f.Usage == "" {
				t.Errorf("%s: --%s has no help", c.CommandPath(), f.Name)
			}
		}
	})
	if !slices.Contains(names, "siltstone config show") {
		t.Errorf("commands %v", names)
	}
}
