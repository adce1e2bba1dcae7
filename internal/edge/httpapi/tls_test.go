package httpapi

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
)

func (p *probe) logger() *slog.Logger { return slog.New(slog.NewTextHandler(p.log, nil)) }
func (p *probe) health() *obs.Health  { return &obs.Health{} }

func contextWithLocal(r *http.Request, at string) context.Context {
	return context.WithValue(r.Context(), http.LocalAddrContextKey, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(at)))
}

// certificate writes a certificate for 127.0.0.1 and its key, and returns the pool that trusts it.
func certificate(t *testing.T, cert, key string, serial int64) *x509.CertPool {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	kder, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	for path, b := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: kder}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return pool
}

func TestTLSIsServedAndRenewed(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem")
	log := slog.New(slog.DiscardHandler)
	if _, err := TLSConfig(cert, key, log); err == nil {
		t.Fatal("taken without files")
	}
	first := certificate(t, cert, key, 1)
	cfg, err := TLSConfig(cert, key, log)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := newProbe(t)
	srv := NewServer(p, log)
	srv.TLSConfig = cfg
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = srv.ServeTLS(l, "", "") }()
	defer srv.Close()
	get := func(c *tls.Config) (*http.Response, error) {
		tr := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}
		defer tr.CloseIdleConnections()
		res, err := (&http.Client{Transport: tr}).Get("https://" + l.Addr().String() + "/v1/status")
		if err == nil {
			_ = res.Body.Close()
		}
		return res, err
	}
	res, err := get(&tls.Config{RootCAs: first})
	if err != nil || res.StatusCode != 200 || res.ProtoMajor != 2 || res.TLS.Version < tls.VersionTLS12 {
		t.Fatalf("%v, %v", res, err)
	}
	if _, err := get(&tls.Config{RootCAs: first, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}); err == nil {
		t.Error("TLS 1.1 is taken")
	}

	// A broken renewal changes nothing; a whole one is taken up.
	if err := os.WriteFile(cert, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	serial := func(pool *x509.CertPool) int64 {
		res, err := get(&tls.Config{RootCAs: pool})
		if err != nil {
			return 0
		}
		return res.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	end := time.Now().Add(3 * certRecheck)
	waitUntil(t, func() bool {
		if got := serial(first); got != 1 {
			t.Fatalf("the certificate %d is served", got)
		}
		return time.Now().After(end)
	})
	second := certificate(t, cert, key, 2)
	waitUntil(t, func() bool { return serial(second) == 2 })
}
