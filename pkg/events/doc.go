// Package events is everything that Siltstone keeps in NATS JetStream: the streams and their durables as data
// ([Topology], [Ensure]), the envelope that travels in message headers ([Headers], [ParseEnvelope]), the log that
// is the only truth ([Log]), the claim check for large bodies ([Blobs]), the settled floor and the recovery from
// it ([Floor]), the small state beside the log ([State], [Slots]), and the bus between the stages.
//
// It guarantees:
//   - an event acknowledged by [Log.Append] is in the log, once, byte for byte, under the sequence answered;
//   - a work stream ([WorkStream]) may vanish at any moment: [Ensure] makes it again and has everything above the
//     settled floor delivered anew, so that no accepted event is lost with it;
//   - the settled floor never passes an event that is not settled; it may lag behind, which costs work, not data;
//   - an id reaches a subject, a key or a blob name only through [schema.Token].
//
// It does not guarantee an order between events, nor that a stage sees an event once: stages are idempotent.
//
// What becomes of an event whose handler fails, by the error ([schema.Code]; the sorting is in verdict.go):
//
//	permanent                               buried at once, in the dead letters
//	[ErrWait], overloaded                   tried again, for ever: it says nothing about the event
//	unavailable, timeout, denied, deadline  tried again, for ever; but a delivery in which the event failed, another
//	                                        event of the stage passed, and it failed again counts against it
//	any other                               tried again; each delivery counts against it
//	none: the process died                  delivered again; after MaxDeliver in a row the event runs alone, and is
//	                                        buried where two such runs end the process as well
//
// Buried is what MaxDeliver deliveries count against. Errors of the second and third kind are waited out in place,
// with a growing delay, for Hold at a time: the window fills and nothing more is pulled. So nothing is buried for an
// outage, of whatever length, and an event that alone times out ends after about MaxDeliver × Hold.
//
// Four rules that users of the package must keep, since no code here can:
//   - whatever publishes to a work stream sets the floor with [Floor.Stamp] first (a message without one is
//     correct, but holds the floor back until it is settled);
//   - a message is acknowledged only over the connection incarnation that delivered it: an acknowledgement that
//     outlives a server restart could settle an event whose derived messages went down with a memory stream;
//   - a handler does not wait inside for events that handlers of its router settle: it returns [Wait];
//   - a generation's number is never used again after [Prune].
package events
