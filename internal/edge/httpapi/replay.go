package httpapi

import (
	"net/http"
	"strconv"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func (s *server) postReplay(w http.ResponseWriter, r *http.Request) {
	req, _, err := request[schema.ReplayRequest](s, r)
	accept(s, w, r, err, func() (schema.JobStarted, error) { return s.Replayer.Begin(r.Context(), req) })
}

func (s *server) getReplays(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(string) (schema.ReplayList, error) { return s.Replayer.List(r.Context()) })
}

func (s *server) deleteReplay(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("generation"))
	if err != nil || n < 1 {
		err = schema.Invalid("generation", "is not the number of a generation")
	}
	accept(s, w, r, err, func() (schema.Job, error) { return s.Replayer.Prune(r.Context(), n) })
}

func (s *server) postSwitch(w http.ResponseWriter, r *http.Request) {
	req, err := switchRequest(s, r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer(s, w, r, func(string) (schema.Job, error) { return s.Switcher.Switch(r.Context(), req) })
}

func (s *server) postRollback(w http.ResponseWriter, r *http.Request) {
	req, err := switchRequest(s, r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer(s, w, r, func(string) (schema.Job, error) { return s.Switcher.Rollback(r.Context(), req) })
}

func switchRequest(s *server, r *http.Request) (schema.SwitchRequest, error) {
	req, _, err := request[schema.SwitchRequest](s, r)
	return req, err
}

func (s *server) postSnapshot(w http.ResponseWriter, r *http.Request) {
	req, _, err := request[schema.SnapshotRequest](s, r)
	accept(s, w, r, err, func() (schema.JobStarted, error) { return s.Jobs.Snapshot(r.Context(), req.Generation) })
}

func (s *server) getJob(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(tenant string) (schema.Job, error) {
		job, err := s.Jobs.Job(r.Context(), tenant, r.PathValue("id"))
		if p := principal(r); err == nil && p != nil && !p.May(schema.ScopeAdmin) && job.Kind != schema.JobForget && job.Kind != schema.JobArchive {
			return schema.Job{}, &schema.Error{Code: schema.CodeDenied, Field: "Authorization", Message: "the token lacks the scope " + strconv.Quote(string(schema.ScopeAdmin)) + ", which jobs other than requests to forget and archive need"}
		}
		return job, err
	})
}

// accept begins what goes on after the answer; err is what is wrong with the request.
func accept[T any](s *server, w http.ResponseWriter, r *http.Request, err error, begin func() (T, error)) {
	var v T
	if err == nil {
		v, err = begin()
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	reply(w, http.StatusAccepted, v)
}
