package stacktest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy is a wire between a client and a server that can be cut and mended.
type Proxy struct {
	Addr string

	to    string
	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

// NewProxy listens until the test ends and passes bytes on to a server's address.
func NewProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", Loopback)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Addr: l.Addr().String(), to: to, conns: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = l.Close(); p.Cut() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

// Cut breaks every connection and lets no new one through.
func (p *Proxy) Cut() { p.set(true) }

// Mend lets connections through again.
func (p *Proxy) Mend() { p.set(false) }

func (p *Proxy) set(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	for c := range p.conns {
		if cut {
			_ = c.Close()
		}
	}
}

// keep registers a connection; false where the wire is cut.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.cut {
		p.conns[c] = true
	}
	return !p.cut
}

func (p *Proxy) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	_ = c.Close()
}

func (p *Proxy) serve(c net.Conn) {
	defer p.drop(c)
	s, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer p.drop(s)
	if !p.keep(c) || !p.keep(s) {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = io.Copy(s, c); _ = s.Close() })
	_, _ = io.Copy(c, s)
	_ = c.Close()
	wg.Wait()
}
