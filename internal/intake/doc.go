// Package intake is where events enter: it validates, identifies, keeps the bytes as published and appends to
// the log. An answer is given only after the log has the event.
//
// It guarantees that what is acknowledged is in the log with its bytes unchanged, that the same id with the same
// body gives the same answer again, and that a refused event changes nothing. It does not decide whether an event
// is remembered: that is the pipeline's.
package intake
