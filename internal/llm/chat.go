package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/siltstone-ai/siltstone/internal/outbound"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Config of a model.
type Config struct {
	BaseURL      string // up to and with /v1
	AllowPrivate bool   // names other than localhost may resolve to private addresses; see internal/outbound
	Proxy        string // URL of an HTTP proxy, "" for none
	Key          string // bearer token, "" for none
	Model        string // as the server knows it

	Predicates []Predicate   // the vocabulary
	MaxInput   int           // bytes of a text that are shown to the model, default 8000
	MaxOutput  int           // tokens that it may answer with, default 1024
	Tries      int           // further tries after 429, 5xx or a broken connection, default 3, negative for none
	Pause      time.Duration // first wait between tries, default 250 ms
	Told       func(Call)    // told of every call, once it is over; nil for nobody
}

// Predicate is a word of the vocabulary that the model may state with, and what it means.
type Predicate struct{ Name, Means string }

// Usage is what calls cost.
type Usage struct {
	Calls  int           `json:"calls"`  // that were answered, well or badly
	Tokens int           `json:"tokens"` // of questions and answers, as the server counts them, else estimated at three bytes each
	Took   time.Duration `json:"took"`
}

// Call is one call as it went.
type Call struct {
	Usage
	Outcome string // "answered", "malformed" or "failed"; of a text that nobody was asked about "kept" or "over_budget"
}

// Chat asks a model. It is safe for concurrent use.
type Chat struct {
	cfg    Config
	api    *outbound.API
	system string
	form   atomic.Int32 // index in forms of the strictest form that the server takes, as far as is known
}

// maxAnswer bounds the bytes of an answer: tokens are a few bytes, and JSON escapes may take six for one.
const maxAnswer = 256 << 10

// New checks cfg and calls nobody.
func New(cfg Config) (*Chat, error) {
	switch {
	case cfg.Model == "":
		return nil, schema.Invalid("model", "must not be empty")
	case len(cfg.Predicates) == 0:
		return nil, schema.Invalid("predicates", "must not be empty")
	}
	if cfg.MaxInput <= 0 {
		cfg.MaxInput = 8000
	}
	if cfg.MaxOutput <= 0 {
		cfg.MaxOutput = 1024
	}
	if cfg.Told == nil {
		cfg.Told = func(Call) {}
	}
	api, err := outbound.NewAPI(outbound.APIConfig{
		Config: outbound.Config{URL: cfg.BaseURL, AllowPrivate: cfg.AllowPrivate, Proxy: cfg.Proxy},
		Name:   "language model", Leave: "llm.allow_private", Key: cfg.Key, Tries: cfg.Tries, Pause: cfg.Pause,
	})
	if err != nil {
		return nil, err
	}
	return &Chat{cfg: cfg, api: api, system: instructions(cfg.Predicates)}, nil
}

// Model is the name of the model.
func (c *Chat) Model() string { return c.cfg.Model }

// Asked tells what is asked about text from what was ever asked otherwise: of another model, in other words, with another
// vocabulary, for another form, or about more or less of the text than is shown to the model. It is letters and digits.
func (c *Chat) Asked(text string) string {
	h := sha256.New()
	for _, part := range [...]string{c.cfg.Model, c.system, answerSchema, question(c.shown(text))} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// shown is what of text the model gets to see.
func (c *Chat) shown(text string) string {
	return shorten(strings.ToValidUTF8(text, "\uFFFD"), c.cfg.MaxInput)
}

// Read asks once what text states, and blocks until it knows or ctx ends. Usage is what the answer cost, beside an error too;
// where none came, it is nothing. Errors are those of [outbound.API]; an answer that is no answer is
// [schema.CodeInternal], retryable.
func (c *Chat) Read(ctx context.Context, text string) ([]schema.Reading, Usage, error) {
	began := time.Now()
	readings, tokens, err := c.ask(ctx, c.shown(text))
	u := Usage{1, tokens, time.Since(began)}
	switch {
	case err == nil:
		c.cfg.Told(Call{u, "answered"})
	case malformed(err):
		c.cfg.Told(Call{u, "malformed"})
	default:
		c.cfg.Told(Call{u, "failed"})
		return nil, Usage{}, err
	}
	return readings, u, err
}

// forms are the ways to ask for JSON, the strictest first. A server that does not know one refuses the request.
var forms = []json.RawMessage{
	json.RawMessage(`{"type":"json_schema","json_schema":{"name":"statements","strict":true,"schema":` + answerSchema + `}}`),
	json.RawMessage(`{"type":"json_object"}`),
	nil,
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ask makes one call. Where the server refuses the form of the answer, it is asked for a looser one, which holds from then on.
func (c *Chat) ask(ctx context.Context, text string) ([]schema.Reading, int, error) {
	first := c.form.Load()
	for form := first; ; form++ {
		b, err := c.api.Post(ctx, "/chat/completions", struct {
			Model       string          `json:"model"`
			Messages    []message       `json:"messages"`
			Temperature float64         `json:"temperature"`
			MaxTokens   int             `json:"max_tokens"`
			Form        json.RawMessage `json:"response_format,omitempty"`
		}{c.cfg.Model, []message{{"system", c.system}, {"user", question(text)}}, 0, c.cfg.MaxOutput, forms[form]}, maxAnswer)
		if err != nil {
			if schema.CodeOf(err) == schema.CodeInvalid && int(form) < len(forms)-1 {
				continue // it may be the form that is refused
			}
			return nil, 0, err
		}
		if form > first {
			c.form.CompareAndSwap(first, form)
		}
		return c.answer(b, text)
	}
}
