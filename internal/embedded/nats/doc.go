// Package nats runs a NATS server with JetStream inside this process.
//
// It guarantees:
//   - nothing listens on the network unless [Options].Listen asks for it, and then on a loopback address only;
//   - every acknowledged append has been fsynced (the server's SyncAlways), unless [Options].Unsynced is set. The
//     server's own default acknowledges up to two minutes earlier; a power cut then loses what was acknowledged;
//   - one store directory serves one process: a second start is refused ([ErrLocked]);
//   - a stream that stands on disk and could not be recovered refuses the start ([ErrNotRecovered]) instead of
//     being passed over with a line in the log, as the server does by itself;
//   - the store refuses, with an answer, what would take the disk below a reserve ([Server.Bound], to be called again
//     and again). Where another program fills the disk all the same, or the disk fails, [Server.Broken] says so, and
//     [Server.Restart] makes it whole once there is space: the server itself would take nothing until then.
//
// It does not create streams, and it knows nothing of what they hold.
package nats
