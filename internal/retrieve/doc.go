// Package retrieve answers queries: what stands (path A) and what the search finds (path B), merged, ranked, and
// written as a block.
//
// It guarantees:
//   - a query ends within its time limit, and a path that fails, hangs or panics costs its own part only: the reply
//     names it in degraded;
//   - no memory of another owner is ever asked for: the owner is in every filter, before the search;
//   - nothing that a user's settings switch off, that is superseded, expired, retracted or forgotten is returned,
//     unless history is asked for (retracted and forgotten ones never are);
//   - the same stores and the same query, now included, give the same reply.
//
// What degraded may hold, each naming what the reply had to do without:
//
//	vectors      the search failed; path B answered from a structured query of recent memories, without relevance;
//	             where the store does not answer at all, those are what writers kept in the cache: what has ended
//	             since is left out, and so are turns that stated nothing else
//	embedder     the query has no vector; path B searched by words alone
//	pins         what stands could not be read; it is what was cached or remembered last, and constraints may be
//	             missing from the block
//	counts       the user's own word counts were missing; words were weighted by the built-in table alone
//	neighbours   the turns beside what was found could not be read
//	history      it could not be read which turns are superseded; outdated turns may be among the items
//	settings     the user's settings could not be read; the reply is empty, because memory may be switched off
//
// It does not know where its data lies: all reading goes through the ports in ports.go. It writes nothing but last
// access times, afterwards and in batches, which may be lost.
package retrieve
