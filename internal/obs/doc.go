// Package obs sets up what operators look at: structured logs with fixed attribute names, a metrics registry of
// our own, traces, and readiness. It never sees memory text, and nothing here is global.
package obs
