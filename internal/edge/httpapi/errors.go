package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// wire turns any error into what a client may see: the inside of an unknown error stays inside.
func wire(err error) schema.WireError {
	var e *schema.Error
	switch {
	case errors.As(err, &e):
		return schema.WireError{Code: e.Code, Field: e.Field, Message: e.Message}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return schema.WireError{Code: schema.CodeTimeout, Message: "the time limit passed; try again"}
	}
	return schema.WireError{Code: schema.CodeInternal, Message: "a fault on our side; the log names it under this request id"}
}

// fail answers with err. Faults of ours are logged here, and only here; refusals for want of room are none.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := wire(err)
	status := e.Code.Info().HTTP
	if status >= 500 && e.Code != schema.CodeOverloaded { // which is no fault, and comes in floods
		s.Logger.LogAttrs(r.Context(), slog.LevelError, "request failed", slog.String(obs.KeyRequest, requestID(r.Context())),
			slog.String("route", r.Pattern), slog.String(obs.KeyCode, string(e.Code)), slog.String(obs.KeyError, err.Error()))
	}
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		after := max(1, int(schema.RetryAfter(err).Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(after))
	}
	if e.Code == schema.CodeSlowBody {
		w.Header().Set("Connection", "close") // its read deadline has passed
	}
	reply(w, status, struct {
		Error   schema.WireError `json:"error"`
		Request string           `json:"request_id"`
	}{e, requestID(r.Context())})
}

// reply writes v as JSON.
func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client has gone: nobody is left to tell
}
