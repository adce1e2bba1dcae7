package config

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Config is everything that can be set. Field tags: koanf is the name, help its effect (in Chinese in zh.go); secret says
// what must not be shown of a value: "all" of it, or the credentials in a "url".
type Config struct {
	Data      string              `koanf:"data" help:"data directory of the embedded servers; created with mode 0700"`
	Roles     []string            `koanf:"roles" help:"which roles this process runs: ingester, distiller, retriever, all or none (servers only)"`
	Stages    []string            `koanf:"stages" help:"which stages a distiller runs: all, or any of clean, vectorize, extract, distill, decide, llm, forget"`
	HTTP      HTTP                `koanf:"http"`
	Auth      Auth                `koanf:"auth"`
	NATS      NATS                `koanf:"nats"`
	Qdrant    Qdrant              `koanf:"qdrant"`
	Redis     Redis               `koanf:"redis"`
	Embed     Embed               `koanf:"embed"`
	LLM       LLM                 `koanf:"llm"`
	Pipeline  Pipeline            `koanf:"pipeline"`
	Read      Read                `koanf:"read"`
	Inject    Inject              `koanf:"inject"`
	Retrieval Retrieval           `koanf:"retrieval"`
	Tools     []schema.ToolPolicy `koanf:"tools" help:"tool policies laid over the shipped defaults, what one does not set stays as it is; by file only"`
	Jieba     Jieba               `koanf:"jieba"`
	Log       Log                 `koanf:"log"`
	Trace     Trace               `koanf:"trace"`
}

// HTTP is the HTTP edge.
type HTTP struct {
	Addr         string        `koanf:"addr" help:"address of the HTTP edge; beyond loopback it needs tokens and TLS, or http.insecure"`
	Insecure     bool          `koanf:"insecure" help:"allow a bind beyond loopback without TLS and, where there are no tokens, without any; something else must guard it"`
	TLSCert      string        `koanf:"tls_cert" help:"PEM file with the certificate chain of the HTTP edge; read again when it changes; empty: no TLS"`
	TLSKey       string        `koanf:"tls_key" help:"PEM file with the certificate's private key"`
	Hosts        []string      `koanf:"hosts" help:"Host headers answered beside loopback names and the address that a request came to"`
	MaxTurn      int           `koanf:"max_turn" help:"bytes of one turn"`
	MaxBatch     int           `koanf:"max_batch" help:"bytes of one batch"`
	MaxOpen      int           `koanf:"max_open" help:"requests worked on at once, and four times as many open; beyond it the answer is 503 with Retry-After"`
	MaxConns     int           `koanf:"max_conns" help:"connections open at once, at most a quarter of the files that the process may open; beyond it the one that has been idle for longest is closed"`
	MaxBuffer    int           `koanf:"max_buffer" help:"bytes of request bodies in memory at once; beyond it the answer is 503 with Retry-After"`
	WriteTimeout time.Duration `koanf:"write_timeout" help:"time limit of a request that writes, once its body is in; of a batch, of each piece"`
}

// Auth says how requests are let in.
type Auth struct {
	Tokens string `koanf:"tokens" help:"file of the tokens, see siltstone token; empty: tokens.json in the data directory. With any token in it every request needs one"`
}

// TokensFile is where the tokens are.
func (c *Config) TokensFile() string {
	if c.Auth.Tokens != "" {
		return c.Auth.Tokens
	}
	return filepath.Join(c.Data, "tokens.json")
}

// NATS says where the log is. An empty URL means the embedded server.
type NATS struct {
	URL      string `koanf:"url" secret:"url" help:"NATS servers, comma-separated; empty runs one in this process"`
	Creds    string `koanf:"creds" help:"credentials file"`
	Listen   string `koanf:"listen" help:"loopback address where the embedded NATS server listens; empty: no listener. Secrets of listeners are in connect.yaml in the data directory"`
	Replicas int    `koanf:"replicas" help:"replicas of streams and consumers on a cluster"`
	MaxLog   int64  `koanf:"max_log" help:"bytes of the log; 0: no bound but the store's own"`
	MaxWork  int64  `koanf:"max_work" help:"bytes of a generation's work stream; full means backpressure"`
	FileWork bool   `koanf:"file_work" help:"keep work streams on disk instead of in memory"`
	SyncEach bool   `koanf:"sync_each" help:"embedded server: fsync before every acknowledgement"`
}

// Qdrant says where points are kept. An empty address means the embedded server.
type Qdrant struct {
	Addr   string `koanf:"addr" help:"host:port of Qdrant's gRPC; empty runs a compatible server in this process"`
	Key    string `koanf:"key" secret:"all" help:"API key"`
	TLS    bool   `koanf:"tls" help:"use TLS"`
	Listen string `koanf:"listen" help:"loopback address where the embedded server listens; empty: no listener"`
}

// Redis says where caches are. An empty URL means the embedded server.
type Redis struct {
	URL    string `koanf:"url" secret:"url" help:"redis:// or rediss:// URL; empty runs one in this process"`
	Listen string `koanf:"listen" help:"loopback address where the embedded server listens; empty: no listener"`
}

// Embed says what makes vectors.
type Embed struct {
	URL           string        `koanf:"url" secret:"url" help:"base URL of an OpenAI-compatible server (…/v1); empty uses the built-in embedder"`
	AllowPrivate  bool          `koanf:"allow_private" help:"let a name other than localhost in embed.url resolve to private addresses, as in a container network; addresses in figures need no leave; link-local and metadata addresses are never reached"`
	Proxy         string        `koanf:"proxy_url" secret:"url" help:"HTTP proxy to that server; empty: none, whatever the environment says"`
	Key           string        `koanf:"key" secret:"all" help:"API key of that server"`
	Model         string        `koanf:"model" help:"model name sent to that server"`
	Dim           int           `koanf:"dim" help:"dimension of the vectors: 256 of the built-in embedder, with embed.url the model's (1 to 65536)"`
	Change        bool          `koanf:"change" help:"start although the index is of another model: until siltstone replay --switch has filled one of this model, answers come by words alone and lack what is new"`
	Batch         int           `koanf:"batch" help:"texts a request"`
	Timeout       time.Duration `koanf:"timeout" help:"time limit of one call for passages; a query has its own"`
	QueryPrefix   string        `koanf:"query_prefix" help:"put before every query, as e5 models want it"`
	PassagePrefix string        `koanf:"passage_prefix" help:"put before every passage"`
	CacheMB       int           `koanf:"cache_mb" help:"MiB of vectors kept in memory"`
	KeepMB        int           `koanf:"keep_mb" help:"with embed.url: MiB of passages' vectors kept beside the log, so that a replay or a lost vector store embeds nothing twice; the oldest go first; 0 keeps none"`
}

// LLM says which language model points out what the rules have missed.
type LLM struct {
	URL          string        `koanf:"url" secret:"url" help:"base URL of an OpenAI-compatible chat server (…/v1); empty: no language model is asked"`
	AllowPrivate bool          `koanf:"allow_private" help:"let a name other than localhost in llm.url resolve to private addresses, as in a container network"`
	Proxy        string        `koanf:"proxy_url" secret:"url" help:"HTTP proxy to that server; empty: none, whatever the environment says"`
	Key          string        `koanf:"key" secret:"all" help:"API key of that server"`
	KeyFile      string        `koanf:"key_file" help:"file with that API key, instead of llm.key"`
	Model        string        `koanf:"model" help:"model name sent to that server"`
	Timeout      time.Duration `koanf:"timeout" help:"time limit of the calls about one text"`
	Parallel     int           `koanf:"parallel" help:"turns that a process asks about at once"`
	MaxInput     int           `koanf:"max_input" help:"bytes of a text that are shown to the model"`
	MaxOutput    int           `koanf:"max_output" help:"tokens that an answer may have"`
	DayCalls     int           `koanf:"day_calls" help:"answered calls for a tenant in a day (UTC, by when a turn was accepted); what is over it is not read by the model; 0: no bound"`
	DayTokens    int           `koanf:"day_tokens" help:"tokens of questions and answers for a tenant in a day; 0: no bound"`
	DayTime      time.Duration `koanf:"day_time" help:"time of calls for a tenant in a day; 0: no bound"`
	Keep         int           `koanf:"keep" help:"answers that are kept beside the log, so that a replay asks nothing twice; the oldest go first"`
}

// Pipeline bounds the workers.
type Pipeline struct {
	Window     int           `koanf:"window" help:"events one stage holds un-acknowledged"`
	Memory     int64         `koanf:"memory" help:"bytes of events worked on at once by all stages of a process; memory in use is about eight times that, and one larger event is always let through, alone"`
	MaxDeliver int           `koanf:"max_deliver" help:"failures before an event goes to the dead letters; outages of what it needs do not count"`
	MaxLag     int64         `koanf:"max_lag" help:"accepted entries that may wait for the pipeline; beyond it new turns are answered 503 with Retry-After; 0: no bound"`
	AckWait    time.Duration `koanf:"ack_wait" help:"silence after which the server gives an event to another worker"`
	Drain      time.Duration `koanf:"drain" help:"time that work in hand gets on shutdown"`
}

// Read is the rollback switch of retrieval.
type Read struct {
	Mode    string        `koanf:"mode" help:"hybrid, or legacy (semantic search alone, no budgets)"`
	Timeout time.Duration `koanf:"timeout" help:"time limit of a query"`
}

// Inject shapes the block.
type Inject struct {
	RenderMode  string `koanf:"render_mode" help:"typed_v2 or flat"`
	TokenBudget int    `koanf:"token_budget" help:"tokens of a block"`
	Constraints int    `koanf:"constraints" help:"most constraints in a block"`
	Preferences int    `koanf:"preferences" help:"most preferences in a block"`
	Todos       int    `koanf:"todos" help:"most to-do hints in a block"`
	Facts       int    `koanf:"facts" help:"most facts and episodes in a block"`
	Total       int    `koanf:"total" help:"most memories in a block"`

	DedupeTTL time.Duration `koanf:"dedupe_ttl" help:"how long after a conversation's last block it is remembered what its blocks held, for queries with dedupe: conversation"`
}

// Retrieval switches injection as a whole.
type Retrieval struct {
	Enabled    bool `koanf:"enabled" help:"false answers every query with an empty block"`
	Concurrent int  `koanf:"concurrent" help:"queries worked on at once; beyond it the answer is an overload error"`
}

// Jieba says where the word dictionaries are unpacked.
type Jieba struct {
	Cache string `koanf:"cache" help:"directory for the unpacked dictionaries; empty: the user's cache directory"`
}

// Log shapes the program's own log. Memory text is never in it.
type Log struct {
	Level  string `koanf:"level" help:"debug, info, warn or error"`
	Format string `koanf:"format" help:"text or json"`
}

// Trace says where spans go. Memory text is never in them.
type Trace struct {
	URL          string  `koanf:"url" secret:"url" help:"OTLP/HTTP endpoint for traces, as http://127.0.0.1:4318; empty: none are made"`
	AllowPrivate bool    `koanf:"allow_private" help:"let a name other than localhost in trace.url resolve to private addresses, as in a container network"`
	Ratio        float64 `koanf:"ratio" help:"share of the traces that begin here, 0 to 1; those begun by a client are followed as it says"`
}

// Default is the configuration of a laptop: everything embedded, loopback only.
func Default() Config {
	return Config{
		Data: "./siltstone-data", Roles: []string{"all"}, Stages: []string{"all"},
		HTTP:      HTTP{Addr: "127.0.0.1:8317", MaxTurn: 16 << 20, MaxBatch: 32 << 20, MaxOpen: 256, MaxConns: 4096, MaxBuffer: 64 << 20, WriteTimeout: 20 * time.Second},
		NATS:      NATS{Replicas: 1, MaxWork: 64 << 20, SyncEach: true},
		Embed:     Embed{Dim: TableDim, Batch: 64, Timeout: 30 * time.Second, CacheMB: 64, KeepMB: 2048},
		LLM:       LLM{Timeout: time.Minute, Parallel: 2, MaxInput: 8000, MaxOutput: 1024, DayCalls: 2000, Keep: 1_000_000},
		Pipeline:  Pipeline{Window: 256, Memory: 16 << 20, MaxDeliver: 8, MaxLag: 1_000_000, AckWait: 30 * time.Second, Drain: 10 * time.Second},
		Read:      Read{Mode: "hybrid", Timeout: 5 * time.Second},
		Inject:    Inject{RenderMode: "typed_v2", TokenBudget: 3000, Constraints: 5, Preferences: 5, Todos: 3, Facts: 5, Total: 18, DedupeTTL: 24 * time.Hour},
		Retrieval: Retrieval{Enabled: true, Concurrent: 64},
		Log:       Log{Level: "info", Format: "text"},
		Trace:     Trace{Ratio: 1},
	}
}

// Names of roles and of what a distiller runs.
var (
	roleNames  = []string{"all", "none", "ingester", "distiller", "retriever"}
	stageNames = []string{"all", "clean", "vectorize", "extract", "distill", "decide", "llm", "forget"}
)

// Has reports whether the process runs role r.
func (c *Config) Has(role string) bool {
	return slices.Contains(c.Roles, "all") || slices.Contains(c.Roles, role)
}

// RunsStage reports whether a distiller runs stage s.
func (c *Config) RunsStage(s string) bool {
	return slices.Contains(c.Stages, "all") || slices.Contains(c.Stages, s)
}

// Validate reports every fault, each naming its key.
func (c *Config) Validate() error { return c.faults().joined() }

// faults are what is wrong with the values, by key.
func (c *Config) faults() faults {
	var found faults
	bad := func(key, format string, args ...any) { found.add(key, format, args...) }
	among := func(key, v string, of ...string) {
		if !slices.Contains(of, v) {
			bad(key, "%q is not one of %s", v, strings.Join(of, ", "))
		}
	}
	atLeast := func(key string, v, min int) {
		if v < min {
			bad(key, "is %d, must be at least %d", v, min)
		}
	}
	if c.Data == "" {
		bad("data", "must not be empty")
	}
	for _, r := range c.Roles {
		among("roles", r, roleNames...)
	}
	for _, s := range c.Stages {
		among("stages", s, stageNames...)
	}
	if len(c.Roles) == 0 || slices.Contains(c.Roles, "none") && len(c.Roles) > 1 {
		bad("roles", "name at least one role; none stands alone")
	}
	c.validateHTTP(bad)
	c.validateServers(bad)
	for key, n := range map[string]int{
		"http.max_open": c.HTTP.MaxOpen, "http.max_conns": c.HTTP.MaxConns, "retrieval.concurrent": c.Retrieval.Concurrent, "pipeline.window": c.Pipeline.Window, "embed.batch": c.Embed.Batch,
	} {
		if n > maxPlaces {
			bad(key, "is %d, must be at most %d", n, maxPlaces)
		}
	}
	for key, n := range map[string]int64{
		"http.max_batch": int64(c.HTTP.MaxBatch), "http.max_buffer": int64(c.HTTP.MaxBuffer), "pipeline.memory": c.Pipeline.Memory,
		"nats.max_work": c.NATS.MaxWork,
	} {
		if n > maxBytes {
			bad(key, "is %d, must be at most %d", n, int64(maxBytes))
		}
	}
	atLeast("nats.replicas", c.NATS.Replicas, 1)
	if c.Embed.URL == "" && c.Embed.Dim != TableDim {
		bad("embed.dim", "is %d, but the built-in embedder has %d dimensions: set embed.url, or leave embed.dim out", c.Embed.Dim, TableDim)
	}
	if c.Embed.URL != "" && (c.Embed.Dim < 1 || c.Embed.Dim > maxDim) {
		bad("embed.dim", "is %d, must lie between 1 and %d", c.Embed.Dim, maxDim)
	}
	atLeast("embed.batch", c.Embed.Batch, 1)
	if c.Embed.URL != "" && c.Embed.Model == "" {
		bad("embed.model", "is required with embed.url")
	}
	c.validateLLM(bad)
	atLeast("pipeline.window", c.Pipeline.Window, 1)
	if c.Pipeline.Memory < 4<<20 {
		bad("pipeline.memory", "is %d, must be at least %d", c.Pipeline.Memory, 4<<20)
	}
	atLeast("pipeline.max_deliver", c.Pipeline.MaxDeliver, 1)
	if c.Pipeline.MaxLag < 0 {
		bad("pipeline.max_lag", "is %d, must not be negative", c.Pipeline.MaxLag)
	}
	if c.Pipeline.AckWait < time.Second {
		bad("pipeline.ack_wait", "is %s, must be at least 1s", c.Pipeline.AckWait)
	}
	if c.Read.Timeout < 50*time.Millisecond {
		bad("read.timeout", "is %s, must be at least 50ms", c.Read.Timeout)
	}
	among("read.mode", c.Read.Mode, "hybrid", "legacy")
	among("inject.render_mode", c.Inject.RenderMode, "typed_v2", "flat")
	atLeast("inject.token_budget", c.Inject.TokenBudget, 1)
	for key, n := range map[string]int{"inject.constraints": c.Inject.Constraints, "inject.preferences": c.Inject.Preferences, "inject.todos": c.Inject.Todos, "inject.facts": c.Inject.Facts, "inject.total": c.Inject.Total} {
		atLeast(key, n, 0)
	}
	if c.Inject.DedupeTTL < time.Second {
		bad("inject.dedupe_ttl", "is %s, must be at least 1s", c.Inject.DedupeTTL)
	}
	atLeast("retrieval.concurrent", c.Retrieval.Concurrent, 1)
	c.validateTools(bad)
	among("log.level", c.Log.Level, "debug", "info", "warn", "error")
	among("log.format", c.Log.Format, "text", "json")
	if u, err := url.Parse(c.Trace.URL); c.Trace.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		bad("trace.url", "is not an http or https URL")
	}
	if !(c.Trace.Ratio >= 0 && c.Trace.Ratio <= 1) { // nor NaN
		bad("trace.ratio", "is %v, must be within 0 and 1", c.Trace.Ratio)
	}
	return found
}

// TableDim is the dimension of the built-in embedder.
const TableDim = 256

// maxDim is the most that the vector store can keep.
const maxDim = 65536

func (c *Config) validateHTTP(bad func(key, format string, args ...any)) {
	if !port(c.HTTP.Addr, 0) {
		bad("http.addr", "%q is not host:port", c.HTTP.Addr)
	} else if !Loopback(c.HTTP.Addr) && !c.HTTP.Insecure && c.HTTP.TLSCert == "" {
		bad("http.addr", "%q is reachable from other machines and there is no TLS: set http.tls_cert and http.tls_key, or bind to loopback, or set http.insecure where something before it has TLS", c.HTTP.Addr)
	}
	if (c.HTTP.TLSCert == "") != (c.HTTP.TLSKey == "") {
		bad("http.tls_key", "http.tls_cert and http.tls_key go together")
	}
	if c.HTTP.MaxTurn < 1 || c.HTTP.MaxBatch < c.HTTP.MaxTurn {
		bad("http.max_batch", "must be at least http.max_turn, and both positive")
	}
	if c.HTTP.MaxOpen < 1 {
		bad("http.max_open", "must be at least 1")
	}
	if c.HTTP.MaxConns < 1 {
		bad("http.max_conns", "must be at least 1")
	}
	if c.HTTP.MaxBuffer/2 < c.HTTP.MaxTurn {
		bad("http.max_buffer", "is %d, must be at least twice http.max_turn", c.HTTP.MaxBuffer)
	}
	if c.HTTP.WriteTimeout < 50*time.Millisecond {
		bad("http.write_timeout", "is %s, must be at least 50ms", c.HTTP.WriteTimeout)
	}
}

// validateTools refuses policies without a name or without effect, and two for one tool: which of them would hold
// must not depend on how they spell its name. Whether their cleaners exist is checked where cleaners are known.
func (c *Config) validateTools(bad func(key, format string, args ...any)) {
	at := map[string]int{}
	for i := range c.Tools {
		p, key := &c.Tools[i], fmt.Sprintf("tools[%d]", i)
		if p.Name == "" {
			bad(key, "has no name")
			continue
		}
		if err := p.Validate(); err != nil {
			bad(key, "%s: %v", p.Name, err)
		}
		k := schema.ToolKey(p.Name)
		if j, twice := at[k]; twice {
			bad(key, "%s is the tool of tools[%d] (%s); give one entry for both", p.Name, j, c.Tools[j].Name)
			continue
		}
		at[k] = i
	}
}

// Loopback reports whether host:port can be reached from this machine alone.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
