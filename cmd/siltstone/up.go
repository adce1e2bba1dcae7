package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/obs"
)

func upCommand(e *env) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "up", Short: "Run Siltstone on this machine, servers and all", Long: help("up"), Args: cobra.NoArgs,
	}
	c.Flags().StringVar(&file, "config", "", "YAML configuration file")
	keys := addConfigFlags(c)
	c.Flags().String("http", "", "address of the HTTP edge (short for --http-addr)")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		set := keys(cmd)
		if f := cmd.Flags().Lookup("http"); f.Changed {
			set["http.addr"] = f.Value.String()
		}
		cfg, err := config.Load(file, e.environ, set)
		if err != nil {
			return usage(err)
		}
		return e.up(cmd.Context(), cfg, nil)
	}
	return c
}

// addConfigFlags gives c a flag for every setting and returns what was set on the command line, by key.
func addConfigFlags(c *cobra.Command) func(*cobra.Command) map[string]string {
	all := config.Keys()
	for _, k := range all {
		if k.Flag != "" {
			c.Flags().String(k.Flag, "", fmt.Sprintf("%s (default %v)", k.Help, k.Default))
			if _, ok := k.Default.(bool); ok {
				c.Flags().Lookup(k.Flag).NoOptDefVal = "true" // "--flag" alone means true
			}
		}
	}
	return func(cmd *cobra.Command) map[string]string {
		set := map[string]string{}
		for _, k := range all {
			if f := cmd.Flags().Lookup(k.Flag); k.Flag != "" && f.Changed {
				set[k.Name] = f.Value.String()
			}
		}
		return set
	}
}

// up runs the roles of cfg until ctx ends.
func (e *env) up(ctx context.Context, cfg config.Config, ready func(app.Addresses)) error {
	log, err := obs.NewLogger(e.err, cfg.Log.Level, cfg.Log.Format)
	if err != nil {
		return usage(err)
	}
	if ready == nil {
		ready = func(a app.Addresses) {
			if a.HTTP != "" {
				fmt.Fprintf(e.out, "siltstone is up: http://%s  data: %s\n", a.HTTP, cfg.Data)
			}
			for name, addr := range map[string]string{"nats": a.NATS, "qdrant": a.Qdrant, "redis": a.Redis} {
				if addr != "" {
					fmt.Fprintf(e.out, "%s listens on %s\n", name, addr)
				}
			}
			if a.Connect != "" {
				fmt.Fprintf(e.out, "other processes connect with --config %s\n", a.Connect)
			}
		}
	}
	return app.Run(ctx, app.Options{Config: cfg, Logger: log, Ready: ready})
}
