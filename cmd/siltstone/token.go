package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/auth"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func tokenCommand(e *env) *cobra.Command {
	t := &tokens{env: e}
	c := &cobra.Command{
		Use: "token", Short: "Make, show and end the tokens of a server on this machine", Long: help("token"), Args: subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }, // without it an unknown subcommand would pass
	}
	c.PersistentFlags().StringVar(&t.config, "config", "", "YAML configuration file of the server")
	c.PersistentFlags().StringVar(&t.data, "data", "", "data directory of the server (default: as configured)")
	c.PersistentFlags().StringVar(&t.path, "auth-tokens", "", "file of the tokens (default: tokens.json in the data directory)")
	c.AddCommand(t.createCommand(), &cobra.Command{
		Use: "list", Short: "List the tokens, without their secrets", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return t.list() },
	}, &cobra.Command{
		Use: "revoke ID", Short: "End a token at once", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return t.revoke(cmd.Context(), args[0]) },
	})
	return c
}

// tokens are the commands on a server's file of tokens.
type tokens struct {
	*env
	config, data, path string
}

// file finds the file as the server does: by its configuration.
func (t *tokens) file() (auth.File, error) {
	set := map[string]string{}
	if t.data != "" {
		set["data"] = t.data
	}
	if t.path != "" {
		set["auth.tokens"] = t.path
	}
	cfg, err := config.Load(t.config, t.environ, set)
	if err != nil {
		return auth.File{}, usage(err)
	}
	if cfg.Auth.Tokens == "" {
		closeEmpty(cfg.Data)
	}
	return auth.File{Path: cfg.TokensFile()}, nil
}

// closeEmpty closes an empty data directory to others, as the server would at its first start: with the tokens in it
// the server could not tell any more that it is none of somebody else's. What fails here the server will report.
func closeEmpty(dir string) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) == 0 {
		_ = os.Chmod(dir, 0o700)
	}
}

func (t *tokens) createCommand() *cobra.Command {
	var n auth.New
	var scopes []string
	var expires string
	c := &cobra.Command{
		Use: "create", Short: "Make a token and show it, once", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n.Tenant = t.tenant; n.Tenant == "" || len(scopes) == 0 {
				return usage(errors.New("--tenant and --scope are required, such as --tenant acme --scope publish,query; scopes are " + scopeText(schema.Scopes)))
			}
			for _, s := range scopes {
				n.Scopes = append(n.Scopes, schema.Scope(strings.TrimSpace(s)))
			}
			now := time.Now()
			life, err := days(expires)
			if err != nil {
				return usage(err)
			}
			if life > 0 {
				n.Expires = now.Add(life)
			}
			return t.create(cmd.Context(), n, now)
		},
	}
	c.Flags().StringSliceVar(&scopes, "scope", nil, "what it allows, comma-separated: publish, query, raw, pin, erase, admin")
	c.Flags().StringVar(&n.Name, "name", "", "what people call it")
	c.Flags().StringVar(&expires, "expires", "", "how long it holds, as 90d or 12h; empty: until it is revoked")
	return c
}

// days reads a duration that may be in days; 0 for "".
func days(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	var d time.Duration
	n, err := strconv.ParseUint(strings.TrimSuffix(s, "d"), 10, 16)
	if strings.HasSuffix(s, "d") && err == nil {
		d = time.Duration(n) * 24 * time.Hour
	} else {
		d, err = time.ParseDuration(s)
	}
	if err != nil || d <= 0 {
		return 0, schema.Invalid("expires", "%q is not a time such as 90d or 12h", s)
	}
	return d, nil
}

func (t *tokens) create(ctx context.Context, n auth.New, now time.Time) error {
	f, err := t.file()
	if err != nil {
		return err
	}
	var made auth.Token
	var secret string
	err = locked(ctx, f, func() (err error) { made, secret, err = f.Create(n, now); return err })
	if err != nil {
		return invalidIsUsage(err)
	}
	if t.json {
		return printJSON(t.out, map[string]any{"token": secret, "id": made.ID, "tenant": made.Tenant, "scopes": made.Scopes, "expires": timeOrNil(made.Expires)})
	}
	fmt.Fprintln(t.out, secret)
	until := "until it is revoked"
	if !made.Expires.IsZero() {
		until = "until " + made.Expires.Format(time.RFC3339)
	}
	fmt.Fprintf(t.err, "token %s of tenant %s for %s, %s. It is shown this once: %s keeps a hash only.\n", made.ID, made.Tenant, scopeText(made.Scopes), until, f.Path)
	return nil
}

func timeOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

func scopeText(scopes []schema.Scope) string {
	var out []string
	for _, s := range scopes {
		out = append(out, string(s))
	}
	return strings.Join(out, ", ")
}

// invalidIsUsage marks what the command line asked for wrongly.
func invalidIsUsage(err error) error {
	if schema.CodeOf(err) == schema.CodeInvalid {
		return usage(err)
	}
	return err
}

func (t *tokens) list() error {
	f, err := t.file()
	if err != nil {
		return err
	}
	ts, err := f.List()
	if err != nil {
		return err
	}
	now := time.Now()
	if t.json {
		out := []map[string]any{}
		for _, x := range ts {
			out = append(out, map[string]any{
				"id": x.ID, "tenant": x.Tenant, "scopes": x.Scopes, "name": x.Name, "state": x.State(now),
				"created": x.Created, "expires": timeOrNil(x.Expires), "revoked": timeOrNil(x.Revoked),
			})
		}
		return printJSON(t.out, out)
	}
	if len(ts) == 0 {
		fmt.Fprintf(t.out, "no tokens in %s: the server answers on loopback without any\n", f.Path)
		return nil
	}
	w := tabwriter.NewWriter(t.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "id\ttenant\tscopes\tstate\tcreated\texpires\tname")
	for _, x := range ts {
		expires := "never"
		if !x.Expires.IsZero() {
			expires = x.Expires.Format(time.DateOnly)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", x.ID, x.Tenant, scopeText(x.Scopes), x.State(now), x.Created.Format(time.DateOnly), expires, x.Name)
	}
	return w.Flush()
}

func (t *tokens) revoke(ctx context.Context, id string) error {
	f, err := t.file()
	if err != nil {
		return err
	}
	var x auth.Token
	err = locked(ctx, f, func() (err error) { x, err = f.Revoke(id, time.Now()); return err })
	if err != nil {
		return err
	}
	if t.json {
		return printJSON(t.out, map[string]any{"id": x.ID, "tenant": x.Tenant, "state": x.State(time.Now()), "revoked": x.Revoked})
	}
	fmt.Fprintf(t.out, "token %s of tenant %s is revoked; a running server knows it within a second\n", x.ID, x.Tenant)
	return nil
}

// lockWait is how long a command waits for another one that changes the same file.
const lockWait = 10 * time.Second

// locked runs change while no other command changes the file.
func locked(ctx context.Context, f auth.File, change func() error) error {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return fmt.Errorf("make directory of tokens: %w", err)
	}
	l := flock.New(f.Path+".lock", flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := l.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return fmt.Errorf("lock %s: %w", f.Path, err)
	}
	defer l.Unlock() // the end of the process lets go too
	return change()
}
