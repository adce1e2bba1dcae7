package schema

// CodeInfo is one line of the error catalogue: what a code means, and what every edge answers for it.
type CodeInfo struct {
	Code    Code
	HTTP    int    // status of the HTTP edge
	NATS    int    // Nats-Service-Error-Code of the NATS services
	Retry   bool   // the same request may succeed later
	Meaning string // one sentence for a person
	Remedy  string // what whoever sent the request can do
}

// Catalogue is every code of the catalogue, by status. It is the one mapping from codes to what edges answer, and the
// reference of errors is made from it.
var Catalogue = []CodeInfo{
	{CodeInvalid, 400, 400, false, "The request breaks the contract; `field` names where.", "Mend the field and send the request again."},
	{CodeUnauthenticated, 401, 401, false, "There is no credential, or none that holds: unknown, expired or revoked.", "Send `Authorization: Bearer` and a token; `siltstone token` makes them."},
	{CodeDenied, 403, 403, false, "The credential, the source class, the Host header or the origin does not allow it.", "Use a credential with the scope that the reference names, or the host name that the server answers to."},
	{CodeNotFound, 404, 404, false, "There is no such path, event, memory, tool or job, or it was forgotten.", "Check the id and the tenant; an event just accepted is found once it is settled."},
	{CodeMethod, 405, 405, false, "The path exists, with other methods.", "Use one of the methods in the header `Allow`."},
	{CodeSlowBody, 408, 408, true, "The body came more slowly than the least rate.", "Send it again over a faster line, or in smaller pieces."},
	{CodeConflict, 409, 409, false, "The id is taken by another body, or belonged to an event that was erased.", "Give the new content an id of its own."},
	{CodeSuperseded, 409, 409, false, "The memory is history: another statement holds in its place.", "Edit what holds now, whose id the message names, or state it anew."},
	{CodeTooLarge, 413, 413, false, "A body, line, text or reply is over its limit, unpacked where it came packed.", "Split it; the message or the configuration names the limit."},
	{CodeMediaType, 415, 415, false, "The body's media type or encoding is not one that the path takes; `field` names the header.", "Send JSON, or NDJSON where many are taken, as it is or with gzip."},
	{CodeRateLimited, 429, 429, true, "Too many attempts without a valid token came from that address.", "Wait for `Retry-After`, and send a valid token."},
	{CodeInternal, 500, 500, false, "A fault of the server.", "Report it with the request id, under which the server's log names it."},
	{CodeCorrupt, 500, 500, false, "Stored bytes do not match their hash.", "Report it; restore the data directory from a copy."},
	{CodeUnsupported, 501, 422, false, "A schema version or parameter that this build does not know.", "Use a newer server, or leave the parameter out."},
	{CodeUnavailable, 503, 503, true, "Something that the server needs does not answer.", "Try again, after the time that `Retry-After` names where it does; `/readyz` names what is down."},
	{CodeOverloaded, 503, 429, true, "A bound of the server was reached: requests, bytes or what waits for the pipeline.", "Try again after `Retry-After`, with fewer requests at once."},
	{CodeNoSpace, 503, 503, true, "The server's disk is nearly full, or cannot be written: nothing new is stored until it can.", "Try again after `Retry-After`; whoever runs the server frees space, and it goes on by itself. `/readyz` says `disk` until then."},
	{CodeTimeout, 504, 504, true, "The time limit passed. Whether a write took effect is open.", "Send the same request again; with the same id a turn is stored once."},
}

// Info is the catalogue's line of c; that of an unknown code is CodeInternal's.
func (c Code) Info() CodeInfo {
	var fault CodeInfo
	for _, i := range Catalogue {
		switch i.Code {
		case c:
			return i
		case CodeInternal:
			fault = i
		}
	}
	return fault
}
