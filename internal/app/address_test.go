package app

import (
	"net"
	"strings"
	"testing"
)

func TestAnIPv4AddressIsListenedOnAsSuch(t *testing.T) {
	l, err := net.Listen(network("0.0.0.0:0"), "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := l.Addr().String(); !strings.HasPrefix(got, "0.0.0.0:") {
		t.Errorf("0.0.0.0 listens on %s", got)
	}
	for addr, want := range map[string]string{"127.0.0.1:1": "tcp4", ":1": "tcp", "[::]:1": "tcp", "[::1]:1": "tcp", "localhost:1": "tcp"} {
		if got := network(addr); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}

func TestTheURLCanBeAskedFor(t *testing.T) {
	for addr, want := range map[string]string{
		"0.0.0.0:8317": "https://127.0.0.1:8317", "[::]:8317": "https://[::1]:8317", "192.0.2.1:8317": "https://192.0.2.1:8317", "127.0.0.1:8317": "https://127.0.0.1:8317",
	} {
		if got := (Addresses{HTTP: addr, TLS: true}).URL(); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}
