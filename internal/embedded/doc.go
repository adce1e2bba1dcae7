// Package embedded runs everything that Siltstone needs beside itself inside this process, over one data directory: a
// NATS server with JetStream, a Redis, and a vector store that speaks Qdrant's protocol.
//
// It guarantees:
//   - one data directory serves one process: a second start is refused ([ErrInUse]) and told who holds it. The lock
//     is the system's and goes with the process, however that ends. On a network file system it is as good as that
//     system's locks;
//   - nothing listens unless asked: clients inside come through pipes in memory. What is asked to listen does so on a
//     loopback address and needs a secret, a drawn one unless one is given;
//   - after a restart, or a kill -9, everything that was acknowledged is there: appends and points are synced first.
//     The Redis starts empty: it holds caches only;
//   - a store that is damaged refuses to start; nothing is skipped.
//
// The data directory is readable by its owner only:
//
//	siltstone.lock, siltstone.pid
//	nats/       streams: the truth
//	vectors/    points: an index, can be deleted and made again by a replay
//
// To its clients the servers look like any others: no code beyond internal/app knows that they are embedded.
package embedded
