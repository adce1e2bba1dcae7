package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m)) }

// fake is a chat API that keeps what it was asked. It looks into a directory where the user asks for files, and else
// acknowledges.
type fake struct {
	url string

	mu   sync.Mutex
	asks [][]message
	down bool
}

func newFake(t *testing.T) *fake {
	f := &fake{}
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	f.url = srv.URL + "/v1"
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var req struct {
		Model    string
		Messages []message
		Tools    []struct {
			Function struct{ Name string }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.URL.Path != "/v1/chat/completions" || req.Model != "test-model" || r.Header.Get("Authorization") != "Bearer k" {
		http.Error(w, fmt.Sprint(r.URL.Path, req.Model, err), http.StatusBadRequest)
		return
	}
	if f.down {
		http.Error(w, `{"error":{"message":"overloaded"}}`, http.StatusServiceUnavailable)
		return
	}
	f.asks = append(f.asks, req.Messages)
	last := req.Messages[len(req.Messages)-1]
	answer := message{Role: "assistant", Content: "Noted."}
	switch {
	case last.Role == "tool":
		answer.Content = "There are several."
	case strings.HasSuffix(last.Content, "Which scripts are there?") && len(req.Tools) == 2:
		var ok, outside, unknown toolCall
		ok.ID, ok.Function.Name, ok.Function.Arguments = "call-1", "list_files", `{"dir":"scripts"}`
		outside.ID, outside.Function.Name, outside.Function.Arguments = "call-2", "list_files", `{"dir":"../.."}`
		unknown.ID, unknown.Function.Name, unknown.Function.Arguments = "call-3", "rm", `{}`
		answer = message{Role: "assistant", ToolCalls: []toolCall{ok, outside, unknown}}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": answer}}})
}

// last is the conversation as the model was asked last.
func (f *fake) last(t *testing.T) []message {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.asks) == 0 {
		t.Fatal("the model was not asked")
	}
	return f.asks[len(f.asks)-1]
}

// project is a directory with a script that only a tool's output ever names.
func project(t *testing.T) string {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "scripts"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "scripts", "deploy.py"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func newAgent(t *testing.T, f *fake, memory, conversation string) *agent {
	t.Helper()
	cl, err := client.NewHTTP(memory, client.WithTenant("chat"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(project(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return &agent{
		memory: cl, model: &model{base: f.url, key: "k", name: "test-model", http: http.DefaultClient},
		tools: []tool{clock(), listFiles(root)}, log: slog.New(slog.DiscardHandler), user: "ann", conversation: conversation,
	}
}

func say(t *testing.T, a *agent, input, want string) {
	t.Helper()
	if got, err := a.turn(t.Context(), input); err != nil || got != want {
		t.Fatalf("to %q it answers %q, %v", input, got, err)
	}
}

func TestWhatWasSaidIsInThePromptOfALaterConversation(t *testing.T) {
	f := newFake(t)
	s := stacktest.Shared(t)
	first := newAgent(t, f, s.URL, "c-1")
	say(t, first, "My manager is Elena.", "Noted.")
	say(t, first, "以后点外卖都不要放香菜。", "Noted.")
	say(t, first, "Which scripts are there?", "There are several.")

	// The tools were run, and told the model what came of it.
	asked := f.last(t)
	got := map[string]string{}
	for _, m := range asked {
		if m.Role == "tool" {
			got[m.CallID] = m.Content
		}
	}
	if got["call-1"] != "scripts/deploy.py\n" || !strings.Contains(got["call-2"], "escapes") || got["call-3"] != "there is no such tool" {
		t.Errorf("the tools gave %q", got)
	}
	// The turn was published with them.
	raw, err := first.memory.Event(t.Context(), "c-1-3")
	if err != nil {
		t.Fatal(err)
	}
	turn, err := schema.Decode[schema.Turn](raw)
	if err != nil || turn.Input != "Which scripts are there?" || turn.Response != "There are several." || len(turn.ToolResults) != 3 ||
		turn.ToolResults[0].CallID != "call-1" || turn.ToolResults[0].Status != schema.ToolOK || turn.ToolResults[1].Status != schema.ToolError {
		t.Errorf("published was %s, %v", raw, err)
	}
	if strings.Contains(string(raw), "memory_context") {
		t.Error("the injected block was published as if the user had said it")
	}

	// Another conversation knows nothing but by memory, and memory puts it just before the question.
	second := newAgent(t, f, s.URL, "c-2")
	second.seq = first.seq // it is there at once; a conversation of tomorrow need not wait
	for _, x := range []struct{ question, want string }{
		{"Who is my manager?", "Elena"},
		{"帮我点一碗牛肉面。", "不要放香菜"},
		{"Which folder is deploy.py in?", "scripts/deploy.py"},
	} {
		say(t, second, x.question, "Noted.")
		msgs := f.last(t)
		last := msgs[len(msgs)-1]
		block, ok := strings.CutSuffix(last.Content, "</memory_context>\n\n"+x.question)
		if last.Role != "user" || !ok || !strings.HasPrefix(block, "<memory_context>") || !strings.Contains(block, x.want) {
			t.Errorf("the model was asked %q", last.Content)
		}
		for _, m := range msgs[1 : len(msgs)-1] { // the history of the conversation is without old blocks
			if strings.Contains(m.Content, "memory_context") {
				t.Errorf("in the history stands %q", m.Content)
			}
		}
	}
	if n := len(f.last(t)); n != 1+4+1 {
		t.Errorf("the last question went with %d messages: instructions, two turns and itself are 6", n)
	}
}

func TestWithoutMemoryTheAgentAnswers(t *testing.T) {
	f := newFake(t)
	a := newAgent(t, f, "http://127.0.0.1:1", "c-3")
	say(t, a, "Who is my manager?", "Noted.")
	if m := f.last(t); m[len(m)-1].Content != "Who is my manager?" {
		t.Errorf("the model was asked %q", m)
	}
}

func TestWithoutAModelNothingIsPublished(t *testing.T) {
	f := newFake(t)
	f.down = true
	a := newAgent(t, f, stacktest.Shared(t).URL, "c-4")
	if got, err := a.turn(t.Context(), "My locker is 12."); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("it answers %q, %v", got, err)
	}
	var e *schema.Error
	if _, err := a.memory.Event(t.Context(), "c-4-1"); !errors.As(err, &e) || e.Code != schema.CodeNotFound {
		t.Errorf("the turn: %v", err)
	}
}

func TestTheWindowOfTheConversationIsBounded(t *testing.T) {
	f := newFake(t)
	a := newAgent(t, f, "http://127.0.0.1:1", "c-5")
	for range maxHistory {
		a.history = append(a.history, message{Role: "user", Content: "x"})
	}
	say(t, a, "hello", "Noted.")
	if len(a.history) != maxHistory || a.history[maxHistory-1].Content != "Noted." {
		t.Errorf("%d messages, the last %q", len(a.history), a.history[len(a.history)-1].Content)
	}
}

// The program as it is started.
func TestRun(t *testing.T) {
	f := newFake(t)
	env := map[string]string{"OPENAI_BASE_URL": f.url + "/", "OPENAI_API_KEY": "k", "OPENAI_MODEL": "test-model", "SILTSTONE_SERVER": stacktest.Shared(t).URL}
	var out, errs bytes.Buffer
	in := strings.NewReader("My spare fuse lies in the red tin.\n\nWhich scripts are there?\n")
	err := run(t.Context(), []string{"-user", "bob", "-dir", project(t)}, func(k string) string { return env[k] }, in, &out, &errs)
	if err != nil || out.String() != "> Noted.\n> > There are several.\n> " || errs.Len() > 0 {
		t.Errorf("%v: %q, %q", err, out.String(), errs.String())
	}
	if m := f.last(t); !strings.Contains(m[len(m)-4].Content+m[1].Content, "red tin") { // the conversation's own
		t.Errorf("%q", m)
	}
	if err := run(t.Context(), []string{"-dir", "/does/not/exist"}, func(string) string { return "" }, in, &out, &errs); err == nil {
		t.Error("it starts without its project")
	}
}

// A token goes to another machine over plain http only where somebody says so, as with the commands.
func TestATokenOverPlainHTTP(t *testing.T) {
	for said, want := range map[string]string{"": "in the clear", "0": "in the clear", "1": "", "true": ""} {
		getenv := func(k string) string {
			return map[string]string{"SILTSTONE_SERVER": "http://192.0.2.1:8317", "SILTSTONE_TOKEN": "silt_a_b", "SILTSTONE_ALLOW_PLAIN_HTTP": said}[k]
		}
		err := run(t.Context(), nil, getenv, strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("SILTSTONE_ALLOW_PLAIN_HTTP=%q: %v", said, err)
		}
	}
}
