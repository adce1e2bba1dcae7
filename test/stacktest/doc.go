// Package stacktest runs whole Siltstone processes for end-to-end tests and looks at them from outside: over HTTP and
// NATS as clients do, and into every store as an operator could.
package stacktest
