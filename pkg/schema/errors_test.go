package schema

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

func TestErrorsKeepTheirDecisionThroughWrapping(t *testing.T) {
	retry := Retryable(CodeUnavailable, 3*time.Second, io.ErrUnexpectedEOF, "the store is %s", "down")
	perm := Permanent(CodeCorrupt, io.EOF, "bytes differ")
	for name, c := range map[string]struct {
		err       error
		code      Code
		permanent bool
		after     time.Duration
	}{
		"nil":                      {nil, "", false, 0},
		"unknown":                  {io.EOF, CodeInternal, false, 0}, // unknown faults must not lose events
		"a context's end":          {context.Canceled, CodeInternal, false, 0},
		"permanent":                {perm, CodeCorrupt, true, 0},
		"retryable":                {retry, CodeUnavailable, false, 3 * time.Second},
		"invalid":                  {Invalid("user", "must not be empty"), CodeInvalid, true, 0},
		"wrapped twice":            {fmt.Errorf("write: %w", fmt.Errorf("apply: %w", retry)), CodeUnavailable, false, 3 * time.Second},
		"joined with an unknown":   {errors.Join(io.EOF, perm), CodeCorrupt, true, 0},
		"the outer one decides":    {Permanent(CodeTooLarge, retry, "given up"), CodeTooLarge, true, 0},
		"a wait without retry":     {&Error{Code: CodeInvalid, After: time.Second}, CodeInvalid, true, 0},
		"through a retryable unto": {Retryable(CodeTimeout, 0, perm, "late"), CodeTimeout, false, 0},
	} {
		if got := CodeOf(c.err); got != c.code {
			t.Errorf("%s: code %q, want %q", name, got, c.code)
		}
		if got := IsPermanent(c.err); got != c.permanent {
			t.Errorf("%s: permanent %v", name, got)
		}
		if got := RetryAfter(c.err); got != c.after {
			t.Errorf("%s: wait %v, want %v", name, got, c.after)
		}
	}
	wrapped := fmt.Errorf("query: %w", retry)
	if !errors.Is(wrapped, io.ErrUnexpectedEOF) || errors.Is(wrapped, io.EOF) {
		t.Error("errors.Is does not find the cause")
	}
	var e *Error
	if !errors.As(wrapped, &e) || e != retry {
		t.Error("errors.As does not find the error")
	}
	if !errors.Is(wrapped, retry) || errors.Is(wrapped, Retryable(CodeUnavailable, 3*time.Second, io.ErrUnexpectedEOF, "the store is down")) {
		t.Error("two errors of the same code are two errors")
	}
}

func TestErrorReadsAsOneSentence(t *testing.T) {
	for want, err := range map[string]error{
		"invalid: user: must not be empty":                     Invalid("user", "must not be empty"),
		"unavailable: the store is down: unexpected EOF":       Retryable(CodeUnavailable, 0, io.ErrUnexpectedEOF, "the store is down"),
		"corrupt: bytes differ":                                Permanent(CodeCorrupt, nil, "bytes differ"),
		"too_large: limit: the reply is too long: short write": &Error{Code: CodeTooLarge, Field: "limit", Message: "the reply is too long", Err: io.ErrShortWrite},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
