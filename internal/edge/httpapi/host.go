package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// hostAllowed keeps DNS rebinding out: a page that resolves its own name to this machine still sends that name. What
// is answered to is localhost, loopback addresses, the address at which the request arrived, and the names of
// http.hosts, on any port: a port may be forwarded, and no page chooses its name by it. An address in figures cannot
// be rebound. A name with a dot at its end is another name to a browser, and so it is here.
func (s *server) hostAllowed(r *http.Request) bool {
	name, literal, ok := splitHost(r.Host)
	if !ok {
		return false
	}
	if literal.IsValid() {
		return literal.IsLoopback() || literal == arrivedAt(r) || slices.Contains(s.Hosts, name)
	}
	return name == "localhost" || slices.Contains(s.Hosts, name)
}

// splitHost takes the name out of a Host header, in lower case, and the address that it may be. ok is false for what
// is no host or names a zone, which no client puts there.
func splitHost(host string) (name string, literal netip.Addr, ok bool) {
	name = host
	bracketed := strings.HasPrefix(host, "[")
	switch {
	case bracketed && strings.HasSuffix(host, "]"):
		name = host[1 : len(host)-1]
	case strings.Contains(host, ":"):
		var port string
		var err error
		if name, port, err = net.SplitHostPort(host); err != nil || !digits(port) {
			return "", netip.Addr{}, false
		}
	}
	name = strings.ToLower(name)
	a, err := netip.ParseAddr(name)
	switch {
	case name == "", bracketed && (err != nil || !a.Is6()), err == nil && (a.Zone() != "" || a.Is6() && !bracketed):
		return "", netip.Addr{}, false
	case err != nil:
		return name, netip.Addr{}, true
	}
	return name, a.Unmap(), true
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// arrivedAt is the address of this machine to which the connection was made; none for one that is no TCP connection.
func arrivedAt(r *http.Request) netip.Addr {
	a, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return a.AddrPort().Addr().Unmap().WithZone("")
}
