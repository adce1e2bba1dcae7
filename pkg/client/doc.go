// Package client is how Go agents talk to Siltstone: publish turns, ask for memory, forget. Over HTTP ([NewHTTP])
// or over NATS ([NewNATS]), with the same types.
//
// An error that the server answered is a *[schema.Error] with the server's code, field and message, and says
// whether a retry can help; so is one of the way there ([schema.CodeUnavailable], [schema.CodeTimeout]). Where the
// caller's own context was cancelled, errors.Is(err, context.Canceled) holds. Publishing the same turn with the same
// id again is safe.
//
// A publish is answered once the log has the turn, or says why it was refused. Over NATS a turn can also be enqueued:
// then it is stored and on its way to intake, whether or not an ingester runs at that moment, and one that intake
// refuses ends among the dead letters. Nothing here retries by itself.
//
// Over NATS there are publishing, queries, forgetting and the status. Stating, editing and deleting memories, pins,
// settings, tool policies and raw events are over HTTP only, by decision: they are the work of people and operators, with
// permissions of their own there.
package client
