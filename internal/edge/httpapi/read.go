package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func (s *server) getHealth(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]string{"status": "ok"})
}

func (s *server) getMetrics(w http.ResponseWriter, r *http.Request) { s.Metrics.ServeHTTP(w, r) }

// getReady answers 200 where every dependency answers, else 503 naming those that do not. What they say is for the
// operator: once there are tokens, for those with the scope admin alone.
func (s *server) getReady(w http.ResponseWriter, r *http.Request) {
	failing := s.Health.Failing(r.Context())
	if len(failing) == 0 {
		reply(w, http.StatusOK, map[string]string{"status": "ready"})
		return
	}
	p, err := s.authenticate(r)
	whole := err == nil && (p == nil || p.May(schema.ScopeAdmin))
	names := map[string]string{}
	for _, f := range failing {
		names[f.Name] = "does not answer"
		if whole {
			names[f.Name] = f.Err.Error()
		}
	}
	reply(w, http.StatusServiceUnavailable, map[string]any{"status": "not ready", "failing": names})
}

// getEvent answers the bytes as published.
func (s *server) getEvent(w http.ResponseWriter, r *http.Request) {
	t, err := tenant(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	raw, err := s.Events.Raw(r.Context(), t, r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	_, _ = w.Write(raw) // the client has gone: nobody is left to tell
}

func (s *server) getEventStatus(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(t string) (schema.EventStatus, error) {
		computed := r.URL.Query().Get("computed")
		if computed != "" && computed != "true" && computed != "false" {
			return schema.EventStatus{}, schema.Invalid("computed", "%q is not true or false", computed)
		}
		return s.Events.EventStatus(r.Context(), t, r.PathValue("id"), computed == "true")
	})
}

func (s *server) postQuery(w http.ResponseWriter, r *http.Request) {
	q, t, err := request[schema.Query](s, r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out, err := s.Querier.Query(r.Context(), t, q)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, out)
}

func (s *server) getMemories(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(t string) (schema.MemoryPage, error) {
		v := r.URL.Query()
		q := schema.MemoryQuery{User: v.Get("user"), Status: v.Get("status"), Type: schema.Type(v.Get("type")), Kind: schema.Kind(v.Get("kind")), Text: v.Get("q"), Cursor: v.Get("cursor")}
		if l := v.Get("limit"); l != "" {
			n, err := strconv.Atoi(l)
			if err != nil || n < 1 {
				return schema.MemoryPage{}, schema.Invalid("limit", "must be a whole number between 1 and %d", schema.MaxPage)
			}
			q.Limit = n
		}
		if err := q.Validate(); err != nil {
			return schema.MemoryPage{}, err
		}
		return s.Querier.Memories(r.Context(), t, q)
	})
}

func (s *server) getStatus(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(t string) (schema.StatusReply, error) { return s.Status.Status(r.Context(), t) })
}

func (s *server) getTools(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(t string) (map[string][]schema.ToolDef, error) {
		return map[string][]schema.ToolDef{"tools": s.Tools.Tools(t)}, nil
	})
}

func (s *server) getSettings(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(t string) (schema.Settings, error) {
		user := r.URL.Query().Get("user")
		if err := schema.CheckID("user", user); err != nil {
			return schema.Settings{}, err
		}
		return s.Settings.Settings(r.Context(), t, user)
	})
}

// answer runs a read for the request's tenant and replies with what it gives.
func answer[T any](s *server, w http.ResponseWriter, r *http.Request, read func(tenant string) (T, error)) {
	t, err := tenant(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	v, err := read(t)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, v)
}

// notFound answers unknown paths in the same JSON as every other error.
func (s *server) notFound(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, &schema.Error{Code: schema.CodeNotFound, Message: "there is nothing on this path"})
}

// elsewhere answers for a route of a role that this process does not run.
func (s *server) elsewhere(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.Refuse != nil {
			s.fail(w, r, s.Refuse())
			return
		}
		s.fail(w, r, &schema.Error{Code: schema.CodeNotFound, Message: "this process does not answer " + rt.name() + ": ask one that runs the role " + rt.role()})
	}
}

// wrongMethod answers the methods that a path does not have.
func (s *server) wrongMethod(has []string) http.HandlerFunc {
	if slices.Contains(has, http.MethodGet) {
		has = append(slices.Clone(has), http.MethodHead)
	}
	allow := strings.Join(slices.Sorted(slices.Values(has)), ", ")
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		s.fail(w, r, &schema.Error{Code: schema.CodeMethod, Message: "this path takes " + allow})
	}
}
