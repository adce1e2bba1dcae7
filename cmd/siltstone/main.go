// Command siltstone is the one tool for people: it runs Siltstone, feeds it, asks it, and says how it is.
package main

import (
	"context"
	"crypto/tls"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1 // the command ran and its answer is no: a rejected line, a fault of the server
	exitUsage       = 2 // the command line or the configuration is wrong
	exitUnavailable = 3 // no server answers, or not in time
)

//go:embed help/*.md
var helpFiles embed.FS

// env is what commands touch of the world outside; tests set their own.
type env struct {
	in       io.Reader
	out, err io.Writer
	environ  []string
	json     bool
	server   string
	tenant   string
	token    string // as the flags give it; see readToken

	tokenFile string
	plainHTTP bool
	force     context.Context // ends what the command's own context only drains; nil for never
	started   bool            // a command has begun: what fails from here on is no fault of the command line
}

// commands is the table of subcommands: one file, one row each.
var commands = []func(*env) *cobra.Command{
	upCommand,
	demoCommand,
	publishCommand,
	queryCommand,
	toolsCommand,
	statusCommand,
	dlqCommand,
	auditCommand,
	logCommand,
	replayCommand,
	snapshotCommand,
	tokenCommand,
	memoriesCommand,
	whyCommand,
	pinCommand,
	forgetCommand,
	archiveCommand,
	eraseCommand,
	evalCommand,
	settingsCommand,
	configCommand,
	doctorCommand,
	completionCommand,
	manCommand,
	versionCommand,
}

func main() {
	signal.Ignore(syscall.SIGPIPE) // pipe deals with it
	drain, force, stop := app.Signals(context.Background())
	ctx, cut := context.WithCancel(drain)
	out := &pipe{w: os.Stdout, cut: cut}
	e := &env{in: os.Stdin, out: out, err: os.Stderr, environ: os.Environ(), force: force}
	code := run(ctx, e, os.Args[1:])
	cut()
	stop()
	os.Exit(code)
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, e *env, args []string) int {
	root := newRoot(e)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil || e.cutOff() {
		return exitOK
	}
	if !e.started { // an unknown command or flag, a missing or superfluous argument
		err = usage(misnamed(cmd, err))
		e.json = e.json || asksJSON(args) // a bad flag before it leaves --json unread
	}
	code := exitCode(err)
	e.complain(err, code, hint(err, code, cmd.CommandPath(), e.started))
	return code
}

// newRoot is the tree of commands.
func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use: "siltstone", Short: "Memory for AI agents: a stream in, the right memory out",
		SilenceUsage: true, SilenceErrors: true,
		Long: help("siltstone"), Args: subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }, // without it Args would not be looked at
	}
	root.CompletionOptions.DisableDefaultCmd = true // completionCommand is ours
	root.PersistentFlags().BoolVar(&e.json, "json", false, "print JSON instead of text for people, errors too")
	root.PersistentFlags().StringVar(&e.server, "server", "http://127.0.0.1:8317", "address of the server to talk to")
	root.PersistentFlags().StringVar(&e.tenant, "tenant", "", "tenant to act for; empty: the server's default")
	e.addTokenFlags(root)
	for name, v := range map[string]*string{"SERVER": &e.server, "TENANT": &e.tenant} { // flags lie over these
		if s := e.getenv(config.Prefix + name); s != "" {
			*v = s
		}
	}
	for _, c := range commands {
		root.AddCommand(c(e))
	}
	e.noteStart(root)
	root.SetIn(e.in)
	root.SetOut(e.out)
	root.SetErr(e.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return config.SuggestFlag(c.Flags(), plainValue(err)) })
	return root
}

// subcommand refuses the arguments of a command that is nothing but the name of those below it: whatever stands there
// is none of them.
func subcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			known = append(known, sub.Name())
		}
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], c.CommandPath(), config.Nearest(args[0], known))
}

// plainValue is err, of reading a flag, in words of its own where it would tell of the function that read a number.
func plainValue(err error) error {
	var bad *pflag.InvalidValueError
	var num *strconv.NumError
	if !errors.As(err, &bad) || !errors.As(bad, &num) {
		return err
	}
	what := "must be a whole number"
	switch {
	case num.Func == "ParseBool":
		what = "must be true or false"
	case num.Func == "ParseFloat" && !errors.Is(num.Err, strconv.ErrRange):
		what = "must be a number"
	case num.Func == "ParseUint" && !errors.Is(num.Err, strconv.ErrRange):
		what = "must be a whole number, 0 or more"
	case errors.Is(num.Err, strconv.ErrRange):
		what = "is beyond every number that can be given"
	}
	return fmt.Errorf("--%s: %q %s", bad.GetFlag().Name, bad.GetValue(), what)
}

// misnamed is err, of a command line that was not begun on. Where c has commands below it and an argument came before the
// flag that is said to be unknown, the flag is one of the command that was meant: what is wrong is the argument, which names none.
func misnamed(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !c.HasSubCommands() || c.Flags().NArg() == 0 || !errors.As(err, &unknown) {
		return err
	}
	return subcommand(c, c.Flags().Args())
}

// hint is what to do about an error of a command, "" for nothing beyond what the error says.
func hint(err error, code int, command string, started bool) string {
	var untrusted *tls.CertificateVerificationError
	var known *schema.Error
	var full fullError
	switch {
	case errors.As(err, &full):
		return "Free some space on the disk of the data directory, choose another with --data, or a smaller nats.max_log; siltstone doctor says how much there is."
	case schema.CodeOf(err) == schema.CodeNoSpace:
		return "Whoever runs the server must free some space on its disk; it goes on by itself then, and the same command works."
	case errors.As(err, &untrusted):
		return "The server's certificate is not trusted on this machine: name the file of who issued it in SSL_CERT_FILE, and the server as its certificate does."
	case schema.CodeOf(err) == schema.CodeUnauthenticated:
		return "Give the token by --token-file or SILTSTONE_TOKEN; siltstone token create, on the server's machine, makes one."
	case errors.Is(err, errLater):
		return ""
	case code == exitUnavailable && errors.As(err, &known) && known.Err == nil: // it says so itself
		return "The server is there and cannot do this at present: its log and /readyz say why, siltstone doctor on its machine looks for what is wrong."
	case code == exitUnavailable:
		return "Is it running there? siltstone up starts one, siltstone doctor looks for what is wrong."
	case code == exitUsage && !started:
		return command + " --help says how it is used."
	}
	return ""
}

// getenv is a variable of the environment, "" where it is not set.
func (e *env) getenv(name string) string {
	v := ""
	for _, kv := range e.environ { // the last one holds
		if k, s, ok := strings.Cut(kv, "="); ok && k == name {
			v = s
		}
	}
	return v
}

// noteStart makes every command below c say that it has begun.
func (e *env) noteStart(c *cobra.Command) {
	if work := c.RunE; work != nil {
		c.RunE = func(cmd *cobra.Command, args []string) error {
			e.started = true
			return work(cmd, args)
		}
	}
	for _, sub := range c.Commands() {
		e.noteStart(sub)
	}
}

// usageError marks an error of the command line or the configuration.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// usage marks err as a fault of the command line; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

func exitCode(err error) int {
	var u usageError
	var full fullError
	switch {
	case errors.As(err, &u):
		return exitUsage
	case errors.As(err, &full):
		return exitFailed
	}
	switch schema.CodeOf(err) {
	case schema.CodeUnavailable, schema.CodeTimeout, schema.CodeNoSpace:
		return exitUnavailable
	}
	return exitFailed
}

// help is the embedded text of a command.
func help(name string) string {
	b, err := helpFiles.ReadFile("help/" + name + ".md")
	if err != nil {
		return ""
	}
	return string(b)
}
