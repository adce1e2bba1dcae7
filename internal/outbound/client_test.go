package outbound

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// sink is a server on loopback that counts who comes.
func sink(t *testing.T) (port string, hits *atomic.Int64) {
	hits = &atomic.Int64{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(srv.Close)
	_, port, _ = net.SplitHostPort(srv.Listener.Addr().String())
	return port, hits
}

// names is a resolver that answers every name with the addresses given, one after another, the last for ever.
func names(t *testing.T, answers ...string) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pc.Close() })
	go func() {
		n, buf := 0, make([]byte, 1500)
		for {
			size, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:size]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Header.Response, m.Header.RecursionAvailable, m.Additionals = true, true, nil
			a := netip.MustParseAddr(answers[min(n, len(answers)-1)])
			h := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type}
			switch {
			case q.Type == dnsmessage.TypeA && a.Is4():
				m.Answers, n = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.AResource{A: a.As4()}}}, n+1
			case q.Type == dnsmessage.TypeAAAA && a.Is6():
				m.Answers, n = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}}}, n+1
			}
			if b, err := m.Pack(); err == nil {
				_, _ = pc.WriteTo(b, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

func get(t *testing.T, cfg Config, r *net.Resolver, url string) error {
	t.Helper()
	c, err := newClient(cfg, r)
	if err != nil {
		return err
	}
	res, err := c.Get(url)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, res.Body)
	return res.Body.Close()
}

// TestSinkIsNeverReached: whatever a name that is not allowed to be private stands for, the server on loopback sees
// no connection.
func TestSinkIsNeverReached(t *testing.T) {
	port, hits := sink(t)
	for _, answer := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1", "0.0.0.0", "::", "10.1.2.3", "169.254.169.254", "fd00:ec2::254", "192.168.0.1", "100.64.0.1"} {
		url := "http://models.example:" + port + "/v1"
		if err := get(t, Config{URL: url}, names(t, answer), url); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	// Other spellings of 127.0.0.1 are names, which no resolver may turn into it.
	for _, host := range []string{"2130706433", "0x7f000001", "127.1", "0177.0.0.1", "127.0.0.1.nip.io"} {
		url := "http://" + host + ":" + port
		if err := get(t, Config{URL: url}, names(t, "127.0.0.1"), url); err == nil {
			t.Errorf("%s is reached", host)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the sink saw %d connections", n)
	}
}

// TestNameThatTurnsInward: what counts is the address at the moment of each connection, not the first one.
func TestNameThatTurnsInward(t *testing.T) {
	port, hits := sink(t)
	url := "http://models.example:" + port
	c, err := newClient(Config{URL: url}, names(t, "192.0.2.1", "127.0.0.1"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the public address leads nowhere: what matters is the second look at the name
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	_, _ = c.Do(req)
	for range 3 {
		if _, err := c.Get(url); err == nil {
			t.Error("reached")
		}
	}
	if hits.Load() != 0 {
		t.Error("the sink saw a connection")
	}
}

func TestWhatTheOperatorMeansIsReached(t *testing.T) {
	port, hits := sink(t)
	for name, c := range map[string]struct {
		cfg Config
		r   *net.Resolver
	}{
		"figures":                {Config{URL: "http://127.0.0.1:" + port}, nil},
		"localhost":              {Config{URL: "http://localhost:" + port}, nil},
		"a name, with leave":     {Config{URL: "http://ollama:" + port, AllowPrivate: true}, names(t, "127.0.0.1")},
		"below localhost":        {Config{URL: "http://models.localhost:" + port}, names(t, "127.0.0.1")},
		"through a proxy":        {Config{URL: "http://models.example", Proxy: "http://127.0.0.1:" + port}, nil},
		"localhost in capitals":  {Config{URL: "http://LOCALHOST:" + port}, nil},
		"with leave, by figures": {Config{URL: "http://127.0.0.1:" + port, AllowPrivate: true}, nil},
	} {
		before := hits.Load()
		if err := get(t, c.cfg, c.r, c.cfg.URL); err != nil || hits.Load() != before+1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Leave for private addresses is none for these.
	for _, answer := range []string{"169.254.169.254", "fe80::1", "fd00:ec2::254", "0.0.0.0", "100.100.100.200", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "224.0.0.1"} {
		url := "http://ollama:" + port
		if err := get(t, Config{URL: url, AllowPrivate: true}, names(t, answer), url); !errors.Is(err, ErrRefused) {
			t.Errorf("%s with leave: %v", answer, err)
		}
	}
	url := "http://localhost:" + port
	if err := get(t, Config{URL: url, AllowPrivate: true}, names(t, "10.0.0.1"), url); err != nil && !errors.Is(err, ErrRefused) {
		t.Errorf("localhost elsewhere: %v", err)
	}
}

func TestMetadataCannotBeConfigured(t *testing.T) {
	for _, host := range []string{"169.254.169.254", "[fd00:ec2::254]", "[fe80::1%25eth0]", "[::ffff:169.254.169.254]", "0.0.0.0", "[::]", "168.63.129.16"} {
		if _, err := NewClient(Config{URL: "http://" + host + "/v1", AllowPrivate: true}); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", host, err)
		}
	}
	for _, url := range []string{"", "ftp://x", "http://", "http://u:p@x", "x"} {
		if _, err := NewClient(Config{URL: url}); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
	if _, err := NewClient(Config{URL: "http://x", Proxy: "socks://user:hunter2@x"}); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a wrong proxy: %v", err)
	}
}

func TestNoRedirectOtherHostOrProxyOfTheEnvironment(t *testing.T) {
	port, hits := sink(t)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	c, err := NewClient(Config{URL: "http://127.0.0.1:" + port})
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Get("http://127.0.0.1:" + port + "/away")
	if err != nil || res.StatusCode != http.StatusTemporaryRedirect || hits.Load() != 1 {
		t.Errorf("%v, %v, %d requests", res, err, hits.Load())
	}
	if _, err := c.Get("http://127.0.0.2:" + port); !errors.Is(err, ErrRefused) {
		t.Errorf("another host: %v", err)
	}
}
