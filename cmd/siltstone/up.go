package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func upCommand(e *env) *cobra.Command {
	c := &cobra.Command{
		Use: "up", Short: "Run Siltstone on this machine, servers and all", Long: help("up"), Args: cobra.NoArgs,
	}
	load := e.addConfigFlags(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err := load(cmd)
		if err != nil {
			return usage(err)
		}
		e.outlive()
		return e.up(cmd.Context(), r.Config, nil)
	}
	return c
}

// addConfigFlags gives c a flag for every setting and returns what reads the configuration: file, environment, flags.
func (e *env) addConfigFlags(c *cobra.Command) func(*cobra.Command) (config.Resolved, error) {
	flags := config.AddFlags(c.Flags())
	c.SetUsageFunc(func(c *cobra.Command) error {
		own := pflag.NewFlagSet(c.Name(), pflag.ContinueOnError)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !flags.Settings(f.Name) && c.InheritedFlags().Lookup(f.Name) == nil {
				own.AddFlag(f)
			}
		})
		w := c.OutOrStdout()
		fmt.Fprintf(w, "Usage:\n  %s\n\nFlags:\n%s", c.UseLine(), own.FlagUsagesWrapped(helpWidth))
		if c.HasAvailableInheritedFlags() {
			fmt.Fprintf(w, "\nGlobal Flags:\n%s", c.InheritedFlags().FlagUsagesWrapped(helpWidth))
		}
		fmt.Fprintln(w)
		flags.Print(w, helpWidth)
		return nil
	})
	return func(*cobra.Command) (config.Resolved, error) { return config.Resolve(flags.Sources(e.environ)) }
}

// helpWidth is how wide long lists of flags are, in columns.
const helpWidth = 110

// up runs the roles of cfg until ctx ends.
func (e *env) up(ctx context.Context, cfg config.Config, ready func(app.Addresses)) error {
	log, err := obs.NewLogger(e.err, cfg.Log.Level, cfg.Log.Format)
	if err != nil {
		return usage(err)
	}
	if ready == nil {
		ready = func(a app.Addresses) {
			if e.json {
				e.upJSON(cfg, a)
				return
			}
			at := "without HTTP" // neither an ingester nor a retriever
			if a.HTTP != "" {
				at = a.URL()
			}
			fmt.Fprintf(e.out, "siltstone is up: %s  data: %s\n", at, cfg.Data)
			for _, s := range [][2]string{{"nats", a.NATS}, {"qdrant", a.Qdrant}, {"redis", a.Redis}} {
				if s[1] != "" {
					fmt.Fprintf(e.out, "%s listens on %s\n", s[0], s[1])
				}
			}
			if a.Connect != "" {
				fmt.Fprintf(e.out, "other processes connect with --config %s\n", a.Connect)
			}
		}
	}
	defer app.KeepHeapSmall()()
	err = app.Run(ctx, app.Options{Config: cfg, Logger: log, Ready: ready, Force: e.force})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, app.ErrConfig):
		return usage(err)
	case schema.CodeOf(err) == schema.CodeNoSpace:
		return fullError{err}
	}
	return err
}

// fullError is a start that the disk has no room for.
type fullError struct{ error }

func (f fullError) Unwrap() error { return f.error }

// upJSON says on one line where everything is: whoever started the process reads that line and goes on.
func (e *env) upJSON(cfg config.Config, a app.Addresses) {
	b, _ := json.Marshal(struct { // texts only
		HTTP    string `json:"http,omitempty"`
		Data    string `json:"data"`
		NATS    string `json:"nats,omitempty"`
		Qdrant  string `json:"qdrant,omitempty"`
		Redis   string `json:"redis,omitempty"`
		Connect string `json:"connect,omitempty"`
	}{a.URL(), cfg.Data, a.NATS, a.Qdrant, a.Redis, a.Connect})
	fmt.Fprintf(e.out, "%s\n", b)
}
