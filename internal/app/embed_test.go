package app

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// While the embedding server is away, passages whose vectors are kept are embedded all the same, whoever asks for others at the
// same time.
func TestKeptVectorsNeedNoServer(t *testing.T) {
	var away atomic.Bool
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		type row struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var out struct {
			Data []row `json:"data"`
		}
		for i := range in.Input {
			out.Data = append(out.Data, row{i, []float32{1, 0, 0, 0}})
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	defer srv.Close()
	js := eventstest.JetStream(t, eventstest.Server(t))
	topology := events.DefaultTopology()
	topology.VectorsMax = 1000
	if _, err := events.Ensure(t.Context(), js, topology, 0); err != nil {
		t.Fatal(err)
	}
	vectors, err := events.OpenKept(t.Context(), js, events.BucketVectors)
	if err != nil {
		t.Fatal(err)
	}
	a := &app{log: slog.New(slog.DiscardHandler), cfg: config.Default()}
	a.cfg.Embed.URL, a.cfg.Embed.Model, a.cfg.Embed.Dim, a.cfg.Embed.CacheMB, a.cfg.Embed.Timeout = srv.URL+"/v1", "m", 4, 0, 10*time.Second
	a.shelf.vectors.Store(vectors)
	e, err := a.newEmbedder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const n = 20
	kept := func(i int) []string { return []string{fmt.Sprint("kept ", i)} }
	for i := range n {
		if _, err := e.Embed(t.Context(), kept(i), schema.EmbedPassage); err != nil {
			t.Fatal(err)
		}
	}
	away.Store(true)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if _, err := e.Embed(t.Context(), []string{fmt.Sprint("new ", i)}, schema.EmbedPassage); schema.IsPermanent(err) || err == nil {
				t.Errorf("a passage that nobody has embedded: %v", err)
			}
		})
		wg.Go(func() {
			if vs, err := e.Embed(t.Context(), kept(i), schema.EmbedPassage); err != nil || len(vs) != 1 || len(vs[0]) != 4 {
				t.Errorf("a passage whose vector is kept: %v, %v", vs, err)
			}
		})
	}
	wg.Wait()
}
