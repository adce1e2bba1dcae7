package config

import (
	"math"
	"strings"
	"testing"
)

// What nobody could start with is refused when the configuration is checked, and the key named.
func TestValuesNobodyCanStartWith(t *testing.T) {
	for _, x := range []struct {
		key string
		set func(c *Config)
		ok  bool
	}{
		{"http.addr", func(c *Config) { c.HTTP.Addr = "127.0.0.1:99999" }, false},
		{"http.addr", func(c *Config) { c.HTTP.Addr = "127.0.0.1:http" }, false},
		{"http.addr", func(c *Config) { c.HTTP.Addr = "[::1]:0" }, true},
		{"qdrant.listen", func(c *Config) { c.Qdrant.Listen = "127.0.0.1:65536" }, false},
		{"nats.listen", func(c *Config) { c.NATS.Listen = "localhost:0" }, true},
		{"qdrant.addr", func(c *Config) { c.Qdrant.Addr = "nohost" }, false},
		{"qdrant.addr", func(c *Config) { c.Qdrant.Addr = "host:0" }, false},
		{"qdrant.addr", func(c *Config) { c.Qdrant.Addr = "[fd00::1]:6334" }, true},
		{"redis.url", func(c *Config) { c.Redis.URL = "http://x" }, false},
		{"redis.url", func(c *Config) { c.Redis.URL = "redis://:s3cret@x:99999" }, false},
		{"redis.url", func(c *Config) { c.Redis.URL = "rediss://user:pw@x:6379/1" }, true},
		{"redis.url", func(c *Config) { c.Redis.URL = "unix:///run/redis.sock" }, true},
		{"nats.url", func(c *Config) { c.NATS.URL = "http://s3cret@x" }, false},
		{"nats.url", func(c *Config) { c.NATS.URL = "nats://a:4222,tls://b:x" }, false},
		{"nats.url", func(c *Config) { c.NATS.URL = "nats://t:p@a:4222, b:4222,wss://c" }, true},
		{"http.max_open", func(c *Config) { c.HTTP.MaxOpen = math.MaxInt/2 + 1 }, false},
		{"retrieval.concurrent", func(c *Config) { c.Retrieval.Concurrent = math.MaxInt }, false},
		{"pipeline.window", func(c *Config) { c.Pipeline.Window = math.MaxInt }, false},
		{"http.max_buffer", func(c *Config) { c.HTTP.MaxBuffer = math.MaxInt }, false},
		{"pipeline.memory", func(c *Config) { c.Pipeline.Memory = math.MaxInt64 }, false},
		{"nats.max_log", func(c *Config) { c.NATS.MaxLog = math.MaxInt64 }, true},
	} {
		c := Default()
		x.set(&c)
		err := c.Validate()
		if (err == nil) != x.ok || err != nil && (!strings.HasPrefix(err.Error(), x.key) || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("%s: %v, want ok %v", x.key, err, x.ok)
		}
	}
}
