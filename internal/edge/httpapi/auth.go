package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Principal is who stands behind a request.
type Principal struct {
	Token  string // id of the token, to be logged
	Tenant string
	Scopes []schema.Scope
}

// May reports whether the principal may do what needs scope s.
func (p *Principal) May(s schema.Scope) bool { return slices.Contains(p.Scopes, s) }

// Authenticator tells who presents a token.
type Authenticator interface {
	// Authenticate is asked for every request to a route that has a scope, token being "" where the request has none.
	// needed is false where the server has no tokens and the request brought none. Beside an error (unauthenticated,
	// rate_limited, unavailable) the principal holds the id that was claimed, if any.
	Authenticate(remote, token string) (p Principal, needed bool, err error)
}

// HeaderTenant names whose memory a request speaks of, where no credential does.
const HeaderTenant = "X-Silt-Tenant"

type principalKey struct{}

// principal is who was let in, nil where no credential is needed.
func principal(r *http.Request) *Principal {
	p, _ := r.Context().Value(principalKey{}).(*Principal)
	return p
}

// only lets those through to next, a route, who may have it. A route without a scope is open.
func (s *server) only(rt route, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if rt.scope == "" {
			next(w, r)
			return
		}
		p, err := s.authenticate(r)
		if err == nil && p != nil {
			need := rt.scope
			if also := rt.also(); also != "" && !p.May(need) && p.May(also) {
				need = also
			}
			err = permit(r, p, need)
		}
		if err != nil {
			s.refuse(w, r, p, rt.scope, err)
			return
		}
		if p != nil {
			r = r.WithContext(context.WithValue(r.Context(), principalKey{}, p))
		}
		next(w, r)
	}
}

// authenticate finds out who asks: nil for someone unknown, where no credential is needed.
func (s *server) authenticate(r *http.Request) (*Principal, error) {
	if s.Auth == nil {
		return nil, nil
	}
	token, err := bearer(r)
	if err != nil {
		return nil, err
	}
	p, needed, err := s.Auth.Authenticate(r.RemoteAddr, token)
	switch {
	case err != nil:
		return &p, err
	case !needed:
		return nil, nil
	}
	return &p, nil
}

// bearer is the token of a request, "" for none. It is read from the header alone: addresses end up in logs.
func bearer(r *http.Request) (string, error) {
	vs := r.Header.Values("Authorization")
	if len(vs) == 0 {
		return "", nil
	}
	scheme, token, _ := strings.Cut(vs[0], " ")
	token = strings.TrimSpace(token)
	if len(vs) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", &schema.Error{Code: schema.CodeUnauthenticated, Field: "Authorization", Message: "must be one header, Bearer and a token"}
	}
	return token, nil
}

// permit checks what the credential allows: the scope, and its own tenant only.
func permit(r *http.Request, p *Principal, need schema.Scope) error {
	for _, t := range r.Header.Values(HeaderTenant) {
		if t == "" {
			return emptyTenant()
		}
		if t != p.Tenant {
			return &schema.Error{Code: schema.CodeDenied, Field: HeaderTenant, Message: "the token is not of that tenant; leave the header out"}
		}
	}
	if !p.May(need) {
		return &schema.Error{Code: schema.CodeDenied, Field: "Authorization", Message: "the token lacks the scope " + strconv.Quote(string(need))}
	}
	return nil
}

// emptyTenant refuses the header without a name, which is what a variable that nobody set leaves of it: taken for none
// it would write into the memory of another tenant than was meant.
func emptyTenant() error {
	return schema.Invalid(HeaderTenant, "is empty: name a tenant, or leave the header out")
}

// refuse answers who is not let in, and notes it, but for attempts that are over the limit: they would fill the log.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, p *Principal, need schema.Scope, err error) {
	code := schema.CodeOf(err)
	challenge := `Bearer realm="siltstone"`
	switch {
	case code == schema.CodeUnauthenticated && r.Header.Get("Authorization") != "":
		challenge += `, error="invalid_token"`
	case code == schema.CodeDenied:
		challenge += `, error="insufficient_scope", scope="` + string(need) + `"`
	}
	if code == schema.CodeUnauthenticated || code == schema.CodeDenied {
		w.Header().Set("WWW-Authenticate", challenge) // RFC 6750, 3
		attrs := []slog.Attr{
			slog.String(obs.KeyRequest, requestID(r.Context())), slog.String("route", r.Pattern), slog.String("remote", r.RemoteAddr), slog.String(obs.KeyCode, string(code)),
		}
		if p != nil && p.Token != "" {
			attrs = append(attrs, slog.String("token", p.Token))
		}
		s.Logger.LogAttrs(r.Context(), slog.LevelWarn, "request refused", attrs...)
	}
	s.fail(w, r, err)
}

// tenant is whose memory a request speaks of: the credential's. Where no credential is needed, the header names it.
func tenant(r *http.Request) (string, error) {
	if p := principal(r); p != nil {
		return p.Tenant, nil
	}
	ts := r.Header.Values(HeaderTenant)
	switch {
	case len(ts) == 0:
		return "default", nil
	case len(ts) > 1:
		return "", schema.Invalid(HeaderTenant, "the header stands twice")
	case ts[0] == "":
		return "", emptyTenant()
	}
	return ts[0], schema.CheckTenant(ts[0])
}
