package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/outbound"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// OpenAI embeds through a server that speaks OpenAI's embeddings API (POST {base}/embeddings). It is safe for
// concurrent use and blocks until the server has answered, with retries, or ctx has ended.
//
// Errors: what the server says about the input (400, 413, 422) is permanent; everything else, a wrong key or model
// and nonsense in the answer included, is retryable, because an operator's mistake must not cost events.
type OpenAI struct {
	cfg    Config
	url    string
	client *http.Client
	dim    int
}

// maxRetryAfter is the longest wait that a server may ask for within one call; beyond it the call fails and says
// how long to wait.
const maxRetryAfter = 10 * time.Second

func openOpenAI(ctx context.Context, cfg Config) (Embedder, error) {
	o, err := NewOpenAI(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return o, nil
}

// NewOpenAI checks cfg. Where cfg.Dim is 0 it embeds one word to learn the dimension, and blocks for that.
func NewOpenAI(ctx context.Context, cfg Config) (*OpenAI, error) {
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, schema.Invalid("base_url", "must be an http or https URL such as http://127.0.0.1:11434/v1")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, schema.Invalid("base_url", "must hold no credentials, query or fragment")
	}
	if cfg.Model == "" {
		return nil, schema.Invalid("model", "must not be empty")
	}
	if cfg.Dim < 0 || cfg.Dim > 65536 {
		return nil, schema.Invalid("dim", "is %d, must lie between 0 and 65536", cfg.Dim)
	}
	if cfg.Batch <= 0 {
		cfg.Batch = 64
	}
	if cfg.Retries == 0 {
		cfg.Retries = 3
	}
	if cfg.Backoff <= 0 {
		cfg.Backoff = 250 * time.Millisecond
	}
	o := &OpenAI{cfg: cfg, url: strings.TrimRight(cfg.BaseURL, "/") + "/embeddings", dim: cfg.Dim}
	if o.client, err = outbound.NewClient(outbound.Config{URL: cfg.BaseURL, AllowPrivate: cfg.AllowPrivate, Proxy: cfg.Proxy}); err != nil {
		return nil, schema.Invalid("base_url", "%v", err)
	}
	if o.dim == 0 {
		v, err := o.call(ctx, []string{cfg.PassagePrefix + "dimension"})
		if err != nil {
			return nil, fmt.Errorf("ask %s for its dimension: %w", cfg.Model, err)
		}
		o.dim = len(v[0])
	}
	return o, nil
}

// Dim implements [Embedder].
func (o *OpenAI) Dim() int { return o.dim }

// Model implements [Embedder].
func (o *OpenAI) Model() string { return o.cfg.Model }

// Embed implements [Embedder].
func (o *OpenAI) Embed(ctx context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error) {
	prefix := o.cfg.PassagePrefix
	if kind == schema.EmbedQuery {
		prefix = o.cfg.QueryPrefix
	}
	out := make([][]float32, 0, len(texts))
	for at := 0; at < len(texts); at += o.cfg.Batch {
		part := make([]string, 0, o.cfg.Batch)
		for _, t := range texts[at:min(at+o.cfg.Batch, len(texts))] {
			t = prefix + strings.ToValidUTF8(t, "\uFFFD")
			if t == "" {
				t = " " // servers refuse the empty string
			}
			part = append(part, t)
		}
		vs, err := o.call(ctx, part)
		if err != nil {
			return nil, err
		}
		out = append(out, vs...)
	}
	return out, nil
}

// call embeds one batch, trying again as configured.
func (o *OpenAI) call(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(struct {
		Model  string   `json:"model"`
		Input  []string `json:"input"`
		Format string   `json:"encoding_format"`
	}{o.cfg.Model, texts, "float"})
	if err != nil {
		return nil, schema.Permanent(schema.CodeInternal, err, "encode an embedding request")
	}
	wait := o.cfg.Backoff
	for try := 0; ; try++ {
		vs, again, err := o.once(ctx, body, len(texts))
		if err == nil {
			return vs, nil
		}
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		after := schema.RetryAfter(err)
		if !again || try >= o.cfg.Retries || after > maxRetryAfter {
			return nil, err
		}
		pause := max(wait/2+rand.N(wait/2+1), after)
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ended(ctx)
		}
		wait *= 2
	}
}

// ended is the error for a context that is over: both callers that ask errors.Is and those that ask for a code
// learn what happened.
func ended(ctx context.Context) error {
	code := schema.CodeUnavailable
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code = schema.CodeTimeout
	}
	return schema.Retryable(code, 0, ctx.Err(), "embedding did not end in time")
}

// once makes one request; again says whether another soon may succeed.
func (o *OpenAI) once(ctx context.Context, body []byte, n int) (vs [][]float32, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, bytes.NewReader(body))
	if err != nil {
		return nil, false, schema.Permanent(schema.CodeInternal, err, "make an embedding request")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if o.cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+o.cfg.Key)
	}
	resp, err := o.client.Do(req)
	if errors.Is(err, outbound.ErrRefused) { // another try finds the same address, until someone mends it
		return nil, false, schema.Retryable(schema.CodeUnavailable, 0, err, "embedding server not reached: see embed.allow_private")
	}
	if err != nil {
		return nil, true, schema.Retryable(schema.CodeUnavailable, 0, err, "embedding server not reached")
	}
	defer resp.Body.Close()
	limit := int64(n)*65536*24 + 1<<20
	if o.dim > 0 {
		limit = int64(n)*int64(o.dim)*32 + 1<<20
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, true, schema.Retryable(schema.CodeUnavailable, 0, err, "embedding server broke off its answer")
	}
	if int64(len(b)) > limit {
		return nil, false, schema.Retryable(schema.CodeUnavailable, 0, nil, "embedding server answered more than %d bytes", limit)
	}
	if resp.StatusCode != http.StatusOK {
		again, err := refusal(resp, b)
		return nil, again, err
	}
	vs, err = o.vectors(b, n)
	return vs, false, err
}

var token = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// refusal makes an error of a status. The body is not quoted: servers echo the input.
func refusal(resp *http.Response, body []byte) (again bool, err error) {
	reason := ""
	var e struct {
		Error struct {
			Type string `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &e) == nil && token.MatchString(e.Error.Type) {
		reason = " (" + e.Error.Type + ")"
	}
	after := retryAfter(resp.Header.Get("Retry-After"))
	switch s := resp.StatusCode; {
	case s == http.StatusTooManyRequests:
		return true, schema.Retryable(schema.CodeOverloaded, after, nil, "embedding server answered %d%s", s, reason)
	case s >= 500 || s == http.StatusRequestTimeout:
		return true, schema.Retryable(schema.CodeUnavailable, after, nil, "embedding server answered %d%s", s, reason)
	case s == http.StatusBadRequest || s == http.StatusRequestEntityTooLarge || s == http.StatusUnprocessableEntity:
		return false, schema.Permanent(schema.CodeInvalid, nil, "embedding server refused the input with %d%s", s, reason)
	case s >= 300 && s < 400:
		return false, schema.Retryable(schema.CodeUnavailable, 0, nil, "embedding server answered %d; redirects are not followed", s)
	default: // 401, 403, 404, …: key, path or model are set wrongly
		return false, schema.Retryable(schema.CodeUnavailable, after, nil, "embedding server answered %d%s: check base URL, key and model", s, reason)
	}
}

// retryAfter reads the header: seconds or a date (RFC 9110, 10.2.3); 0 where there is none.
func retryAfter(h string) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(h)); err == nil && n > 0 {
		return time.Duration(min(n, 86400)) * time.Second
	}
	if at, err := http.ParseTime(h); err == nil {
		return min(max(time.Until(at), 0), 24*time.Hour)
	}
	return 0
}

// vectors reads the answer: as many as were asked, each index once, in any order, of one dimension, finite and not
// zero; they are scaled to unit length.
func (o *OpenAI) vectors(b []byte, n int) ([][]float32, error) {
	bad := func(format string, args ...any) error {
		return schema.Retryable(schema.CodeUnavailable, 0, nil, "embedding server: "+format, args...)
	}
	var r struct {
		Data []struct {
			Index     *int       `json:"index"`
			Embedding []*float64 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, bad("the answer is not the JSON expected")
	}
	if len(r.Data) != n {
		return nil, bad("%d vectors for %d texts", len(r.Data), n)
	}
	out := make([][]float32, n)
	for k, d := range r.Data {
		i := k
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= n || out[i] != nil {
			return nil, bad("index %d is out of range or stands twice", i)
		}
		if len(d.Embedding) == 0 || o.dim > 0 && len(d.Embedding) != o.dim {
			return nil, bad("a vector of %d dimensions instead of %d", len(d.Embedding), o.dim)
		}
		v := make([]float32, len(d.Embedding))
		norm := 0.0
		for _, x := range d.Embedding {
			if x == nil || math.IsNaN(*x) || math.Abs(*x) > math.MaxFloat32 { // JSON null is how some write NaN
				return nil, bad("a vector holds a number that is not finite")
			}
			norm += *x * *x
		}
		if norm < 1e-20 || math.IsInf(norm, 0) {
			return nil, bad("a vector without length")
		}
		norm = math.Sqrt(norm)
		for j, x := range d.Embedding {
			v[j] = float32(*x / norm)
		}
		out[i] = v
	}
	return out, nil
}
