package httpapi

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
)

// certRecheck is how long a renewed certificate may go unnoticed.
const certRecheck = time.Second

// TLSConfig serves the certificate of two PEM files and takes up a renewed one without a restart: where the new pair
// cannot be read or does not fit together, the one before goes on to be served and the log says so. It is an error
// where the pair cannot be read at first.
func TLSConfig(cert, key string, log *slog.Logger) (*tls.Config, error) {
	p := &pair{cert: cert, key: key, log: log}
	at := p.stamp()
	c, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	p.now, p.at, p.checked = &c, at, time.Now()
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: p.get}, nil
}

// pair is a certificate and its key, as last read.
type pair struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	now     *tls.Certificate
	at      [2]stamp
	checked time.Time
}

// stamp tells one state of a file from another.
type stamp struct {
	mod  time.Time
	size int64
}

func (p *pair) stamp() (out [2]stamp) {
	for i, name := range []string{p.cert, p.key} {
		if st, err := os.Stat(name); err == nil {
			out[i] = stamp{st.ModTime(), st.Size()}
		}
	}
	return out
}

// get implements tls.Config.GetCertificate.
func (p *pair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.checked) >= certRecheck {
		p.checked = now
		if at := p.stamp(); at != p.at {
			c, err := tls.LoadX509KeyPair(p.cert, p.key)
			if err != nil { // two files are not replaced at once: the next look may find both
				p.log.Warn("the certificate has changed and cannot be read; the one before is served", slog.String(obs.KeyError, err.Error()))
			} else {
				p.log.Info("certificate read again")
				p.now, p.at = &c, at
			}
		}
	}
	return p.now, nil
}
