package schema

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Code is the stable name of an error on the wire. [Catalogue] maps it to what every edge answers.
type Code string

// The error catalogue. A client may rely on these strings.
const (
	CodeInvalid         Code = "invalid"                // the request breaks the schema; Field names where
	CodeTooLarge        Code = "too_large"              // a body, line or text is over its limit
	CodeConflict        Code = "conflict"               // the id is taken by another body
	CodeSuperseded      Code = "superseded"             // the memory is history: another statement holds in its place
	CodeNotFound        Code = "not_found"              // no such event, memory, tool or job
	CodeDenied          Code = "denied"                 // the credential or source class may not do that
	CodeUnauthenticated Code = "unauthenticated"        // no credential, or none that holds
	CodeRateLimited     Code = "rate_limited"           // too often from one source; waiting helps
	CodeMethod          Code = "method_not_allowed"     // the path exists, with other methods
	CodeMediaType       Code = "unsupported_media_type" // the body's type or encoding is not taken here
	CodeSlowBody        Code = "slow_body"              // the body came too slowly
	CodeUnsupported     Code = "unsupported"            // a schema version or parameter this build does not know
	CodeUnavailable     Code = "unavailable"            // a dependency is down; retrying helps
	CodeOverloaded      Code = "overloaded"             // a bound was reached; retrying later helps
	CodeNoSpace         Code = "no_space"               // the server's disk is nearly full; retrying helps once there is space
	CodeTimeout         Code = "timeout"                // the time limit passed
	CodeCorrupt         Code = "corrupt"                // stored bytes do not match their hash
	CodeInternal        Code = "internal"               // a fault of ours
)

// Error is the one error type that crosses package borders with a decision in it: its code, the field at fault,
// and whether a retry can help. An error that is not an *Error is treated as retryable by the runner: unknown
// faults must not lose events.
type Error struct {
	Code    Code          // catalogue entry
	Field   string        // JSON path of the field at fault, e.g. "tool_results[2].name"; empty where none is
	Message string        // one sentence for a person; never holds memory text
	Retry   bool          // true: the same call may succeed later
	After   time.Duration // with Retry: wait at least this long; 0 leaves it to the caller's backoff
	Err     error         // cause, may be nil
}

// Error implements error.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.Field != "" {
		s = string(e.Code) + ": " + e.Field + ": " + e.Message
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Invalid is a permanent error about one field of a request.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Permanent is an error that no retry mends: the event goes to the dead letters at once.
func Permanent(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: cause}
}

// Retryable is an error that may pass: the event is tried again after at least after.
func Retryable(code Code, after time.Duration, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: cause, Retry: true, After: after}
}

// IsPermanent reports whether err holds an *Error that no retry mends. A nil or unknown error is not permanent.
func IsPermanent(err error) bool {
	var e *Error
	return errors.As(err, &e) && !e.Retry
}

// CodeOf is the catalogue code in err: CodeInternal where err holds no *Error, empty for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// RetryAfter is the least wait that err asks for, 0 where it asks for none.
func RetryAfter(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) && e.Retry {
		return e.After
	}
	return 0
}

// Wire is err, which must not be nil, as clients of every edge may see it: the inside of an unknown error stays inside.
func Wire(err error) WireError {
	var e *Error
	switch {
	case errors.As(err, &e):
		return WireError{Code: e.Code, Field: e.Field, Message: e.Message}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return WireError{Code: CodeTimeout, Message: "the time limit passed; try again"}
	}
	return WireError{Code: CodeInternal, Message: "a fault on our side; the log names it under this request id"}
}

// ErrNoCollection is in errors of stores where what was asked has no collections: they were never made, or are lost. There
// are no points then.
var ErrNoCollection = errors.New("no such collection")
