package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// TestHostsThatAreAnswered: DNS rebinding sends the page's own name; every spelling but those of this machine and the
// configured ones is refused, on every kind of route.
func TestHostsThatAreAnswered(t *testing.T) {
	p, _ := newProbe(t)
	for host, want := range map[string]int{
		"127.0.0.1:8317": 200, "127.0.0.1": 200, "127.0.0.1:1": 200, "localhost:8317": 200, "LocalHost:65535": 200, "[::1]:8317": 200, "[::1]": 200,
		"127.9.9.9:8317": 200, "[::ffff:127.0.0.1]:8317": 200,

		"": 403, "evil.example": 403, "evil.example:8317": 403, "127.0.0.1.nip.io": 403, "localhost.evil.example": 403, "xlocalhost": 403,
		"localhost.": 403, "localhost.:8317": 403, "127.0.0.1.": 403, "evil.example.": 403,
		"0.0.0.0:8317": 403, "[::]:8317": 403, "169.254.169.254": 403, "192.168.1.1:8317": 403, "10.0.0.1": 403,
		"2130706433": 403, "0x7f.0.0.1": 403, "127.1": 403, "0177.0.0.1": 403, "127.0.0.01": 403,
		"[::1%25lo]:8317": 403, "[::1%lo]:8317": 403, "[fe80::1%25eth0]": 403, "::1": 403, "[::1": 403, "::1]": 403, "[[::1]]": 403, "[127.0.0.1]": 403,
		"localhost:": 403, "localhost:8317:8317": 403, "localhost:http": 403, "localhost:-1": 403, "localhost:8317@evil.example": 403,
		"localhost@evil.example": 403, "evil.example@localhost": 403, "localhost,evil.example": 403, "localhost evil.example": 403, "ｌocalhost": 403, "localhost\x00": 403,
	} {
		for _, path := range []string{"/v1/status", "/metrics", "/healthz", "/readyz", "/", "/v1/nothing"} {
			r := httptest.NewRequest("GET", "http://127.0.0.1:8317"+path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			p.ServeHTTP(w, r)
			got := w.Code
			if got == 404 && (path == "/" || path == "/v1/nothing") {
				got = 200 // it got as far as the routes
			}
			if got != want {
				t.Errorf("Host %q, %s: %d, want %d", host, path, w.Code, want)
			}
		}
	}
}

func TestConfiguredHosts(t *testing.T) {
	p, _ := newProbe(t)
	for host, want := range map[string]int{"mem.example": 200, "MEM.example:443": 200, "mem.example.": 403, "x.mem.example": 403, "203.0.113.9:8317": 200, "203.0.113.10": 403} {
		h, err := newHandler(Config{Hosts: []string{"Mem.Example", "203.0.113.9"}, MaxTurn: 1, MaxBatch: 1, MaxOpen: 1, Logger: p.logger(), Health: p.health()}, routes)
		if err != nil {
			t.Fatal(err)
		}
		if w := call(h, "GET", "/healthz", "", "Host", host); w.Code != want {
			t.Errorf("Host %q: %d, want %d", host, w.Code, want)
		}
	}
}

// TestRawRequests: what a client library would not send.
func TestRawRequests(t *testing.T) {
	p, _ := newProbe(t)
	srv := httptest.NewUnstartedServer(p)
	srv.Config = NewServer(p, p.logger())
	srv.Start()
	defer srv.Close()
	for head, want := range map[string]int{
		"GET /v1/status HTTP/1.1\r\nHost: localhost": 200,
		// The address form names the host itself, and the header does not count (RFC 9112, 3.2.2).
		"GET http://localhost/v1/status HTTP/1.1\r\nHost: evil.example":       200,
		"GET http://evil.example/v1/status HTTP/1.1\r\nHost: localhost":       403,
		"GET http://evil.example:80/v1/status HTTP/1.1\r\nHost: evil.example": 403,
		"GET /v1/status HTTP/1.0": 403,
		"GET /v1/status HTTP/1.1": 400,
		"GET /v1/status HTTP/1.1\r\nHost: localhost\r\nHost: evil.example":                 400,
		"GET //evil.example/v1/status HTTP/1.1\r\nHost: evil.example":                      403,
		"OPTIONS * HTTP/1.1\r\nHost: evil.example":                                         403,
		"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example":                          403,
		"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nOrigin: null":  403,
		"GET /v1/status HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: evil.example":     200,
		"GET /v1/status HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost":     403,
		"GET /v1/status HTTP/1.1\r\nHost: evil.example\r\nForwarded: host=localhost":       403,
		"GET http://localhost:8317@evil.example/v1/status HTTP/1.1\r\nHost: localhost":     403,
		"GET http://[::1%25lo]/v1/status HTTP/1.1\r\nHost: localhost":                      403,
		"GET http://LOCALHOST:99/v1/status HTTP/1.1\r\nHost: evil.example":                 200,
		"PUT /v1/tools/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nOrigin: null": 403,
	} {
		c, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(c, "%s\r\nConnection: close\r\n\r\n{}", head)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("%q: %v", head, err)
		} else if _, _ = io.Copy(io.Discard, res.Body); res.StatusCode != want {
			t.Errorf("%q: %d, want %d", head, res.StatusCode, want)
		}
		_ = c.Close()
	}
}

// TestAddressAtWhichTheRequestArrived is answered to: bound to every address, a server is called by any of them.
func TestAddressAtWhichTheRequestArrived(t *testing.T) {
	ctx := func(r *http.Request, at string) *http.Request {
		return r.WithContext(contextWithLocal(r, at))
	}
	p, _ := newProbe(t)
	for _, c := range []struct {
		host, at string
		want     int
	}{
		{"192.168.1.5:8317", "192.168.1.5:8317", 200}, {"192.168.1.5:8317", "[::ffff:192.168.1.5]:8317", 200}, {"[2001:db8::1]:8317", "[2001:db8::1]:8317", 200},
		{"192.168.1.6:8317", "192.168.1.5:8317", 403}, {"0.0.0.0:8317", "192.168.1.5:8317", 403}, {"evil.example", "192.168.1.5:8317", 403},
	} {
		r := httptest.NewRequest("GET", "/v1/status", nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		p.ServeHTTP(w, ctx(r, c.at))
		if w.Code != c.want {
			t.Errorf("Host %s at %s: %d, want %d", c.host, c.at, w.Code, c.want)
		}
	}
}

// TestOtherOriginsChangeNothing is generated from the table of routes: a page of another origin gets through to no
// route that changes something, and the same origin and clients that are no browsers do.
func TestOtherOriginsChangeNothing(t *testing.T) {
	p, _ := newProbe(t)
	n := 0
	for i, rt := range routes {
		if rt.method == http.MethodGet {
			continue
		}
		n++
		for _, h := range [][]string{
			{"Origin", "null"}, {"Origin", "http://evil.example"}, {"Origin", "http://localhost:3000"}, {"Origin", "http://127.0.0.1"}, {"Origin", "http://127.0.0.1:8317.evil.example"},
			{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "cross-site", "Origin", "http://127.0.0.1:8317"},
			{"Origin", "http://evil.example", "Content-Type", "text/plain"},
		} {
			if w := p.from(i, rt.method, fill(rt.path), "", h...); w.Code != 403 || w.Header().Get("X-Probe") != "" || !strings.Contains(w.Body.String(), `"Origin"`) {
				t.Errorf("%s %s with %q: %d %s", rt.method, rt.path, h, w.Code, w.Body)
			}
		}
		for _, h := range [][]string{nil, {"Origin", "http://127.0.0.1:8317"}, {"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}} {
			if w := p.from(i, rt.method, fill(rt.path), "", h...); w.Header().Get("X-Probe") != string(rt.scope)+" default" {
				t.Errorf("%s %s with %q: %d %s", rt.method, rt.path, h, w.Code, w.Body)
			}
		}
	}
	if n < 4 {
		t.Errorf("only %d routes change something", n)
	}
}

// TestReadingChangesNothing: what a page of another origin may send is GET, so nothing is changed by it: of the routes
// of GET none has a scope that stands for a change, and HEAD and unknown methods reach no other route than GET does.
func TestReadingChangesNothing(t *testing.T) {
	p, _ := newProbe(t)
	changing := map[schema.Scope]bool{schema.ScopePublish: true, schema.ScopeErase: true}
	for i, rt := range routes {
		if rt.method == http.MethodGet && changing[rt.scope] {
			t.Errorf("GET %s needs %q", rt.path, rt.scope)
		}
		if rt.method != http.MethodGet && rt.method != http.MethodPost && rt.method != http.MethodPut && rt.method != http.MethodPatch && rt.method != http.MethodDelete {
			t.Errorf("%s %s: an unusual method", rt.method, rt.path)
		}
		for _, m := range []string{"HEAD", "OPTIONS", "TRACE", "PROPFIND", "get"} {
			w := p.from(i, m, fill(rt.path), "", "X-HTTP-Method-Override", "DELETE")
			if got := w.Header().Get("X-Probe"); got != "" && m != "HEAD" {
				t.Errorf("%s %s reaches a route: %q", m, rt.path, got)
			}
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, s := range []string{"localhost:1", "[::1]:1", "::1", "[::1%25lo]", "evil.example", "127.0.0.1.", "localhost:8317@x", ""} {
		f.Add(s)
	}
	s := &server{}
	f.Fuzz(func(t *testing.T, host string) {
		r := &http.Request{Host: host}
		if !s.hostAllowed(r) {
			return
		}
		name := strings.ToLower(strings.Trim(strings.TrimRight(host, "0123456789"), ":[]"))
		if strings.ToLower(host) == "localhost" || name == "localhost" {
			return
		}
		h := host
		if a, _, err := net.SplitHostPort(host); err == nil {
			h = a
		}
		if ip := net.ParseIP(strings.Trim(h, "[]")); ip == nil || !ip.IsLoopback() {
			t.Errorf("%q is answered", host)
		}
	})
}
