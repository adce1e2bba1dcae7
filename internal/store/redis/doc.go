// Package redis keeps Siltstone's caches in a Redis server, or in the embedded one: it cannot tell them apart.
//
// Nothing in here is a truth. Losing Redis, emptying it, evicting from it or failing over to a replica that lags
// costs time, and the record of last accesses, and never an answer. To that end:
//
//   - What a reader caches for a user (standing memories, settings) carries a version, a random token, never a
//     counter. An invalidation draws a new one; a fill stores only if the version that its reader saw is still
//     there. So what was read before an invalidation is never served after it, whatever the interleaving, and a
//     Redis that lost its keys cannot bring an old version back by counting up to it again.
//   - An invalidation that did not reach Redis is remembered and made up for ([Store.Run]); until then this
//     process serves nothing cached for that user. Too many of them are made up for by one new epoch, which makes
//     everything cached before it void. Other processes that do reach Redis may serve what they see there for as
//     long as the entry lives ([Options].TTL): that bound is also what holds when a failover loses an
//     invalidation that was acknowledged.
//   - Every key has an expiry and every collection a cap.
//   - Only idempotent commands are used: the client library repeats a command whose reply it did not get.
//   - All keys of one user share a hash slot, and no call on a hot path scans.
//
// Keys are made in keys.go and nowhere else. All errors are [schema.Error]s; none is permanent but for values that
// cannot be encoded. No type of the client library leaves this package.
package redis
