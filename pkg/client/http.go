package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// HTTP talks to the HTTP edge. Safe for concurrent use.
type HTTP struct {
	base   string
	tenant string
	token  secret
	plain  bool // the token may travel in the clear
	hc     *http.Client
}

// secret is what no %v shows.
type secret string

func (secret) String() string   { return "(secret)" }
func (secret) GoString() string { return "(secret)" }

// WithToken presents a token with every request; the tenant is the token's then, and [WithTenant] is superfluous.
func WithToken(token string) HTTPOption {
	return httpOption(func(h *HTTP) error {
		if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return schema.Invalid("token", "must be printable and without spaces") // and is not shown
		}
		h.token = secret(token)
		return nil
	})
}

// AllowPlainHTTP lets a token travel over plain http to another machine, where whoever is on the way can read and use
// it: in a network that is closed to others, or where something below encrypts. Without it [NewHTTP] refuses.
func AllowPlainHTTP() HTTPOption {
	return httpOption(func(h *HTTP) error { h.plain = true; return nil })
}

// HTTPOption changes one thing of an HTTP client.
type HTTPOption interface{ applyHTTP(*HTTP) error }

type httpOption func(*HTTP) error

func (o httpOption) applyHTTP(h *HTTP) error { return o(h) }

// WithHTTPClient sets the transport and its time limit; without it a request, the sending of its body included, ends
// after 60 s, and no redirect is followed.
func WithHTTPClient(hc *http.Client) HTTPOption {
	return httpOption(func(h *HTTP) error {
		if hc == nil {
			return schema.Invalid("client", "must not be nil")
		}
		h.hc = hc
		return nil
	})
}

// NewHTTP returns a client of the server at base, such as http://127.0.0.1:8317. It does not connect. A token for an http
// address beyond this machine is an error, see [AllowPlainHTTP].
func NewHTTP(base string, opts ...HTTPOption) (*HTTP, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, schema.Invalid("base", "%q is not an http:// or https:// address", base)
	}
	h := &HTTP{base: strings.TrimRight(base, "/"), hc: &http.Client{Timeout: 60 * time.Second, CheckRedirect: stay}}
	for _, o := range opts {
		if err := o.applyHTTP(h); err != nil {
			return nil, fmt.Errorf("new HTTP client: %w", err)
		}
	}
	if h.token != "" && !h.plain && u.Scheme == "http" && !thisMachine(u.Hostname()) {
		return nil, schema.Invalid("base", "a token would travel to %s in the clear; use https, or allow plain HTTP where the network is safe", u.Host)
	}
	return h, nil
}

// thisMachine reports whether host, as it is written, cannot lead anywhere else.
func thisMachine(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost") // RFC 6761, 6.3
}

// stay follows no redirect: it would carry texts, and a token, to a server that nobody chose.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Publish offers one turn and returns once the log has it. Where the turn has no id the server draws one, and then
// a second try is a second event: give ids to be able to repeat.
func (h *HTTP) Publish(ctx context.Context, t schema.Turn, opts ...WriteOption) (schema.Accepted, error) {
	raw, err := encode(t)
	if err != nil {
		return schema.Accepted{}, fmt.Errorf("encode turn: %w", err)
	}
	return h.PublishRaw(ctx, raw, opts...)
}

// PublishRaw offers one turn as JSON; those bytes are what the raw layer keeps.
func (h *HTTP) PublishRaw(ctx context.Context, raw []byte, opts ...WriteOption) (out schema.Accepted, err error) {
	err = h.do(ctx, http.MethodPost, writePath("/v1/events", opts), "application/json", bytes.NewReader(raw), &out)
	return out, err
}

// PublishBatch offers many turns as NDJSON, sent while r is read, until its end. Bad lines are in Rejected, by their
// number from 1, and touch no others. On an error some lines may be in the log: with ids the same batch can be sent
// again.
func (h *HTTP) PublishBatch(ctx context.Context, r io.Reader, opts ...WriteOption) (out schema.BatchReply, err error) {
	err = h.do(ctx, http.MethodPost, writePath("/v1/events", opts), "application/x-ndjson", r, &out)
	return out, err
}

// Query asks a user's memory.
func (h *HTTP) Query(ctx context.Context, q schema.Query) (out schema.Reply, err error) {
	err = h.send(ctx, http.MethodPost, "/v1/query", q, &out)
	return out, err
}

// Memories is one page of a user's memories; ask again with the page's cursor until it is empty.
func (h *HTTP) Memories(ctx context.Context, q schema.MemoryQuery) (out schema.MemoryPage, err error) {
	v := url.Values{}
	for k, s := range map[string]string{"user": q.User, "status": q.Status, "type": string(q.Type), "kind": string(q.Kind), "q": q.Text, "cursor": q.Cursor} {
		if s != "" {
			v.Set(k, s)
		}
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	err = h.get(ctx, "/v1/memories?"+v.Encode(), &out)
	return out, err
}

// Memory is one memory of a user, with its history and the events that state it.
func (h *HTTP) Memory(ctx context.Context, user, id string) (out schema.MemoryView, err error) {
	err = h.get(ctx, memoryPath("memories", user, id), &out)
	return out, err
}

// Remember states a memory outright. With an ID the same write can be sent again. The answer's ID is the memory's.
func (h *HTTP) Remember(ctx context.Context, w schema.MemoryWrite, opts ...WriteOption) (out schema.Written, err error) {
	err = h.send(ctx, http.MethodPost, writePath("/v1/memories", opts), w, &out)
	return out, err
}

// EditMemory changes a memory of a user: what the patch leaves out stays. The old statement is kept as history; the
// answer's ID is that of the new one, and either of them goes on naming the memory.
func (h *HTTP) EditMemory(ctx context.Context, user, id string, p schema.MemoryPatch, opts ...WriteOption) (out schema.Written, err error) {
	err = h.send(ctx, http.MethodPatch, writePath(memoryPath("memories", user, id), opts), p, &out)
	return out, err
}

// DeleteMemory takes a memory back, with its edits. The turn that it was read from stays; see Forget.
func (h *HTTP) DeleteMemory(ctx context.Context, user, id string, opts ...WriteOption) (out schema.Written, err error) {
	err = h.do(ctx, http.MethodDelete, writePath(memoryPath("memories", user, id), opts), "", nil, &out)
	return out, err
}

// Pins are a user's pinned memories.
func (h *HTTP) Pins(ctx context.Context, user string) ([]schema.Item, error) {
	var out schema.PinList
	err := h.get(ctx, "/v1/pins?user="+url.QueryEscape(user), &out)
	return out.Pins, err
}

// Pin states a memory that goes into every block. With an ID the same pin can be sent again. The answer's ID is the
// memory's.
func (h *HTTP) Pin(ctx context.Context, p schema.Pin, opts ...WriteOption) (out schema.Written, err error) {
	err = h.send(ctx, http.MethodPost, writePath("/v1/pins", opts), p, &out)
	return out, err
}

// Unpin takes a pin back: what was stated as one goes, and so does a rule, any other memory only stops being pinned.
func (h *HTTP) Unpin(ctx context.Context, user, id string, opts ...WriteOption) (out schema.Written, err error) {
	err = h.do(ctx, http.MethodDelete, writePath(memoryPath("pins", user, id), opts), "", nil, &out)
	return out, err
}

// writePath is the path of a write with what its options say.
func writePath(path string, opts []WriteOption) string {
	if !writeOf(opts).wait {
		return path
	}
	if strings.Contains(path, "?") {
		return path + "&wait=indexed"
	}
	return path + "?wait=indexed"
}

func memoryPath(of, user, id string) string {
	return "/v1/" + of + "/" + url.PathEscape(id) + "?user=" + url.QueryEscape(user)
}

// Forget makes a user's turns and memories go; with DryRun it only says what would.
func (h *HTTP) Forget(ctx context.Context, f schema.Forget) (out schema.ForgetReply, err error) {
	err = h.send(ctx, http.MethodPost, "/v1/forget", f, &out)
	return out, err
}

// Archive prunes turns of a user, of each of which the index keeps a document; with DryRun it only says which.
func (h *HTTP) Archive(ctx context.Context, a schema.Archive) (out schema.ArchiveReply, err error) {
	err = h.send(ctx, http.MethodPost, "/v1/archive", a, &out)
	return out, err
}

// Status tells how far the pipeline is for the tenant.
func (h *HTTP) Status(ctx context.Context) (out schema.StatusReply, err error) {
	err = h.get(ctx, "/v1/status", &out)
	return out, err
}

// Event is an event's bytes as published.
func (h *HTTP) Event(ctx context.Context, id string) ([]byte, error) {
	return h.bytes(ctx, http.MethodGet, "/v1/events/"+url.PathEscape(id), "", nil)
}

// EventStatus is what became of an event, stage by stage; with computed, what was derived from it too.
func (h *HTTP) EventStatus(ctx context.Context, id string, computed bool) (out schema.EventStatus, err error) {
	err = h.get(ctx, "/v1/events/"+url.PathEscape(id)+"/status?computed="+strconv.FormatBool(computed), &out)
	return out, err
}

// Tools lists the tool policies that hold.
func (h *HTTP) Tools(ctx context.Context) ([]schema.ToolDef, error) {
	var out struct{ Tools []schema.ToolDef }
	err := h.get(ctx, "/v1/tools", &out)
	return out.Tools, err
}

// SetTool changes a tool's policy and returns what holds then.
func (h *HTTP) SetTool(ctx context.Context, p schema.ToolPolicy) (out schema.ToolDef, err error) {
	err = h.send(ctx, http.MethodPut, "/v1/tools/"+url.PathEscape(p.Name), p, &out)
	return out, err
}

// SetSettings replaces what a user has switched.
func (h *HTTP) SetSettings(ctx context.Context, user string, s schema.Settings) error {
	var out schema.Settings
	return h.send(ctx, http.MethodPut, "/v1/settings?user="+url.QueryEscape(user), s, &out)
}

// Settings is what a user has switched.
func (h *HTTP) Settings(ctx context.Context, user string) (out schema.Settings, err error) {
	err = h.get(ctx, "/v1/settings?user="+url.QueryEscape(user), &out)
	return out, err
}

func (h *HTTP) get(ctx context.Context, path string, out any) error {
	return h.do(ctx, http.MethodGet, path, "", nil, out)
}

func (h *HTTP) send(ctx context.Context, method, path string, in, out any) error {
	b, err := encode(in)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	return h.do(ctx, method, path, "application/json", bytes.NewReader(b), out)
}

func (h *HTTP) do(ctx context.Context, method, path, ctype string, body io.Reader, out any) error {
	b, err := h.bytes(ctx, method, path, ctype, body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, out); err != nil {
		return schema.Permanent(schema.CodeInternal, err, "%s answers %s %s with something else than the JSON expected", h.base, method, route(path))
	}
	return nil
}

// bytes is the whole body of a good answer.
func (h *HTTP) bytes(ctx context.Context, method, path, ctype string, body io.Reader) ([]byte, error) {
	res, err := h.request(ctx, method, path, ctype, body)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, h.broken(ctx, method, path, err)
	}
	return b, nil
}

// request sends and turns an error answer into a schema.Error.
func (h *HTTP) request(ctx context.Context, method, path, ctype string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	if ctype != "" {
		req.Header.Set("Content-Type", ctype)
	}
	if h.tenant != "" {
		req.Header.Set("X-Silt-Tenant", h.tenant)
	}
	if h.token != "" {
		req.Header.Set("Authorization", "Bearer "+string(h.token))
	}
	res, err := h.hc.Do(req)
	if err != nil {
		return nil, h.broken(ctx, method, path, err)
	}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	var e schema.ErrorReply
	after := retryAfter(res.Header.Get("Retry-After"))
	b, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(b, &e)
	}
	if err != nil || e.Error.Code == "" {
		if strings.Contains(string(b), "HTTP request to an HTTPS server") { // how Go's server answers below TLS
			return nil, schema.Invalid("base", "%s serves TLS; use https", h.base)
		}
		// Not an answer of Siltstone's: a proxy before it, or another server.
		return nil, answered(schema.WireError{Code: codeOf(res.StatusCode), Message: method + " " + route(path) + " answered " + res.Status}, after)
	}
	return nil, answered(e.Error, after)
}

// broken is a request without a whole answer. Where the caller gave up it is the caller's own error.
func (h *HTTP) broken(ctx context.Context, method, path string, err error) error {
	var t interface{ Timeout() bool }
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("%s %s: %w", method, route(path), context.Canceled)
	case errors.As(err, &t) && t.Timeout():
		return schema.Retryable(schema.CodeTimeout, 0, err, "no answer from %s within the time limit", h.base)
	}
	return schema.Retryable(schema.CodeUnavailable, time.Second, err, "no answer from %s", h.base)
}

// route is path without its query, which may hold what was searched for.
func route(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return path
}

// retryAfter reads the header, in seconds or as a date; 0 for none.
func retryAfter(v string) time.Duration {
	if n, err := strconv.Atoi(v); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
