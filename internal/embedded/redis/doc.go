// Package redis runs a Redis inside this process, for the cache of an embedded start.
//
// The server is miniredis: it speaks RESP, runs Lua and implements the commands that Siltstone's adapter uses. Its
// authors made it for tests; what it lacks as a server is added here or holds by how it is used:
//
//   - It keeps nothing on disk and starts empty. Everything Siltstone puts into Redis is a cache that is filled
//     again from the vector store; only last-access times are lost with it.
//   - Its clock stands still by itself. Here it is pushed once a second, so that keys expire; one may go up to a
//     second early, and no more than about a second late (more once there are so many keys that a pass takes over
//     20 ms: passes may use at most 2 % of a core).
//   - It has no maxmemory. [Options].MaxKeys bounds it instead: beyond that everything is dropped at once, which a
//     cache survives.
//
// By default nothing listens: clients come through [Server.Dial], so that no other program or user of the machine
// can read anyone's memories, and no port can clash. A listener, where one is asked for, is on a loopback address
// and needs a password, a random one unless one is given.
package redis
