package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// fail answers with err. Faults of ours are logged here, and only here; refusals for want of room are none.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := schema.Wire(err)
	status := e.Code.Info().HTTP
	if status >= 500 && e.Code != schema.CodeOverloaded && e.Code != schema.CodeNoSpace { // they come in floods, and are told of once where they begin
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
	_ = enc.Encode(schema.WithLists(v)) // the client has gone: nobody is left to tell
}
