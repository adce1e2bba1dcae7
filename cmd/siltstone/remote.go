package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// client returns a client of the server that the flags name.
func (e *env) client() (*client.HTTP, error) {
	var opts []client.HTTPOption
	if e.tenant != "" {
		opts = append(opts, client.WithTenant(e.tenant))
	}
	token, err := e.readToken()
	if err != nil {
		return nil, usage(err)
	}
	if token != "" {
		opts = append(opts, client.WithToken(token))
	}
	if e.plainHTTP || e.getenv(plainHTTPEnv) == "true" || e.getenv(plainHTTPEnv) == "1" {
		opts = append(opts, client.AllowPlainHTTP())
	}
	c, err := client.NewHTTP(e.server, opts...)
	var bad *schema.Error
	if errors.As(err, &bad) && bad.Field == "base" { // as the client's own argument is called
		err = schema.Invalid("server", "%s (--server, or %s)", bad.Message, config.Prefix+"SERVER")
	}
	return c, usage(err)
}

// The variables that a token is read from where no flag gives one.
const (
	tokenEnv     = config.Prefix + "TOKEN"
	tokenFileEnv = config.Prefix + "TOKEN_FILE"
)

// plainHTTPEnv stands for --allow-plain-http where it is 1 or true.
const plainHTTPEnv = config.Prefix + "ALLOW_PLAIN_HTTP"

// addTokenFlags gives every command the ways to a token.
func (e *env) addTokenFlags(c *cobra.Command) {
	c.PersistentFlags().StringVar(&e.token, "token", "", "token for the server; others on this machine may see it in the list of processes: better "+tokenEnv+" or --token-file")
	c.PersistentFlags().StringVar(&e.tokenFile, "token-file", "", "file that holds the token for the server (or "+tokenFileEnv+")")
	c.PersistentFlags().BoolVar(&e.plainHTTP, "allow-plain-http", false, "send the token over plain http to another machine too, where whoever is on the way can read it (or "+plainHTTPEnv+")")
}

// readToken is the token by flag, else by the environment; "" for none.
func (e *env) readToken() (string, error) {
	token, file, names := e.token, e.tokenFile, [2]string{"--token", "--token-file"}
	if token == "" && file == "" {
		token, file, names = e.getenv(tokenEnv), e.getenv(tokenFileEnv), [2]string{tokenEnv, tokenFileEnv}
	}
	switch {
	case token != "" && file != "":
		return "", fmt.Errorf("%s and %s: give one of them", names[0], names[1])
	case file == "":
		return token, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", names[1], err)
	}
	defer f.Close() // nothing was written
	b, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return "", fmt.Errorf("%s: %w", names[1], err)
	}
	if token = strings.TrimSpace(string(b)); token == "" {
		return "", fmt.Errorf("%s: %s is empty", names[1], file)
	}
	return token, nil
}

// printJSON writes v as indented JSON, a list without anything in it as [].
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema.WithLists(v)); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}
