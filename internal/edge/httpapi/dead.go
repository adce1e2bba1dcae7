package httpapi

import (
	"net/http"
	"strconv"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// deadPage is how many dead letters a page holds where nothing is said.
const deadPage = 100

func (s *server) getDeadLetters(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(t string) (schema.DeadLetterList, error) {
		q, limit := r.URL.Query(), deadPage
		if v := q.Get("limit"); v != "" {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > schema.MaxPage {
				return schema.DeadLetterList{}, schema.Invalid("limit", "must lie between 1 and %d", schema.MaxPage)
			}
			limit = n
		}
		return s.Dead.DeadLetters(r.Context(), t, q.Get("cursor"), limit)
	})
}

func (s *server) getDeadLetter(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(t string) (schema.DeadLetter, error) {
		original := r.URL.Query().Get("original")
		if original != "" && original != "true" && original != "false" {
			return schema.DeadLetter{}, schema.Invalid("original", "%q is not true or false", clipName(original))
		}
		if p := principal(r); original == "true" && p != nil && !p.May(schema.ScopeRaw) {
			return schema.DeadLetter{}, &schema.Error{Code: schema.CodeDenied, Field: "original", Message: "the token lacks the scope " + strconv.Quote(string(schema.ScopeRaw))}
		}
		return s.Dead.DeadLetter(r.Context(), t, r.PathValue("id"), original == "true")
	})
}

func (s *server) postRetry(w http.ResponseWriter, r *http.Request) {
	t, err := tenant(r)
	accept(s, w, r, err, func() (schema.DeadReply, error) { return s.Dead.Retry(r.Context(), t, r.PathValue("id")) })
}

func (s *server) deleteDeadLetter(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(t string) (schema.DeadReply, error) { return s.Dead.Drop(r.Context(), t, r.PathValue("id")) })
}

func (s *server) postAudit(w http.ResponseWriter, r *http.Request) {
	req, t, err := request[schema.AuditRequest](s, r)
	accept(s, w, r, err, func() (schema.JobStarted, error) { return s.Auditor.Audit(r.Context(), t, req) })
}

func (s *server) getLog(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(string) (schema.LogState, error) { return s.Keeper.LogState(r.Context()) })
}

func (s *server) postLogAccept(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(string) (schema.LogState, error) { return s.Keeper.AcceptLog(r.Context()) })
}
