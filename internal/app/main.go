package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/obs"
)

// Main is the whole of a command that runs one role: flags, configuration, signals. It returns the exit status: 0
// after a clean stop, 1 for a failure, 2 for a wrong command line or configuration.
func Main(role string, args, environ []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet(role, flag.ContinueOnError)
	fs.SetOutput(stderr)
	file := fs.String("config", "", "YAML configuration file")
	keys := map[string]string{}
	for _, k := range config.Keys() {
		if k.Flag != "" && k.Name != "roles" {
			add := fs.Func
			if _, ok := k.Default.(bool); ok {
				add = fs.BoolFunc // "--flag" alone means true
			}
			add(k.Flag, fmt.Sprintf("%s (default %v)", k.Help, k.Default), func(v string) error { keys[k.Name] = v; return nil })
		}
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	keys["roles"] = role
	cfg, err := config.Load(*file, environ, keys)
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("%q is not a flag", fs.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", role, err)
		return 2
	}
	log, err := obs.NewLogger(stderr, cfg.Log.Level, cfg.Log.Format)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", role, err)
		return 2
	}
	drain, force, stop := Signals(context.Background())
	defer stop()
	err = Run(drain, Options{Config: cfg, Logger: log.With("role", role), Force: force, Ready: func(a Addresses) {
		fmt.Fprintf(stdout, "%s is up\n", role)
		if a.HTTP != "" {
			fmt.Fprintf(stdout, "http://%s\n", a.HTTP)
		}
	}})
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", role, err)
		return 1
	}
	return 0
}

// Signals returns two contexts: the first ends with the first interrupt or termination signal, which asks to drain,
// the second with the second one, which forces the end.
func Signals(parent context.Context) (drain, force context.Context, stop func()) {
	drain, cancelDrain := context.WithCancel(parent)
	force, cancelForce := context.WithCancel(parent)
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	quit := make(chan struct{})
	go func() {
		for _, cancel := range []context.CancelFunc{cancelDrain, cancelForce} {
			select {
			case <-ch:
				cancel()
			case <-quit:
				return
			}
		}
	}()
	return drain, force, func() {
		signal.Stop(ch)
		close(quit)
		cancelDrain()
		cancelForce()
	}
}
