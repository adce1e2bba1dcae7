package outbound

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// ErrRefused marks a connection that was not made because of where it would have gone.
var ErrRefused = errors.New("address refused")

// Config of a client.
type Config struct {
	URL          string // of the server, http or https, without credentials
	AllowPrivate bool   // names other than localhost may resolve to loopback and private addresses
	Proxy        string // URL of an HTTP proxy, "" for none; variables of the environment are not looked at
}

// NewClient returns a client for cfg's server and its paths; other hosts are refused. It sets no time limit: contexts
// do. With a proxy it is the proxy that resolves the server's name, so only addresses in figures are checked then.
func NewClient(cfg Config) (*http.Client, error) { return newClient(cfg, nil) }

func newClient(cfg Config, names *net.Resolver) (*http.Client, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("the URL is not an http or https address")
	}
	if u.User != nil {
		return nil, errors.New("the URL must hold no credentials")
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && never(a) {
		return nil, fmt.Errorf("%w: %s is a link-local, metadata, multicast or unspecified address", ErrRefused, a)
	}
	dialTo, proxy := u, func(*http.Request) (*url.URL, error) { return nil, nil }
	if cfg.Proxy != "" {
		p, err := url.Parse(cfg.Proxy)
		if err != nil || p.Scheme != "http" && p.Scheme != "https" || p.Hostname() == "" {
			return nil, errors.New("the proxy is not an http or https URL") // which may hold a password
		}
		dialTo, proxy = p, http.ProxyURL(p)
	}
	d := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Resolver: names, Control: control(ruleFor(dialTo.Hostname(), cfg.AllowPrivate))}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy, t.DialContext = proxy, d.DialContext
	return &http.Client{
		Transport: only{t, u.Host},
		// A redirect would carry texts to a server that nobody chose.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// only sends requests to one host.
type only struct {
	*http.Transport
	host string
}

func (o only) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != o.host {
		return nil, fmt.Errorf("%w: this client is for another host", ErrRefused)
	}
	return o.Transport.RoundTrip(r)
}

// rule says whether an address may be reached.
type rule func(netip.Addr) bool

// ruleFor is the rule for a host as it is configured.
func ruleFor(host string, private bool) rule {
	if lit, err := netip.ParseAddr(host); err == nil {
		lit = bare(lit)
		return func(a netip.Addr) bool { return a == lit }
	}
	if name := strings.ToLower(strings.TrimSuffix(host, ".")); name == "localhost" || strings.HasSuffix(name, ".localhost") { // RFC 6761, 6.3
		return netip.Addr.IsLoopback
	}
	return func(a netip.Addr) bool { return private || !inside(a) }
}

// control checks the address of every attempt to connect, after resolution and just before it is made.
func control(ok rule) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %q is no address", ErrRefused, address)
		}
		if a := bare(ap.Addr()); never(a) || !ok(a) {
			return fmt.Errorf("%w: the name resolves to %s, which is not public; where that is meant, allow private addresses", ErrRefused, a)
		}
		return nil
	}
}

// Addresses inside of others: what they stand for is what counts.
var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052
	sixToFour = netip.MustParsePrefix("2002::/16")    // RFC 3056
)

// bare is a without zone and out of the forms that carry an IPv4 address.
func bare(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	b := a.As16()
	switch {
	case a.Is6() && nat64.Contains(a):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case a.Is6() && sixToFour.Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return a
}

// metadata are the addresses at which clouds hand out the credentials of a machine, beside the link-local ones.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"),   // Amazon
	netip.MustParseAddr("fd20:ce::254"),    // Google
	netip.MustParseAddr("100.100.100.200"), // Alibaba
	netip.MustParseAddr("168.63.129.16"),   // Azure's wire server
	netip.MustParseAddr("192.0.0.192"),     // Oracle
}

// never reports whether nobody has a reason to name a as a server of Siltstone's.
func never(a netip.Addr) bool {
	a = bare(a)
	for _, m := range metadata {
		if a == m {
			return true
		}
	}
	return !a.IsValid() || a.IsUnspecified() || a.IsLinkLocalUnicast() || a.IsMulticast() || thisNetwork.Contains(a) || a == broadcast
}

var (
	thisNetwork = netip.MustParsePrefix("0.0.0.0/8")
	broadcast   = netip.MustParseAddr("255.255.255.255")
)

// special are the blocks that are not public and that netip knows no method for (RFC 6890 and its successors).
var special = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"), // carrier NAT
	netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("fec0::/10"),
}

// inside reports whether a is this machine or a network that is not public.
func inside(a netip.Addr) bool {
	for _, p := range special {
		if p.Contains(a) {
			return true
		}
	}
	return a.IsLoopback() || a.IsPrivate()
}
