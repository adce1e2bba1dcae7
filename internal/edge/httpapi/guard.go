package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

type ctxKey struct{}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(ctxKey{}).(string)
	return id
}

// guard wraps the routes in what every request passes, outermost first: a request id, recovery, the Host
// allow-list, the cross-origin check, the bound on open requests, and the body limit.
func (s *server) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	open := make(chan struct{}, s.MaxOpen)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.hostAllowed(r.Host) {
			s.fail(w, r, &schema.Error{Code: schema.CodeDenied, Field: "Host", Message: "this server does not answer to that host name; add it to http.hosts"})
			return
		}
		if err := cross.Check(r); err != nil {
			s.fail(w, r, &schema.Error{Code: schema.CodeDenied, Field: "Origin", Message: "requests from other origins are refused"})
			return
		}
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			select {
			case open <- struct{}{}:
				defer func() { <-open }()
			default:
				s.fail(w, r, schema.Retryable(schema.CodeOverloaded, 0, nil, "too many requests are open; try again"))
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, int64(s.MaxBatch))
		next.ServeHTTP(w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails since Go 1.24
		id := hex.EncodeToString(b[:])
		r = r.WithContext(context.WithValue(r.Context(), ctxKey{}, id))
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.Logger.LogAttrs(r.Context(), slog.LevelError, "request panicked", slog.String(obs.KeyRequest, id), slog.String("stack", string(debug.Stack())))
				s.fail(w, r, &schema.Error{Code: schema.CodeInternal, Message: "a fault on our side; the log names it under this request id"})
			}
		}()
		h.ServeHTTP(w, r)
	})
}

// hostAllowed keeps DNS rebinding out: a page that resolves its own name to this machine still sends that name.
func (s *server) hostAllowed(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if name == "localhost" || slices.Contains(s.Hosts, name) {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && (ip.IsLoopback() || name == s.bindHost())
}

func (s *server) bindHost() string {
	h, _, _ := net.SplitHostPort(s.Addr)
	return h
}

// tenant is whose memory a request speaks of. Without credentials, on loopback, the header names it.
func tenant(r *http.Request) (string, error) {
	t := r.Header.Get("X-Silt-Tenant")
	if t == "" {
		return "default", nil
	}
	return t, schema.CheckTenant(t)
}
