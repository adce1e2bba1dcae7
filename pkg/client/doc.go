// Package client is how Go agents talk to Siltstone: publish turns, ask for memory, forget. Over HTTP ([NewHTTP])
// or over NATS ([NewNATS]), with the same types.
//
// An error that the server answered is a *[schema.Error] with the server's code, field and message, and says
// whether a retry can help. Publishing the same turn with the same id again is safe.
package client
