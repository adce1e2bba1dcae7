package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"runtime/debug"
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
		if !s.hostAllowed(r) {
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
