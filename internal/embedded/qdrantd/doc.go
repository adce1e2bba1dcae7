// Package qdrantd is a vector store in process that speaks Qdrant's gRPC protocol: it serves the Collections, Points
// and Qdrant services of the official Go client's generated interfaces, so that the same client code works against
// it and against a real Qdrant.
//
// # What it guarantees
//
//   - Search is exact: every live vector that passes the filter is scored, in float32. There is no approximate index.
//   - Durability: a write with wait=true is answered after its record has been synced to the write-ahead log; what was
//     answered is there after the process or the machine dies. Concurrent writers share one sync. A write with
//     wait=false is answered with status Acknowledged once it is in the log's buffer, as in Qdrant. A write may be
//     seen by readers shortly before it is durable.
//   - Damage of tables and of the log is an error of Open, never skipped; a tail of the log torn by a crash is cut with a
//     log line (walcheck.go tells the two apart). A record changed within sealAfter of its sync, before anything was
//     logged behind it, looks like a torn tail.
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
// Where it is stricter than Qdrant: vectors with numbers that are not finite, several conditions in one FieldCondition, a
// key for OverwritePayload and an offset together with order_by are refused. Counts and facets are always exact. Equal
// scores come in the order of ids. A sparse query returns points with a common index whatever their score; Qdrant leaves
// those with score 0 out on one of its paths.
//
// # How it is built
//
// A collection is a set of partitions. Where a keyword payload index with is_tenant=true exists, points with one value
// of that key share a partition, and a filter that must match that key reads that partition only; without one there is
// a single partition. A partition keeps its points in rows and columns: ids, payloads (as the bytes that go on the
// wire), dense vectors end to end, sparse vectors as inverted lists, one column or inverted list per payload index.
//
// Writes of one collection are serialised, put into the log in that order and applied to memory; waiting for the sync
// happens outside the lock. Readers lock one partition at a time.
package qdrantd
