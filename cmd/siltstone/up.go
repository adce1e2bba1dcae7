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
	c := &cobra.Command{
		Use: "up", Short: "Run Siltstone on this machine, servers and all", Long: help("up"), Args: cobra.NoArgs,
	}
	load := e.addConfigFlags(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := load(cmd)
		if err != nil {
			return usage(err)
		}
		return e.up(cmd.Context(), cfg, nil)
	}
	return c
}

// addConfigFlags gives c a flag for every setting and returns what reads the configuration: file, environment, flags.
func (e *env) addConfigFlags(c *cobra.Command) func(*cobra.Command) (config.Config, error) {
	file := c.Flags().String("config", "", "YAML configuration file")
	http := c.Flags().String("http", "", "address of the HTTP edge (short for --http-addr)")
	all := config.Keys()
	for _, k := range all {
		if k.Flag != "" {
			c.Flags().String(k.Flag, "", fmt.Sprintf("%s (default %v)", k.Help, k.Default))
			if _, ok := k.Default.(bool); ok {
				c.Flags().Lookup(k.Flag).NoOptDefVal = "true" // "--flag" alone means true
			}
		}
	}
	return func(cmd *cobra.Command) (config.Config, error) {
		set := map[string]string{}
		for _, k := range all {
			if f := cmd.Flags().Lookup(k.Flag); k.Flag != "" && f.Changed {
				set[k.Name] = f.Value.String()
			}
		}
		if cmd.Flags().Changed("http") {
			set["http.addr"] = *http
		}
		return config.Load(*file, e.environ, set)
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
			at := "without HTTP" // neither an ingester nor a retriever
			if a.HTTP != "" {
				at = "http://" + a.HTTP
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
	return app.Run(ctx, app.Options{Config: cfg, Logger: log, Ready: ready, Force: e.force})
}
