package httpapi

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// Many idle connections lock nobody out, those at work are left alone, and one that finds all at work waits its turn.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	entered, release := make(chan struct{}), make(chan struct{})
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			entered <- struct{}{}
			<-release
		}
		_, _ = io.WriteString(w, "ok")
	})}
	const most = 4
	l := LimitConns(inner, srv, most)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	url := "http://" + inner.Addr().String()
	for range 5 * most { // never a word
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	get := func(path string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, nil)
		if err != nil {
			return "", err
		}
		res, err := (&http.Client{Transport: &http.Transport{}}).Do(req) // a connection of its own, idle afterwards
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		return string(b), err
	}
	for range 3 * most {
		if got, err := get("/"); err != nil || got != "ok" {
			t.Fatalf("beside idle connections: %q, %v", got, err)
		}
	}
	slow := make(chan error, most)
	for range most {
		go func() {
			_, err := get("/slow")
			slow <- err
		}()
		<-entered
	}
	late := make(chan error, 1)
	go func() { _, err := get("/"); late <- err }()
	l.mu.Lock()
	if l.open != most || l.idle.Len() != 0 {
		t.Errorf("%d are open, %d idle", l.open, l.idle.Len())
	}
	l.mu.Unlock()
	close(release)
	for range most {
		if err := <-slow; err != nil {
			t.Errorf("one at work: %v", err)
		}
	}
	if err := <-late; err != nil {
		t.Errorf("one that waited: %v", err)
	}
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
	<-served
}
