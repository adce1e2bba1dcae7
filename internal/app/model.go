package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/siltstone-ai/siltstone/internal/atomicfile"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/doctor"
	"github.com/siltstone-ai/siltstone/internal/embedded"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// modelName is the file in the data directory that names the embedder of the vectors in it. The state in the log's
// server decides; this is for doctor, which starts no server.
const modelName = "embedder.json"

// boundModel is the content of that file.
type boundModel struct {
	Model string `json:"model"`
	Dim   int    `json:"dim"`
}

// noteModel writes down which embedder the embedded vectors are bound to.
func (a *app) noteModel() error {
	if g := a.readings.get(a.active()); a.cfg.Qdrant.Addr != "" || g != nil && g.asleep {
		return nil
	}
	b, err := json.Marshal(boundModel{a.embedder.Model(), a.embedder.Dim()})
	if err != nil {
		return fmt.Errorf("note the embedder: %w", err)
	}
	path := filepath.Join(a.cfg.Data, modelName)
	if have, err := os.ReadFile(path); err == nil && string(have) == string(b) {
		return nil
	}
	if err := atomicfile.Write(path, b); err != nil {
		return fmt.Errorf("note the embedder: %w", err)
	}
	return nil
}

// notedModel is what noteModel wrote, the zero value where there are no vectors or nobody wrote down whose they are.
func notedModel(dir string) (m boundModel, err error) {
	if _, err := os.Stat(filepath.Join(dir, embedded.VectorsDir)); err != nil { // moved away, to be filled again
		return m, nil
	}
	b, err := os.ReadFile(filepath.Join(dir, modelName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	return m, err
}

// model compares the embedder of the configuration with the one that the stored vectors come from.
func model(ctx context.Context, cfg config.Config) []doctor.Finding {
	var have boundModel
	var where string
	var err error
	switch {
	case cfg.Qdrant.Addr == "":
		where = filepath.Join(cfg.Data, embedded.VectorsDir)
		have, err = notedModel(cfg.Data)
	case cfg.NATS.URL != "":
		where = "the vector store"
		if have.Model, err = activeModel(ctx, cfg); err != nil {
			return nil // its own finding says so
		}
	}
	f := doctor.Finding{Check: "embedding model", Status: doctor.OK}
	if err != nil {
		f.Status, f.Detail = doctor.Warn, fmt.Sprintf("it is not known whose vectors %s has: %v", where, err)
		f.Mend = "none is needed: a start that succeeds writes it down again"
		return []doctor.Finding{f}
	}
	if have.Model == "" {
		return nil
	}
	e, err := (&app{cfg: cfg, log: slog.New(slog.DiscardHandler)}).newEmbedder(ctx)
	if err != nil {
		return nil // as above
	}
	if e.Model() == have.Model && (have.Dim == 0 || e.Dim() == have.Dim) {
		f.Detail = fmt.Sprintf("%s, as %s has it", e.Model(), where)
		return []doctor.Finding{f}
	}
	f.Status, f.Mend = doctor.Fail, changeModel
	if cfg.Embed.Change {
		f.Status = doctor.Warn
	}
	f.Detail = fmt.Sprintf("%s has vectors of the model %q%s, and the configured embedder makes those of %q with %d dimensions", where, have.Model, dims(have.Dim), e.Model(), e.Dim())
	return []doctor.Finding{f}
}

func dims(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" with %d dimensions", n)
}

// activeModel asks the state in NATS.
func activeModel(ctx context.Context, cfg config.Config) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	nc, js, err := probeJetStream(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer nc.Close()
	return events.ActiveModel(ctx, js)
}

// tellEmbedder says once, where a remote embedder does not answer at start, what works without it. It blocks until
// that is known.
func (a *app) tellEmbedder(ctx context.Context) {
	if a.cfg.Embed.URL == "" {
		return
	}
	limit, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if _, err := a.embedder.Embed(limit, []string{"start"}, schema.EmbedQuery); err != nil && ctx.Err() == nil {
		a.log.LogAttrs(ctx, slog.LevelWarn, "the embedder of embed.url gives no vectors: until it does, queries find by keywords alone, and what is published is found by keywords and stays pending",
			slog.String(obs.KeyError, err.Error()))
	}
}
