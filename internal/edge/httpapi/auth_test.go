package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/auth"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// gate asks real tokens.
type gate struct{ *auth.Gate }

func (g gate) Authenticate(remote, token string) (Principal, bool, error) {
	p, needed, err := g.Gate.Authenticate(remote, token)
	return Principal(p), needed, err
}

// probe is an edge with every route of the table, each of which answers with its own scope and the tenant it was
// asked for: what is tested is who gets that far.
type probe struct {
	http.Handler
	t    *testing.T
	file auth.File
	log  *bytes.Buffer
}

func newProbe(t *testing.T, tokens ...auth.New) (*probe, []string) {
	t.Helper()
	p := &probe{t: t, file: auth.File{Path: filepath.Join(t.TempDir(), "tokens.json")}, log: &bytes.Buffer{}}
	var secrets []string
	for _, n := range tokens {
		_, secret, err := p.file.Create(n, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, secret)
	}
	table := slices.Clone(routes)
	for i := range table {
		table[i].has = always
		table[i].serve = func(s *server, w http.ResponseWriter, r *http.Request) {
			whose, err := tenant(r)
			if err != nil {
				s.fail(w, r, err)
				return
			}
			w.Header().Set("X-Probe", string(table[i].scope)+" "+whose)
		}
	}
	h, err := newHandler(Config{
		Addr: "127.0.0.1:8317", MaxTurn: 1000, MaxBatch: 5000, MaxOpen: 4, Logger: slog.New(slog.NewTextHandler(p.log, nil)), Health: &obs.Health{},
		Auth: gate{auth.Open(auth.Config{Path: p.file.Path})},
	}, table)
	if err != nil {
		t.Fatal(err)
	}
	p.Handler = h
	return p, secrets
}

// from is a request of a client of its own, so that the failures of one case are not held against another.
func (p *probe) from(client int, method, path, token string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:8317"+path, strings.NewReader("{}"))
	r.RemoteAddr = "10.0." + itoa(client/250) + "." + itoa(client%250) + ":1"
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// fill gives a path's wildcards values.
func fill(path string) string {
	for strings.Contains(path, "{") {
		a, b := strings.Index(path, "{"), strings.Index(path, "}")
		path = path[:a] + "x" + path[b+1:]
	}
	return path
}

// TestMatrixOfRoutesAndScopes is generated from the table of routes: every route with every scope alone, with all,
// with all but its own, without a token, with one that is unknown, expired or revoked, and with the header of
// another tenant. A request gets through if and only if the token has the route's scope.
func TestMatrixOfRoutesAndScopes(t *testing.T) {
	var made []auth.New
	for _, s := range schema.Scopes {
		made = append(made, auth.New{Tenant: "acme", Name: string(s), Scopes: []schema.Scope{s}})
	}
	for _, s := range schema.Scopes {
		without := slices.DeleteFunc(slices.Clone(schema.Scopes), func(x schema.Scope) bool { return x == s })
		made = append(made, auth.New{Tenant: "acme", Name: "all but " + string(s), Scopes: without})
	}
	made = append(made, auth.New{Tenant: "acme", Name: "all", Scopes: schema.Scopes}, auth.New{Tenant: "acme", Name: "revoked", Scopes: schema.Scopes})
	p, secrets := newProbe(t, made...)
	all := secrets[len(secrets)-2]
	revokeLast(t, p.file)
	waitUntil(t, func() bool { return p.from(0, "GET", "/v1/status", secrets[len(secrets)-1]).Code == 401 })

	open, client := 0, 0
	for _, rt := range routes {
		name := rt.method + " " + rt.path
		path := fill(rt.path)
		try := func(token string, header ...string) *httptest.ResponseRecorder {
			client++
			return p.from(client, rt.method, path, token, header...)
		}
		if rt.scope == "" {
			open++
			for _, token := range []string{"", all, "rubbish"} {
				if w := try(token); w.Code != 200 || w.Header().Get("X-Probe") == "" {
					t.Errorf("%s is open and answers %d", name, w.Code)
				}
			}
			continue
		}
		if !slices.Contains(schema.Scopes, rt.scope) {
			t.Errorf("%s has the scope %q, which no token can have", name, rt.scope)
		}
		for i, n := range made[:len(made)-1] {
			w := try(secrets[i])
			if may := slices.Contains(n.Scopes, rt.scope) || slices.Contains(n.Scopes, rt.also()); may != (w.Code == 200) || may != (w.Header().Get("X-Probe") == string(rt.scope)+" acme") || !may && w.Code != 403 {
				t.Errorf("%s with %s: %d %q", name, n.Name, w.Code, w.Header().Get("X-Probe"))
			} else if !may {
				wantRefusal(t, name, w, schema.CodeDenied, string(rt.scope))
			}
			if w := try(secrets[i], HeaderTenant, "other"); w.Code != 403 || w.Header().Get("X-Probe") != "" {
				t.Errorf("%s with %s for another tenant: %d", name, n.Name, w.Code)
			}
		}
		for what, token := range map[string]string{
			"no token": "", "an unknown token": "silt_aaaaaaaa_" + strings.Repeat("a", 52), "rubbish": "rubbish", "a revoked token": secrets[len(secrets)-1],
		} {
			w := try(token)
			if w.Code != 401 || w.Header().Get("X-Probe") != "" {
				t.Errorf("%s with %s: %d", name, what, w.Code)
				continue
			}
			wantRefusal(t, name, w, schema.CodeUnauthenticated, "Bearer")
		}
		// The tenant's own name is no other's.
		if w := try(all, HeaderTenant, "acme"); w.Code != 200 {
			t.Errorf("%s for its own tenant: %d", name, w.Code)
		}
		if w := try(all, HeaderTenant, "acme", HeaderTenant, "other"); w.Code != 403 {
			t.Errorf("%s for two tenants: %d", name, w.Code)
		}
		if w := try(all, HeaderTenant, ""); w.Code != 400 || !strings.Contains(w.Body.String(), `"field":"X-Silt-Tenant"`) {
			t.Errorf("%s for an empty tenant: %d %s", name, w.Code, w.Body)
		}
	}
	if open == 0 || open > 5 {
		t.Errorf("%d routes are open: look whether they are meant to be", open)
	}
	for _, s := range secrets {
		if _, part, _ := strings.Cut(strings.TrimPrefix(s, "silt_"), "_"); strings.Contains(p.log.String(), part) {
			t.Fatal("a secret is in the log")
		}
	}
	if !strings.Contains(p.log.String(), "token="+strings.Split(secrets[0], "_")[1]) {
		t.Error("refusals are not logged by the token's id")
	}
}

func revokeLast(t *testing.T, f auth.File) {
	t.Helper()
	ts, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Revoke(ts[len(ts)-1].ID, time.Now()); err != nil {
		t.Fatal(err)
	}
}

func waitUntil(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

// wantRefusal checks the one shape of a refusal.
func wantRefusal(t *testing.T, name string, w *httptest.ResponseRecorder, code schema.Code, says string) {
	t.Helper()
	var e schema.ErrorReply
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Error.Code != code {
		t.Errorf("%s: %v, %s", name, err, w.Body)
	}
	if h := w.Header().Get("WWW-Authenticate"); !strings.HasPrefix(h, `Bearer realm="siltstone"`) || !strings.Contains(h+w.Body.String(), says) {
		t.Errorf("%s: WWW-Authenticate %q, body %s", name, h, w.Body)
	}
}

func TestWithoutTokensTheHeaderNamesTheTenant(t *testing.T) {
	p, _ := newProbe(t)
	if w := p.from(1, "GET", "/v1/status", ""); w.Header().Get("X-Probe") != "query default" {
		t.Errorf("%d %q", w.Code, w.Header().Get("X-Probe"))
	}
	if w := p.from(1, "GET", "/v1/status", "", HeaderTenant, "acme"); w.Header().Get("X-Probe") != "query acme" {
		t.Errorf("%d %q", w.Code, w.Header().Get("X-Probe"))
	}
	if w := p.from(1, "GET", "/v1/status", "", HeaderTenant, "acme", HeaderTenant, "bob"); w.Code != 400 {
		t.Errorf("two tenants: %d", w.Code)
	}
	if w := p.from(1, "GET", "/v1/status", "silt_aaaaaaaa_"+strings.Repeat("a", 52)); w.Code != 401 {
		t.Errorf("a token that nobody made: %d", w.Code)
	}
	// The first token holds at once for all.
	if _, _, err := p.file.Create(auth.New{Tenant: "acme", Scopes: schema.Scopes}, time.Now()); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { return p.from(2, "GET", "/v1/status", "").Code == 401 })
}

func TestOnlyOneBearerIsATokens(t *testing.T) {
	p, s := newProbe(t, auth.New{Tenant: "acme", Scopes: schema.Scopes})
	for i, c := range []struct {
		header []string
		status int
	}{
		{[]string{"Authorization", "Bearer " + s[0]}, 200},
		{[]string{"Authorization", "bearer  " + s[0] + " "}, 200},
		{[]string{"Authorization", s[0]}, 401},
		{[]string{"Authorization", "Basic " + s[0]}, 401},
		{[]string{"Authorization", "Bearer"}, 401},
		{[]string{"Authorization", "Bearer " + s[0], "Authorization", "Bearer " + s[0]}, 401},
		{[]string{"Authorization", "Bearer " + s[0] + ", Bearer x"}, 401},
		{[]string{"X-Authorization", "Bearer " + s[0]}, 401},
		{[]string{"Cookie", "token=" + s[0]}, 401},
	} {
		if w := p.from(100+i, "GET", "/v1/status", "", c.header...); w.Code != c.status {
			t.Errorf("%q: %d, want %d", c.header, w.Code, c.status)
		}
	}
	if w := p.from(200, "GET", "/v1/status?token="+s[0]+"&access_token="+s[0], ""); w.Code != 401 {
		t.Errorf("a token in the address: %d", w.Code)
	}
}

func TestFailuresAreLimitedByAddress(t *testing.T) {
	p, s := newProbe(t, auth.New{Tenant: "acme", Scopes: schema.Scopes})
	var last *httptest.ResponseRecorder
	for range 50 {
		last = p.from(7, "GET", "/v1/status", "rubbish")
	}
	if last.Code != 429 || last.Header().Get("Retry-After") == "" || !strings.Contains(last.Body.String(), `"rate_limited"`) {
		t.Errorf("%d %q %s", last.Code, last.Header().Get("Retry-After"), last.Body)
	}
	if n := strings.Count(p.log.String(), "request refused"); n == 0 || n > 30 {
		t.Errorf("50 failures make %d lines in the log", n)
	}
	if w := p.from(8, "GET", "/v1/status", "rubbish"); w.Code != 401 {
		t.Errorf("another address: %d", w.Code)
	}
	if w := p.from(7, "GET", "/v1/status", s[0]); w.Code != 200 {
		t.Errorf("a good token from that address: %d", w.Code)
	}
}

// TestReadinessTellsDetailsToAdminsOnly: names for everyone, what the checks say for the operator.
func TestReadinessTellsDetailsToAdminsOnly(t *testing.T) {
	file := auth.File{Path: filepath.Join(t.TempDir(), "tokens.json")}
	health := &obs.Health{}
	health.Add("qdrant", func(context.Context) error { return io.ErrUnexpectedEOF })
	h, err := New(Config{MaxTurn: 1, MaxBatch: 1, MaxOpen: 1, Logger: slog.New(slog.DiscardHandler), Health: health, Auth: gate{auth.Open(auth.Config{Path: file.Path})}})
	if err != nil {
		t.Fatal(err)
	}
	detail := io.ErrUnexpectedEOF.Error()
	if w := call(h, "GET", "/readyz", ""); w.Code != 503 || !strings.Contains(w.Body.String(), detail) {
		t.Errorf("without tokens: %d %s", w.Code, w.Body)
	}
	tokens := map[string]string{"": ""}
	for _, sc := range []schema.Scope{schema.ScopeAdmin, schema.ScopeQuery} {
		_, secret, err := file.Create(auth.New{Tenant: "acme", Scopes: []schema.Scope{sc}}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		tokens[string(sc)] = secret
	}
	waitUntil(t, func() bool { return !strings.Contains(call(h, "GET", "/readyz", "").Body.String(), detail) })
	for _, sc := range slices.Sorted(maps.Keys(tokens)) {
		w := call(h, "GET", "/readyz", "", "Authorization", "Bearer "+tokens[sc])
		if w.Code != 503 || !strings.Contains(w.Body.String(), "qdrant") || strings.Contains(w.Body.String(), detail) != (sc == "admin") {
			t.Errorf("with %q: %d %s", sc, w.Code, w.Body)
		}
	}
	if w := call(h, "GET", "/healthz", ""); w.Code != 200 {
		t.Errorf("healthz: %d", w.Code)
	}
}

// knownJobs answers for one job of each kind.
type knownJobs struct{ Jobs }

func (knownJobs) Job(_ context.Context, tenant, id string) (schema.Job, error) {
	kind, _, _ := strings.Cut(id, "-")
	return schema.Job{ID: id, Kind: kind, State: schema.JobDone}, nil
}

// Whoever may forget sees how far a request to forget is, and nothing else that goes on.
func TestWhoMayForgetSeesTheJob(t *testing.T) {
	file := auth.File{Path: filepath.Join(t.TempDir(), "tokens.json")}
	secrets := map[schema.Scope]string{}
	for _, sc := range []schema.Scope{schema.ScopeErase, schema.ScopeAdmin, schema.ScopePublish} {
		_, secret, err := file.Create(auth.New{Tenant: "acme", Scopes: []schema.Scope{sc}}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		secrets[sc] = secret
	}
	h, err := New(Config{
		Addr: "127.0.0.1:8317", MaxTurn: 1000, MaxBatch: 5000, MaxOpen: 4, Logger: slog.New(slog.DiscardHandler), Health: &obs.Health{}, Jobs: knownJobs{},
		Auth: gate{auth.Open(auth.Config{Path: file.Path})},
	})
	if err != nil {
		t.Fatal(err)
	}
	for sc, want := range map[schema.Scope]map[string]int{
		schema.ScopeErase:   {schema.JobForget: 200, schema.JobArchive: 200, schema.JobAudit: 403, schema.JobErase: 403, "replay": 403},
		schema.ScopeAdmin:   {schema.JobForget: 200, schema.JobAudit: 200, schema.JobErase: 200, "replay": 200},
		schema.ScopePublish: {schema.JobForget: 403, schema.JobAudit: 403},
	} {
		for kind, code := range want {
			if w := call(h, "GET", "/v1/jobs/"+kind+"-1", "", "Authorization", "Bearer "+secrets[sc]); w.Code != code {
				t.Errorf("%s of %s: %d %s", kind, sc, w.Code, w.Body)
			}
		}
	}
}
