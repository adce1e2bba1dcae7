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
// Three rules that users of the package must keep, since no code here can:
//   - whatever publishes to a work stream sets the floor with [Floor.Stamp] first (a message without one is
//     correct, but holds the floor back until it is settled);
//   - a message is acknowledged only over the connection incarnation that delivered it: an acknowledgement that
//     outlives a server restart could settle an event whose derived messages went down with a memory stream;
//   - a generation's number is never used again after [Prune].
package events
