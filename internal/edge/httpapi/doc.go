// Package httpapi is the HTTP edge: routes, one mapping from errors to statuses, and the guards every request
// passes. It holds no logic of its own; what it calls is behind ports that the wiring fills.
//
// It guarantees that every error answer is JSON with a code of the catalogue and the field at fault, that a
// request never reaches a handler with a foreign Host header or from a foreign origin, and that no memory text is
// logged.
package httpapi
