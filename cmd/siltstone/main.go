// Command siltstone is the one tool for people: it runs Siltstone, feeds it, asks it, and says how it is.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1 // the command ran and its answer is no: a rejected line, a fault of the server
	exitUsage       = 2 // the command line or the configuration is wrong
	exitUnavailable = 3 // no server answers
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
}

// commands is the table of subcommands: one file, one row each.
var commands = []func(*env) *cobra.Command{
	upCommand,
	demoCommand,
	publishCommand,
	queryCommand,
	toolsCommand,
	statusCommand,
	versionCommand,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	e := &env{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ()}
	code := run(ctx, e, os.Args[1:])
	stop()
	os.Exit(code)
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, e *env, args []string) int {
	root := &cobra.Command{
		Use: "siltstone", Short: "Memory for AI agents: a stream in, the right memory out",
		SilenceUsage: true, SilenceErrors: true,
		Long: help("siltstone"),
	}
	root.PersistentFlags().BoolVar(&e.json, "json", false, "print JSON instead of text for people")
	root.PersistentFlags().StringVar(&e.server, "server", "http://127.0.0.1:8317", "address of the server to talk to")
	root.PersistentFlags().StringVar(&e.tenant, "tenant", "", "tenant to act for; empty: the server's default")
	for _, c := range commands {
		root.AddCommand(c(e))
	}
	root.SetArgs(args)
	root.SetIn(e.in)
	root.SetOut(e.out)
	root.SetErr(e.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(e.err, "siltstone:", err)
	return exitCode(err)
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
	switch {
	case errors.As(err, &u):
		return exitUsage
	case schema.CodeOf(err) == schema.CodeUnavailable:
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
