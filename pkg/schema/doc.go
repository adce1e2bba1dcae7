// Package schema holds the wire types of Siltstone: what clients send, what travels between the stages,
// and what the stores keep. It imports the standard library alone.
//
// It guarantees:
//   - requests are decoded strictly ([Decode]): an unknown field, a duplicate key, trailing data or invalid
//     UTF-8 is an [Error] that names the field;
//   - stored events are decoded tolerantly, by version ([DecodeStored]);
//   - ids are derived, never drawn: the same input gives the same id on every machine ([EventUUID], [PointID]);
//   - ids reach subjects, keys and file names through one injective encoder ([Token]).
//
// It does no I/O, starts no goroutine and reads no clock.
package schema
