package storetest

import "testing"

func TestCacheOnEmbedded(t *testing.T)    { Cache(t, EmbeddedRedis(t)) }
func TestCacheOnRedisServer(t *testing.T) { Cache(t, LocalRedis(t)) }
func TestCacheOnNamedServer(t *testing.T) { Cache(t, NamedRedis(t)) }

func TestVectorsOnEmbedded(t *testing.T)    { Vectors(t, EmbeddedQdrant(t)) }
func TestVectorsOnNamedServer(t *testing.T) { Vectors(t, NamedQdrant(t)) }
