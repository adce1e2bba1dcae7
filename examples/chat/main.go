// Command chat is an agent with a memory, as small as one can be: a loop around any OpenAI-compatible chat API that asks
// Siltstone before each turn, puts the block before the user's message, runs the tools that the model asks for, and
// publishes the turn with their results.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/client"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "chat:", err)
		os.Exit(1)
	}
}

// run reads lines of the user's until in ends, and answers each.
func run(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, errs io.Writer) error {
	fs := flag.NewFlagSet("chat", flag.ContinueOnError)
	fs.SetOutput(errs)
	user := fs.String("user", cmp.Or(getenv("USER"), "me"), "who speaks")
	conversation := fs.String("conversation", "chat-"+time.Now().UTC().Format("20060102T150405.000"), "id of the conversation; a new one for each start")
	name := fs.String("model", cmp.Or(getenv("OPENAI_MODEL"), "gpt-4.1-mini"), "model to ask")
	dir := fs.String("dir", ".", "project that the tool list_files may list")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	var opts []client.HTTPOption
	if t := getenv("SILTSTONE_TOKEN"); t != "" {
		opts = append(opts, client.WithToken(t))
	}
	if v := getenv("SILTSTONE_ALLOW_PLAIN_HTTP"); v == "1" || v == "true" { // as the commands do
		opts = append(opts, client.AllowPlainHTTP())
	}
	memory, err := client.NewHTTP(cmp.Or(getenv("SILTSTONE_SERVER"), "http://127.0.0.1:8317"), opts...)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(*dir)
	if err != nil {
		return fmt.Errorf("open the project: %w", err)
	}
	defer root.Close()
	a := &agent{
		memory: memory, user: *user, conversation: *conversation,
		model: &model{
			base: cmp.Or(getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1"), key: getenv("OPENAI_API_KEY"), name: *name,
			http: &http.Client{Timeout: 2 * time.Minute},
		},
		tools: []tool{clock(), listFiles(root)},
		log:   slog.New(slog.NewTextHandler(errs, nil)),
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for fmt.Fprint(out, "> "); lines.Scan(); fmt.Fprint(out, "> ") {
		input := strings.TrimSpace(lines.Text())
		if input == "" {
			continue
		}
		answer, err := a.turn(ctx, input)
		if err != nil {
			a.log.Error("no answer", "error", err) // the next line may have one
			continue
		}
		fmt.Fprintln(out, answer)
	}
	return lines.Err()
}
