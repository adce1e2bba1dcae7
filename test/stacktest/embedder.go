package stacktest

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Dim is the dimension of the vectors of an [Embedder].
const Dim = 64

// PassagePrefix, configured as embed.passage_prefix, lets an [Embedder] tell passages from queries.
const PassagePrefix = "passage: "

// Words that an [Embedder] stumbles over.
const (
	Refused = "embedder-refuses-this" // answered with 400, as a server does with input that it cannot take
	Hung    = "embedder-hangs-on-this"
)

// Embedder is a server that speaks OpenAI's embeddings API and can be made to fail.
type Embedder struct {
	URL   string // base URL, with /v1
	Calls atomic.Int64
	Down  atomic.Bool // while set every call hangs

	Mended atomic.Bool // while set Refused is taken like any word

	Passages atomic.Int64 // texts that begin with PassagePrefix
	Again    atomic.Int64 // of them those that had been asked for before
	seen     sync.Map

	mu      sync.Mutex
	release chan struct{}
	srv     *http.Server // nil while it is stopped
	t       testing.TB
}

// NewEmbedder serves until the test ends.
func NewEmbedder(t testing.TB) *Embedder {
	t.Helper()
	e := &Embedder{release: make(chan struct{}), t: t}
	e.serve(FreeAddr(t))
	t.Cleanup(e.Stop)
	return e
}

func (e *Embedder) serve(addr string) {
	e.t.Helper()
	l, err := listenAgain(addr)
	if err != nil {
		e.t.Fatal(err)
	}
	srv := &http.Server{Handler: e}
	if e.URL == "" { // its readers may be at work by the second time
		e.URL = "http://" + l.Addr().String() + "/v1"
	}
	e.mu.Lock()
	e.srv = srv
	e.mu.Unlock()
	go func() { _ = srv.Serve(l) }() // until Stop
}

// Stop breaks every connection and listens no more.
func (e *Embedder) Stop() {
	e.Release()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.srv != nil {
		_ = e.srv.Close()
	}
	e.srv = nil
}

// Start serves again, at the address of before.
func (e *Embedder) Start() {
	e.t.Helper()
	e.serve(strings.TrimSuffix(strings.TrimPrefix(e.URL, "http://"), "/v1"))
}

// Release lets every hanging call go, with an error.
func (e *Embedder) Release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.release)
	e.release = make(chan struct{})
}

// ServeHTTP implements http.Handler.
func (e *Embedder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.Calls.Add(1)
	var req struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, text := range req.Input {
		if strings.HasPrefix(text, PassagePrefix) {
			e.Passages.Add(1)
			if _, before := e.seen.LoadOrStore(text, true); before {
				e.Again.Add(1)
			}
		}
	}
	all := strings.Join(req.Input, "\n")
	if strings.Contains(all, Refused) && !e.Mended.Load() {
		http.Error(w, `{"error":{"message":"input cannot be taken"}}`, http.StatusBadRequest)
		return
	}
	if e.Down.Load() || strings.Contains(all, Hung) {
		e.mu.Lock()
		release := e.release
		e.mu.Unlock()
		select {
		case <-release:
		case <-r.Context().Done():
		}
		http.Error(w, "released", http.StatusServiceUnavailable)
		return
	}
	type datum struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var out struct {
		Data []datum `json:"data"`
	}
	for i, s := range req.Input {
		out.Data = append(out.Data, datum{i, vector(s)})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // the client has gone
}

// vector is a bag of words, normalised.
func vector(s string) []float64 {
	v := make([]float64, Dim)
	v[0] = 0.01 // no text is without a vector
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(w))
		v[h.Sum32()%Dim]++
	}
	n := 0.0
	for _, x := range v {
		n += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(n)
	}
	return v
}
