package doctor

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// certificate writes a certificate for names that holds from and until, and its key.
func certificate(t *testing.T, cert, key string, from, until time.Time, names ...string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: until, DNSNames: names}
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
}

func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, key, other := filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem"), filepath.Join(dir, "other.pem")
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(0, 3, 0)
	certificate(t, other, filepath.Join(dir, "ok.pem"), from, until, "a.example")
	certificate(t, cert, key, from, until, "silt.example", "127.0.0.1.example")
	mid := from.AddDate(0, 1, 0)
	check(t, Certificate(cert, key, mid), OK, "for silt.example, 127.0.0.1.example until 2026-08-01")
	check(t, Certificate(cert, key, from.Add(-time.Hour)), Fail, "holds from 2026-05-01")
	check(t, Certificate(cert, key, until.Add(time.Hour)), Fail, "ended on 2026-08-01")
	check(t, Certificate(cert, key, until.AddDate(0, 0, -3)), Warn, "ends in 3 days, on 2026-08-01")
	check(t, Certificate(other, key, mid), Fail, "does not match")
	check(t, Certificate(cert, filepath.Join(dir, "none.pem"), mid), Fail, "no such file")
	check(t, Certificate(key, cert, mid), Fail, "PEM")
	if err := os.Chmod(key, 0o640); err != nil {
		t.Fatal(err)
	}
	check(t, Certificate(cert, key, mid), OK, "silt.example")
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	check(t, Certificate(cert, key, mid), Warn, "mode 0644")
	nameless, nkey := filepath.Join(dir, "n.pem"), filepath.Join(dir, "nk.pem")
	certificate(t, nameless, nkey, from, until)
	check(t, Certificate(nameless, nkey, mid), Warn, "for no name")
}
