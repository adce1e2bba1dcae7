package app

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/doctor"
	"github.com/siltstone-ai/siltstone/internal/embedded"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/store/redis"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// probeTime bounds the look at one server.
const probeTime = 5 * time.Second

// Diagnose looks at everything that Run with the configuration r would stand on, and starts nothing. built is when
// this program was made, zero where that is not known. It blocks for some seconds at most.
func Diagnose(ctx context.Context, r config.Resolved, built time.Time) []doctor.Finding {
	cfg := r.Config
	fs := []doctor.Finding{configFile(r)}
	embeds := cfg.NATS.URL == "" || cfg.Qdrant.Addr == "" || cfg.Redis.URL == ""
	own := 0
	if embeds {
		fs = append(fs, doctor.Directory(cfg.Data, maxLog(cfg))...)
		var f doctor.Finding
		own, f = instance(cfg.Data)
		fs = append(fs, f)
	}
	if f, known := knownLog(ctx, cfg); known {
		fs = append(fs, f)
	}
	fs = append(fs, doctor.Clock(time.Now(), built, cfg.Data), doctor.Files())
	for _, p := range []struct {
		key, addr, flag string
		used            bool
	}{
		{"http.addr", cfg.HTTP.Addr, "--http-addr", cfg.Has("ingester") || cfg.Has("retriever")},
		{"nats.listen", cfg.NATS.Listen, "--nats-listen", cfg.NATS.URL == ""},
		{"qdrant.listen", cfg.Qdrant.Listen, "--qdrant-listen", cfg.Qdrant.Addr == ""},
		{"redis.listen", cfg.Redis.Listen, "--redis-listen", cfg.Redis.URL == ""},
	} {
		if p.addr != "" && p.used {
			fs = append(fs, doctor.Port(p.key, p.addr, p.flag, own))
		}
	}
	if cfg.Has("ingester") || cfg.Has("retriever") {
		fs = append(fs, access(cfg, time.Now())...)
	}
	fs = append(append(fs, dictionaries(cfg)), servers(ctx, cfg)...)
	return append(fs, model(ctx, cfg)...)
}

// knownLog is what was last found of the log, by whoever looked at it; false where nobody can be asked, which another
// finding says.
func knownLog(ctx context.Context, cfg config.Config) (f doctor.Finding, known bool) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var store events.WitnessStore = witnessFiles{filepath.Join(cfg.Data, witnessDir)}
	if cfg.NATS.URL != "" {
		nc, js, err := probeJetStream(ctx, cfg)
		if err != nil {
			return f, false
		}
		defer nc.Close()
		store = events.NewWitnessBucket(js)
	}
	faults, err := events.NewWitness(nil, store, events.WitnessOptions{}).Known(ctx)
	f = doctor.Finding{Check: "log", Status: doctor.OK, Detail: "nothing is known to be wrong with it"}
	switch {
	case err != nil:
		f.Status, f.Detail = doctor.Warn, err.Error()
	case len(faults) > 0:
		f.Status, f.Detail = doctor.Fail, faults[0].String()
		if n := len(faults) - 1; n > 0 {
			f.Detail += fmt.Sprintf(", and %d faults more", n)
		}
		f.Mend = "put the right log back and start again, or go on with it as it is: siltstone log accept --yes (see docs/deploy.md)"
	}
	return f, true
}

// maxLog is the bound of an embedded log, 0 for none.
func maxLog(cfg config.Config) int64 {
	if cfg.NATS.URL != "" {
		return 0
	}
	return cfg.NATS.MaxLog
}

// configFile says which file is read, and warns where others can read secrets in it.
func configFile(r config.Resolved) doctor.Finding {
	f := doctor.Finding{Check: "configuration", Status: doctor.OK, Detail: "valid; no file"}
	if r.File == "" {
		return f
	}
	f.Detail = "valid; " + r.File
	for _, v := range r.Values() {
		if !v.Key.Secret() || v.Origin.Layer != config.FromFile || v.Key.Masked(v.Value) == v.Key.Text(v.Value) {
			continue
		}
		if st, err := os.Stat(r.File); err == nil && st.Mode().Perm()&0o044 != 0 {
			f.Status, f.Mend = doctor.Warn, "chmod 600 "+r.File
			f.Detail = fmt.Sprintf("%s holds a secret (%s) and others can read it (mode %04o)", r.File, v.Key.Name, st.Mode().Perm()&fs.ModePerm)
		}
		break
	}
	return f
}

// instance is the process that runs on the data directory already, 0 for none.
func instance(dir string) (int, doctor.Finding) {
	f := doctor.Finding{Check: "running instance", Status: doctor.OK, Detail: "none on " + dir}
	pid := embedded.Holder(dir)
	switch {
	case pid == 0:
	case alive(pid):
		f.Detail = fmt.Sprintf("process %d runs on %s", pid, dir)
		return pid, f
	default:
		f.Detail = fmt.Sprintf("none on %s; process %d ended there without a clean stop, the next start recovers", dir, pid)
	}
	return 0, f
}

// dictionaries unpacks the word dictionaries as a start does, and does not load them, which would take a second.
func dictionaries(cfg config.Config) doctor.Finding {
	info, err := text.Check(text.Config{CacheDir: cfg.Jieba.Cache})
	f := doctor.Finding{Check: "dictionaries", Status: doctor.OK, Detail: info.Segmenter}
	if err == nil && info.Fallback == "" {
		f.Detail += ", unpacked in " + info.Dir
		return f
	}
	why := info.Fallback
	if err != nil {
		why = err.Error()
	}
	f.Status, f.Detail = doctor.Warn, f.Detail+": "+why
	f.Mend = "set jieba.cache to a directory that can be written, with 10 MB of space; without it Chinese is cut into words less well"
	return f
}

// servers looks at those that an address is given for, all at once: one that hangs takes its whole time.
func servers(ctx context.Context, cfg config.Config) []doctor.Finding {
	looks := []struct {
		name, key, addr, mend, without string
		probe                          func(context.Context, config.Config) (string, error)
		fails                          doctor.Status // where it does not do what it should
	}{
		{"NATS", "nats.url", cfg.NATS.URL, "see that the server runs with JetStream and takes nats.url, or leave it empty to run one in this process", "runs in this process", probeNATS, doctor.Fail},
		{"vector store", "qdrant.addr", cfg.Qdrant.Addr, "see that qdrant.addr is the gRPC port (6334) and qdrant.key and qdrant.tls are right, or leave it empty to run one in this process", "runs in this process", probeQdrant, doctor.Fail},
		{"Redis", "redis.url", cfg.Redis.URL, "see that the server runs and takes redis.url, or leave it empty to run one in this process", "runs in this process", probeRedis, doctor.Fail},
		{"embedder", "embed.url", cfg.Embed.URL, "see that the server runs and has embed.model with embed.dim dimensions, or leave it empty to use the built-in one", "runs in this process", probeEmbedder, doctor.Fail},
		{"language model", "llm.url", cfg.LLM.URL, "until it answers, facts are read by rules alone: see that the server runs, has llm.model and keeps to a JSON schema, or leave llm.url empty", "none is asked", probeModel, doctor.Warn}, // an extra: the rules read all the same
	}
	out := make([]doctor.Finding, len(looks))
	var wg sync.WaitGroup
	for i, s := range looks {
		f := &out[i]
		*f = doctor.Finding{Check: s.name, Status: doctor.OK, Detail: s.without + ": " + s.key + " is empty"}
		if s.addr == "" {
			continue
		}
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, probeTime)
			defer cancel()
			says, err := s.probe(ctx, cfg)
			f.Detail = says
			if err != nil {
				f.Status, f.Detail, f.Mend = s.fails, err.Error(), s.mend
			}
		})
	}
	wg.Wait()
	return out
}

func probeNATS(ctx context.Context, cfg config.Config) (string, error) {
	nc, js, err := probeJetStream(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer nc.Close()
	if _, err := js.AccountInfo(ctx); err != nil {
		return "", fmt.Errorf("NATS %s has no JetStream for this account: %w", nc.ConnectedServerVersion(), err)
	}
	return "nats-server " + nc.ConnectedServerVersion() + " with JetStream", nil
}

// probeJetStream connects to look; the caller closes the connection.
func probeJetStream(ctx context.Context, cfg config.Config) (*nats.Conn, jetstream.JetStream, error) {
	nc, err := nats.Connect(cfg.NATS.URL, probeOptions(ctx, cfg)...)
	if err != nil {
		return nil, nil, fmt.Errorf("connect to NATS: %w", err)
	}
	js, err := events.OpenJetStream(nc)
	if err != nil {
		nc.Close()
		return nil, nil, fmt.Errorf("open JetStream: %w", err)
	}
	return nc, js, nil
}

func probeOptions(ctx context.Context, cfg config.Config) []nats.Option {
	opts := []nats.Option{nats.Timeout(probeTime / 2), nats.NoReconnect(), nats.SetCustomDialer(dialer{ctx})}
	if cfg.NATS.Creds != "" {
		opts = append(opts, nats.UserCredentials(cfg.NATS.Creds))
	}
	return opts
}

// dialer lets a context end what nats.Connect does.
type dialer struct{ ctx context.Context }

func (d dialer) Dial(network, addr string) (net.Conn, error) {
	return (&net.Dialer{Timeout: probeTime / 2}).DialContext(d.ctx, network, addr)
}

func probeQdrant(ctx context.Context, cfg config.Config) (string, error) {
	s, err := qdrant.New(qdrant.Options{APIKey: cfg.Qdrant.Key, URL: qdrantURL(cfg.Qdrant), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", fmt.Errorf("open the vector store: %w", err)
	}
	defer s.Close() // nothing was written
	return s.Server(ctx)
}

func probeRedis(ctx context.Context, cfg config.Config) (string, error) {
	s, err := redis.New(redis.Options{URL: cfg.Redis.URL, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", fmt.Errorf("open the cache: %w", err)
	}
	defer s.Close() // nothing was written
	return s.Server(ctx)
}

// probeEmbedder asks for one vector, as a query would.
func probeEmbedder(ctx context.Context, cfg config.Config) (string, error) {
	e, err := (&app{cfg: cfg, log: slog.New(slog.DiscardHandler)}).newEmbedder(ctx)
	if err != nil {
		return "", fmt.Errorf("build embedder: %w", err)
	}
	vs, err := e.Embed(ctx, []string{"doctor"}, schema.EmbedQuery)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s gives vectors of %d dimensions", cfg.Embed.Model, len(vs[0])), nil
}
