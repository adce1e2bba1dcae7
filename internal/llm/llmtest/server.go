// Package llmtest is a chat server that answers as a test says, well or badly.
package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Request is what was asked.
type Request struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	MaxTokens int `json:"max_tokens"`
	Form      *struct {
		Type string `json:"type"`
	} `json:"response_format"`
	Key string `json:"-"` // the header Authorization
}

// Text is the text that was asked about.
func (r *Request) Text() string {
	_, quoted, _ := strings.Cut(r.Messages[len(r.Messages)-1].Content, ": ")
	var s string
	_ = json.Unmarshal([]byte(quoted), &s)
	return s
}

// Server counts and answers.
type Server struct {
	URL string // up to and with /v1

	mu       sync.Mutex
	requests []Request
	answer   func(http.ResponseWriter, *Request)
}

// New starts a server on loopback that ends with the test. It answers with Statements of none until it is told otherwise.
func New(t testing.TB) *Server {
	s := &Server{answer: func(w http.ResponseWriter, _ *Request) { Statements(w) }}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		req := Request{Key: r.Header.Get("Authorization")}
		if json.Unmarshal(b, &req) != nil || len(req.Messages) == 0 || r.URL.Path != "/v1/chat/completions" {
			http.Error(w, "bad", http.StatusNotFound)
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, req)
		answer := s.answer
		s.mu.Unlock()
		answer(w, &req)
	}))
	t.Cleanup(srv.Close)
	s.URL = srv.URL + "/v1"
	return s
}

// Answer sets how it answers from now on.
func (s *Server) Answer(fn func(http.ResponseWriter, *Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = fn
}

// Requests are those so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Statements answers in the form that is asked for.
func Statements(w http.ResponseWriter, rs ...schema.Reading) {
	if rs == nil {
		rs = []schema.Reading{}
	}
	b, _ := json.Marshal(map[string]any{"statements": rs})
	Content(w, string(b), "stop")
}

// Content answers with a message and why it ended.
func Content(w http.ResponseWriter, content, finish string) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"finish_reason": finish, "message": map[string]any{"role": "assistant", "content": content}}},
		"usage":   map[string]any{"total_tokens": 100},
	})
}
