// Package qdrant keeps points in a Qdrant server, or in the embedded one: it cannot tell them apart.
//
// It guarantees:
//   - a write counts as done only when the server says that it is applied (status Completed); everything else is
//     an error, and every write may be made again with the same result;
//   - writes to one point happen in the order given; between points no order is promised;
//   - nothing is sent for a batch that holds a bad write: the error is permanent and names the key at fault;
//   - a payload comes back as it was written: int64 and float64 stay apart, no conversion panics;
//   - a point is written under its owner only, and points are deleted or changed only where the owner agrees;
//   - opening a [Store] does not touch the network: with the server down, calls fail as retryable and fast.
//
// It does not retry: the caller's router does, with what [schema.RetryAfter] says. All errors are [schema.Error]s,
// made from gRPC's codes in one place (errors.go). No type of the vendor's client leaves this package.
package qdrant
