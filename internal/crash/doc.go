// Package crash names the moments at which a process is made to die in tests: between two steps that a power cut or a kill
// could come between.
//
// In a build without the tag "chaos", which is every build that is meant for use, its functions are empty and compile to
// nothing. With the tag, the environment variable SILTSTONE_TEST_CRASH arms one point or several, separated by commas, each as
// name:n, for the n-th time that the process comes by, or name@id, for every time that it comes by with the event of that
// id; the process then writes a line to its standard error and kills itself with SIGKILL, so that nothing of it is
// cleaned up, flushed or answered.
//
// SILTSTONE_TEST_SABOTAGE=ack-first makes such a build acknowledge messages before it works on them: the fault that the checks
// of a chaos run must find.
package crash
