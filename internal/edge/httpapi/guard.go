package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

type ctxKey struct{}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(ctxKey{}).(string)
	return id
}

// guard wraps the routes in what every request passes, outermost first: a request id, recovery, the Host
// allow-list and the cross-origin check. What follows depends on the route: see handler.
func (s *server) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.hostAllowed(r) {
			s.fail(w, r, &schema.Error{Code: schema.CodeDenied, Field: "Host", Message: "this server does not answer to that host name; add it to http.hosts"})
			return
		}
		if err := cross.Check(r); err != nil {
			s.fail(w, r, &schema.Error{Code: schema.CodeDenied, Field: "Origin", Message: "requests from other origins are refused"})
			return
		}
		next.ServeHTTP(w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := newRequestID(r)
		r = r.WithContext(context.WithValue(r.Context(), ctxKey{}, id))
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		defer func() {
			if p := recover(); p != nil {
				c, _ := p.(*crash)
				if p == http.ErrAbortHandler || c != nil && c.value == http.ErrAbortHandler {
					panic(http.ErrAbortHandler)
				}
				if c == nil {
					c = newCrash(p)
				}
				s.crashed(r.Context(), c)
				s.fail(w, r, &schema.Error{Code: schema.CodeInternal, Message: "a fault on our side; the log names it under this request id"})
			}
		}()
		h.ServeHTTP(w, r)
	})
}

// maxRequestID is the longest request id in bytes that a client may give.
const maxRequestID = 128

// newRequestID is the id that the client gave, where it is one that may stand in a log line, else a new one.
func newRequestID(r *http.Request) string {
	if h := r.Header.Values("X-Request-Id"); len(h) == 1 && h[0] != "" && len(h[0]) <= maxRequestID {
		if !strings.ContainsFunc(h[0], func(c rune) bool { return c <= ' ' || c > '~' }) {
			return h[0]
		}
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}
