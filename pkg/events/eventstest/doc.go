// Package eventstest gives tests a real nats-server: in the test's own process ([Server]) or in a child process
// that can be killed without warning and started again on the same data and address ([Child]).
//
// It is the only such helper; import it from tests alone. Servers listen on the loopback, keep their data under
// t.TempDir and end with the test.
package eventstest
