// Package nats runs a NATS server with JetStream inside this process.
//
// It guarantees:
//   - nothing listens on the network unless [Options].Listen asks for it, and then on a loopback address only;
//   - every acknowledged append has been fsynced (the server's SyncAlways), unless [Options].Unsynced is set. The
//     server's own default acknowledges up to two minutes earlier; a power cut then loses what was acknowledged;
//   - one store directory serves one process: a second start is refused ([ErrLocked]);
//   - a stream that stands on disk and could not be recovered refuses the start ([ErrNotRecovered]) instead of
//     being passed over with a line in the log, as the server does by itself;
//   - the store may grow to three quarters of the free space, so that a full disk is met as a clean refusal. A disk
//     that other programs fill up is not covered: JetStream then stops answering appends until it is restarted.
//
// It does not create streams, and it knows nothing of what they hold.
package nats
