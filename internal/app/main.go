package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/obs"
)

// helpWidth is how wide the help of a role's command is, in columns.
const helpWidth = 110

// roleHelp says what each role is, above its flags.
var roleHelp = map[string]string{
	"ingester":  "Takes events over HTTP and NATS, checks them and appends them to the log.",
	"distiller": "Works on the log: cleans, makes vectors, extracts terms, distils facts and decides about them. Run as many as you like;\n--stages picks what one of them works on.",
	"retriever": "Answers queries over HTTP and NATS.",
}

// Main is the whole of a command that runs one role: flags, configuration, signals. It returns the exit status: 0
// after a clean stop, 1 for a failure, 2 for a wrong command line or configuration.
func Main(role string, args, environ []string, stdout, stderr io.Writer) int {
	fs := pflag.NewFlagSet(role, pflag.ContinueOnError)
	fs.SortFlags = false
	flags := config.AddFlags(fs, "roles")
	fs.Usage = func() {
		fmt.Fprintf(stdout, "Usage: %s [flags]\n\n%s\n\nExit status: 0 stopped cleanly, 1 failed, 2 wrong usage or configuration.\nThe first Ctrl-C finishes what is in hand, the second stops at once, the third kills.\n\n", role, roleHelp[role])
		flags.Print(stdout, helpWidth)
	}
	err := fs.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		return 0
	}
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("%q is not a flag", fs.Arg(0))
	}
	var cfg config.Config
	if err != nil {
		err = fmt.Errorf("%w; %s --help lists the flags", flags.Suggest(err), role)
	} else {
		src := flags.Sources(environ)
		src.Flags["roles"] = role
		var r config.Resolved
		r, err = config.Resolve(src)
		cfg = r.Config
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
	defer KeepHeapSmall()()
	err = Run(drain, Options{Config: cfg, Logger: log.With("role", role), Force: force, Ready: func(a Addresses) {
		fmt.Fprintf(stdout, "%s is up\n", role)
		if a.HTTP != "" {
			fmt.Fprintln(stdout, a.URL())
		}
	}})
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", role, err)
		if errors.Is(err, ErrConfig) {
			return 2
		}
		return 1
	}
	return 0
}

// Signals returns two contexts: the first ends with the first interrupt or termination signal, which asks to drain,
// the second with the second one, which forces the end. From then on signals do again what they do by default: a third
// one kills the process, whatever it hangs in.
func Signals(parent context.Context) (drain, force context.Context, stop func()) {
	drain, cancelDrain := context.WithCancel(parent)
	force, cancelForce := context.WithCancel(parent)
	ch := make(chan os.Signal, 3)
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
		signal.Stop(ch) // waits for what is being delivered: a third one is in ch, or kills by itself
		select {
		case s := <-ch:
			die(s)
		default:
		}
	}()
	return drain, force, func() {
		signal.Stop(ch)
		close(quit)
		cancelDrain()
		cancelForce()
	}
}

// die ends the process by s, so that whoever started it sees what ended it.
func die(s os.Signal) {
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		<-time.After(time.Second) // it comes to any thread, any moment now
	}
	os.Exit(1)
}
