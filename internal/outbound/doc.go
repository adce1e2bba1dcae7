// Package outbound makes HTTP clients for servers that the operator's configuration names: embedders, models.
//
// It guarantees that no connection is made to an address that the rule below refuses, whatever a name resolves to at
// that moment: the check is made on the resolved address, as the connection is dialled. No redirect is followed, and
// no proxy is used but one that is configured.
//
// The rule. Link-local addresses, those at which clouds serve the credentials of a machine, multicast and unspecified
// addresses are never reached. An address that the configuration spells out in figures is reached, private or not:
// whoever wrote it meant it. localhost may be this machine and nothing else. Any other name has to be a public address,
// unless private ones are allowed: a name in a public zone whose owner points it into this network reaches nothing.
package outbound
