// Package natsapi is the NATS edge: the services silt-ingest, silt-query, silt-forget and silt-status, which mirror
// routes of the HTTP edge. It holds no logic of its own; what it calls is behind ports that the wiring fills, and a
// process serves those whose ports it has.
//
// It guarantees that every request that was taken is answered, on shutdown too; that what is too much is refused at
// once and never queued; that an error answer has its code in the headers Nats-Service-Error and
// Nats-Service-Error-Code and, whole, as JSON in the body; that the tenant of another account's request is the
// account's, whatever the request says; and that no memory text is logged. docs/nats.md is the reference for clients.
package natsapi
