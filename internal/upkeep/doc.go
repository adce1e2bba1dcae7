// Package upkeep keeps what the pipeline made in order: it carries out forget events, knows which memories they
// reach, and accounts for every accepted event.
//
// It guarantees that a forget event reaches everything of its user up to its own place in the log, in every
// registered generation, that readers stop showing it as soon as they know the event, and that a worker that was
// late cannot bring it back. The raw log is not touched here.
package upkeep
