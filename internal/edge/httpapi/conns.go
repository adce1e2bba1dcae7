package httpapi

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// Conns is a listener that lets so many connections be open at once. Where one more comes, the one that has been idle for
// longest makes room for it: whoever holds connections without asking anything locks nobody out. Where none is idle it
// waits its turn in the system's queue. Each connection takes a descriptor, and the process needs some for its files.
type Conns struct {
	net.Listener
	most int

	mu     sync.Mutex
	turn   *sync.Cond // a connection has gone, or become idle, or the listener is closed
	open   int
	idle   *list.List // of *conn, the oldest first: those without a request, and those that have not sent a byte yet
	closed bool
}

// LimitConns has srv's connections from l bounded. most is at least 1.
func LimitConns(l net.Listener, srv *http.Server, most int) *Conns {
	c := &Conns{Listener: l, most: most, idle: list.New()}
	c.turn = sync.NewCond(&c.mu)
	srv.ConnState = c.note
	return c
}

// conn is one of the connections.
type conn struct {
	net.Conn
	of   *Conns
	at   *list.Element // in of.idle, nil where it is at work
	gone bool          // counted off
}

// Accept implements net.Listener.
func (l *Conns) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: nc, of: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.open >= l.most && !l.closed {
		oldest := l.idle.Front()
		if oldest == nil {
			l.turn.Wait()
			continue
		}
		victim := oldest.Value.(*conn)
		l.count(victim)
		_ = victim.Conn.Close() // its handler finds it closed
	}
	if l.closed {
		_ = nc.Close() // nobody has spoken on it
		return nil, net.ErrClosed
	}
	l.open++
	c.at = l.idle.PushBack(c)
	return c, nil
}

// count takes c off. It needs l.mu held.
func (l *Conns) count(c *conn) {
	if c.gone {
		return
	}
	c.gone = true
	l.open--
	l.busy(c)
	l.turn.Signal()
}

// busy takes c from the idle ones. It needs l.mu held.
func (l *Conns) busy(c *conn) {
	if c.at != nil {
		l.idle.Remove(c.at)
		c.at = nil
	}
}

// note is the server's ConnState.
func (l *Conns) note(nc net.Conn, state http.ConnState) {
	if t, ok := nc.(*tls.Conn); ok {
		nc = t.NetConn()
	}
	c, ok := nc.(*conn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case c.gone:
	case state == http.StateActive, state == http.StateHijacked:
		l.busy(c)
	case state == http.StateIdle:
		l.busy(c)
		c.at = l.idle.PushBack(c)
		l.turn.Signal()
	}
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.of.mu.Lock()
	c.of.count(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// Close implements net.Listener.
func (l *Conns) Close() error {
	l.mu.Lock()
	l.closed = true
	l.turn.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}
