package config

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxPlaces bounds what is reserved one by one at start, such as places for requests, and maxBytes what is counted in
// bytes: far beyond what helps, and far below where arithmetic ends.
const (
	maxPlaces = 1 << 16
	maxBytes  = 1 << 40
)

// validateServers refuses addresses that nobody can listen on or call. It does not quote URLs: they hold passwords.
func (c *Config) validateServers(bad func(key, format string, args ...any)) {
	for key, addr := range map[string]string{"nats.listen": c.NATS.Listen, "qdrant.listen": c.Qdrant.Listen, "redis.listen": c.Redis.Listen} {
		switch {
		case addr == "":
		case !Loopback(addr):
			bad(key, "%q is not a loopback address; the embedded servers listen nowhere else", addr)
		case !port(addr, 0):
			bad(key, "%q has no port between 0 and 65535", addr)
		}
	}
	if c.Qdrant.Addr != "" && !port(c.Qdrant.Addr, 1) {
		bad("qdrant.addr", "%q is not host:port; Qdrant's gRPC port is 6334", c.Qdrant.Addr)
	}
	if c.NATS.URL != "" {
		for one := range strings.SplitSeq(c.NATS.URL, ",") {
			one = strings.TrimSpace(one)
			if !strings.Contains(one, "://") { // as NATS clients take it
				one = "nats://" + one
			}
			if !server(one, "nats", "tls", "ws", "wss") {
				bad("nats.url", "must look like nats://host:4222 or tls://host:4222, several with commas between them")
				break
			}
		}
	}
	if c.Redis.URL != "" && !strings.HasPrefix(c.Redis.URL, "unix:") && !server(c.Redis.URL, "redis", "rediss") {
		bad("redis.url", "must look like redis://host:6379 or rediss://host:6379")
	}
}

// server reports whether s is a URL of one of these schemes with a host, and a port that there can be or none.
func server(s string, schemes ...string) bool {
	u, err := url.Parse(s)
	if err != nil || !slices.Contains(schemes, u.Scheme) || u.Hostname() == "" {
		return false
	}
	return u.Port() == "" || port(u.Host, 1)
}

// port reports whether addr is host:port with a port of at least min.
func port(addr string, min int) bool {
	_, p, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(p)
	return err == nil && n >= min && n <= 65535
}
