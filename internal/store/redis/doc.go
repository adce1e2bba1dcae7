// Package redis keeps Siltstone's caches in a Redis server, or in the embedded one: it cannot tell them apart.
//
// Nothing in here is a truth. Losing Redis, emptying it, evicting from it or failing over to a replica that lags
// costs time, and the record of last accesses, and never an answer. To that end:
//
//   - What a reader caches for a user (standing memories) carries a version, a random token, never a counter. An
//     invalidation draws a new one; a fill stores only if the version that its reader saw is still there. So what
//     was read before an invalidation is never served after it, whatever the interleaving, and a Redis that lost its
//     keys cannot bring an old version back by counting up to it again.
//   - What writers keep for a user (recent items) never comes back once it has ended: an end leaves the id behind,
//     and a push that comes late, with the state of before, is refused. Ends are made before the write that they
//     belong to, so that a writer that dies in between leaves too little rather than too much.
//   - Recent items that were lost are filled again from the vector store ([Store.BeginRecent]), by the same rule as
//     standing memories: only what was read after the loss, and never over what a writer put or ended there.
//   - An invalidation or an end that did not reach Redis is remembered and made up for ([Store.Run]); until then this
//     process serves nothing of it. Too many of them are made up for at once: a new epoch makes all standing memories
//     cached before it void, and all recent items are removed. Other processes that do reach Redis may serve what
//     they see there for as long as it lives. For standing memories that is [Options].TTL, which is also what holds
//     when a failover loses an invalidation that was acknowledged, and [Options].Fresh makes up for what died with a
//     process. For recent items there is no such bound: where a process is killed while Redis is away, what it had
//     to end stays until it is pushed out. They are shown only where the vector store is away too, and never against
//     a forget event, which readers know from the log.
//   - Every key has an expiry and every collection a cap.
//   - Only idempotent commands are used: the client library repeats a command whose reply it did not get.
//   - All keys of one user share a hash slot, and no call on a hot path scans.
//
// Keys are made in keys.go and nowhere else. All errors are [schema.Error]s; none is permanent but for values that
// cannot be encoded. No type of the client library leaves this package.
package redis
