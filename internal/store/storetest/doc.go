// Package storetest holds the conformance suites of the stores: what the rest of Siltstone relies on, whatever
// server stands behind an adapter. [Vectors] is for the vector store, [Cache] for Redis. [Protocol] asks a Qdrant itself,
// without the adapter: it holds to the documentation of Qdrant 1.18, so that it passes on a real one.
//
// The package's own tests run them on the embedded servers always, Qdrant's also in a process of its own over TCP, and on
// real ones where there are any: a redis-server on this machine is started for the test, and SILTSTONE_TEST_REDIS_URL
// and SILTSTONE_TEST_QDRANT_URL name servers that run already. Each server is a subtest of its name, and one that is not there is a skipped test,
// so that a run shows what it ran on. A server that is named and does not answer fails.
//
// It is imported by tests only.
package storetest
