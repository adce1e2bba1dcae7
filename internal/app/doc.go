// Package app is the only wiring: it opens the servers, embedded or remote, builds stores, stages and edges from
// the configuration, and runs the roles until it is told to stop. Nothing else knows which servers are embedded.
//
// Run returns only after everything it started has ended. On the first signal work in hand is finished and what
// was not begun goes back; cancelling the second context forces the end.
package app
