// Package qdrantd is a vector store in process that speaks Qdrant's gRPC protocol: it serves the Collections, Points
// and Qdrant services of the official Go client's generated interfaces, so that the same client code works against
// it and against a real Qdrant.
//
// # What it guarantees
//
//   - Search is exact: the answer is that of scoring every live vector that passes the filter, in float32. There is no
//     approximate index; what a bound shows to be out of reach is passed over (coarse.go).
//   - Durability: a write with wait=true is answered after its record has been synced to the write-ahead log; what was
//     answered is there after the process or the machine dies. Concurrent writers share one sync. A write with
//     wait=false is answered with status Acknowledged once it is in the log's buffer, as in Qdrant. A write may be
//     seen by readers shortly before it is durable.
//   - Damage of tables, of their list and of the log is an error of Open, never skipped; a tail of the log torn by a crash
//     is cut with a log line (walcheck.go and listcheck.go tell the two apart). A record changed within sealAfter of its
//     sync, before anything was logged behind it, looks like a torn tail.
//   - Whatever a request asks for is done or refused: a parameter this server does not know is answered with
//     Unimplemented naming it. A few parameters that describe how a bigger engine lays out its data (HNSW, optimiser
//     and log settings, on_disk) are recorded, reported by Info and otherwise meaningless here, since they cannot
//     change an exact answer. See the table in accept.go.
//
// # What it does not do
//
// No replication, sharding, aliases, snapshots, quantization, full-text or geo indexes, no fusion or prefetch, no vector
// updates apart from whole points. The whole state is held in memory beside its copy on disk.
//
// docs/qdrantd.md lists every call and parameter, what conditions mean, and where it differs from Qdrant; test/versus holds
// it to Qdrant's own engine.
//
// # How it is built
//
// A collection is a set of partitions. Where a keyword payload index with is_tenant=true exists, points with one value
// of that key share a partition, and a filter that must match that key reads that partition only; without one there is
// a single partition. A partition keeps its points in rows and columns: ids, payloads (as the bytes that go on the
// wire), dense vectors end to end and once more as bytes, sparse vectors as inverted lists, one column or inverted list per payload index.
//
// Writes of one collection are serialised, put into the log in that order and applied to memory; waiting for the sync
// happens outside the lock. Readers lock one partition at a time, and never need the files.
package qdrantd
