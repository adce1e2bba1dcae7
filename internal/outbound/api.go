package outbound

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// APIConfig describes a server that takes JSON and answers with it, as OpenAI's do.
type APIConfig struct {
	Config               // URL up to and with /v1, without query or fragment
	Name   string        // of the server, as errors call it: "embedding server"
	Leave  string        // the setting that allows private addresses, which errors point to: "embed.allow_private"
	Key    string        // bearer token, "" for none
	Tries  int           // further tries after 429, 5xx or a broken connection; 0 takes 3, negative for none
	Pause  time.Duration // first wait, doubled each time, of which up to half is drawn at random; 0 takes 250 ms
}

// API posts to such a server. It is safe for concurrent use.
//
// Errors are [schema.Error]: what the server says about the input (400, 413, 422) is permanent; everything else, a wrong
// key or model included, is retryable, because an operator's mistake must not cost events. No body is ever quoted:
// servers echo what they were sent.
type API struct {
	cfg    APIConfig
	base   string
	client *http.Client
}

// maxRetryAfter is the longest wait that a server may ask for within one call; beyond it the call fails and says
// how long to wait.
const maxRetryAfter = 10 * time.Second

// NewAPI checks cfg. It reaches for nothing yet.
func NewAPI(cfg APIConfig) (*API, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, schema.Invalid("base_url", "must be an http or https URL such as http://127.0.0.1:11434/v1")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, schema.Invalid("base_url", "must hold no credentials, query or fragment")
	}
	if cfg.Tries == 0 {
		cfg.Tries = 3
	}
	if cfg.Pause <= 0 {
		cfg.Pause = 250 * time.Millisecond
	}
	client, err := NewClient(cfg.Config)
	if err != nil {
		return nil, schema.Invalid("base_url", "%v", err)
	}
	return &API{cfg: cfg, base: strings.TrimRight(cfg.URL, "/"), client: client}, nil
}

// Post sends body to a path below the base and returns the answer's body of at most limit bytes, trying again as
// configured. It blocks until then or until ctx ends.
func (a *API) Post(ctx context.Context, path string, body any, limit int64) ([]byte, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, schema.Permanent(schema.CodeInternal, err, "encode a request to the %s", a.cfg.Name)
	}
	wait := a.cfg.Pause
	for try := 0; ; try++ {
		out, again, err := a.once(ctx, path, b, limit)
		if err == nil {
			return out, nil
		}
		if ctx.Err() != nil {
			return nil, Ended(ctx, "the "+a.cfg.Name)
		}
		after := schema.RetryAfter(err)
		if !again || try >= a.cfg.Tries || after > maxRetryAfter {
			return nil, err
		}
		timer := time.NewTimer(max(wait/2+rand.N(wait/2+1), after))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, Ended(ctx, "the "+a.cfg.Name)
		}
		wait *= 2
	}
}

// Bad is the error for an answer that is not what was asked for.
func (a *API) Bad(format string, args ...any) error {
	return schema.Retryable(schema.CodeUnavailable, 0, nil, a.cfg.Name+": "+format, args...)
}

// Ended is the error for a context that is over: both callers that ask errors.Is and those that ask for a code
// learn what happened.
func Ended(ctx context.Context, what string) error {
	code := schema.CodeUnavailable
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code = schema.CodeTimeout
	}
	return schema.Retryable(code, 0, ctx.Err(), "%s did not end in time", what)
}

// once makes one request; again says whether another soon may succeed.
func (a *API) once(ctx context.Context, path string, body []byte, limit int64) (out []byte, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, false, schema.Permanent(schema.CodeInternal, err, "make a request to the %s", a.cfg.Name)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if a.cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+a.cfg.Key)
	}
	resp, err := a.client.Do(req)
	if errors.Is(err, ErrRefused) { // another try finds the same address, until someone mends it
		return nil, false, schema.Retryable(schema.CodeUnavailable, 0, err, "%s not reached: see %s", a.cfg.Name, a.cfg.Leave)
	}
	if err != nil {
		return nil, true, schema.Retryable(schema.CodeUnavailable, 0, err, "%s not reached", a.cfg.Name)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, true, schema.Retryable(schema.CodeUnavailable, 0, err, "%s broke off its answer", a.cfg.Name)
	}
	if int64(len(b)) > limit {
		return nil, false, schema.Retryable(schema.CodeUnavailable, 0, nil, "%s answered more than %d bytes", a.cfg.Name, limit)
	}
	if resp.StatusCode != http.StatusOK {
		again, err := a.refusal(resp, b)
		return nil, again, err
	}
	return b, false, nil
}

var errorType = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// refusal makes an error of a status. The body is not quoted: servers echo the input.
func (a *API) refusal(resp *http.Response, body []byte) (again bool, err error) {
	reason := ""
	var e struct {
		Error struct {
			Type string `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &e) == nil && errorType.MatchString(e.Error.Type) {
		reason = " (" + e.Error.Type + ")"
	}
	after := retryAfter(resp.Header.Get("Retry-After"))
	switch s := resp.StatusCode; {
	case s == http.StatusTooManyRequests:
		return true, schema.Retryable(schema.CodeOverloaded, after, nil, "%s answered %d%s", a.cfg.Name, s, reason)
	case s >= 500 || s == http.StatusRequestTimeout:
		return true, schema.Retryable(schema.CodeUnavailable, after, nil, "%s answered %d%s", a.cfg.Name, s, reason)
	case s == http.StatusBadRequest || s == http.StatusRequestEntityTooLarge || s == http.StatusUnprocessableEntity:
		return false, schema.Permanent(schema.CodeInvalid, nil, "%s refused the input with %d%s", a.cfg.Name, s, reason)
	case s >= 300 && s < 400:
		return false, schema.Retryable(schema.CodeUnavailable, 0, nil, "%s answered %d; redirects are not followed", a.cfg.Name, s)
	default: // 401, 403, 404, …: key, path or model are set wrongly
		return false, schema.Retryable(schema.CodeUnavailable, after, nil, "%s answered %d%s: check base URL, key and model", a.cfg.Name, s, reason)
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
