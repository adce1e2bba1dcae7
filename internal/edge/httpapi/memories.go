package httpapi

import (
	"net/http"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// postMemory takes an explicit memory.
func (s *server) postMemory(w http.ResponseWriter, r *http.Request) {
	m, t, err := request[schema.MemoryWrite](s, r)
	write(s, w, r, err, func() (schema.Written, error) { return s.MemoryWriter.Remember(r.Context(), t, m) })
}

// patchMemory changes what a memory says or weighs.
func (s *server) patchMemory(w http.ResponseWriter, r *http.Request) {
	p, t, err := request[schema.MemoryPatch](s, r)
	if err == nil {
		q := r.URL.Query().Get("user")
		if p.User != "" && q != "" && p.User != q {
			err = schema.Invalid("user", "differs from the user in the query")
		} else if p.User == "" {
			p.User = q
		}
	}
	write(s, w, r, err, func() (schema.Written, error) {
		return s.MemoryWriter.EditMemory(r.Context(), t, r.PathValue("id"), p)
	})
}

func (s *server) deleteMemory(w http.ResponseWriter, r *http.Request) {
	t, user, id, err := one(r)
	write(s, w, r, err, func() (schema.Written, error) { return s.MemoryWriter.DeleteMemory(r.Context(), t, user, id) })
}

func (s *server) getMemory(w http.ResponseWriter, r *http.Request) {
	t, user, id, err := one(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer(s, w, r, func(string) (schema.MemoryView, error) { return s.MemoryReader.Memory(r.Context(), t, user, id) })
}

// postPin takes a pin.
func (s *server) postPin(w http.ResponseWriter, r *http.Request) {
	p, t, err := request[schema.Pin](s, r)
	write(s, w, r, err, func() (schema.Written, error) { return s.Pinner.Pin(r.Context(), t, p) })
}

func (s *server) deletePin(w http.ResponseWriter, r *http.Request) {
	t, user, id, err := one(r)
	write(s, w, r, err, func() (schema.Written, error) { return s.Pinner.Unpin(r.Context(), t, user, id) })
}

func (s *server) getPins(w http.ResponseWriter, r *http.Request) {
	answer(s, w, r, func(t string) (schema.PinList, error) {
		user := r.URL.Query().Get("user")
		if err := schema.CheckID("user", user); err != nil {
			return schema.PinList{}, err
		}
		return s.MemoryReader.Pins(r.Context(), t, user)
	})
}

// one reads what names one memory: the tenant, the user in the query and the id in the path.
func one(r *http.Request) (t, user, id string, err error) {
	if t, err = tenant(r); err != nil {
		return
	}
	user, id = r.URL.Query().Get("user"), r.PathValue("id")
	if err = schema.CheckID("user", user); err == nil {
		err = schema.CheckID("id", id)
	}
	return t, user, id, err
}

// write carries an explicit write out, unless the request is at fault already, and waits where that is asked for.
func write(s *server, w http.ResponseWriter, r *http.Request, err error, do func() (schema.Written, error)) {
	wait := r.URL.Query().Get("wait")
	if err == nil && r.URL.Query().Has("wait") && wait != "indexed" {
		err = schema.Invalid("wait", "%q is not indexed", clipName(wait))
	}
	var out schema.Written
	if err == nil {
		out, err = do()
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out.Indexed = s.waited(r.Context(), wait, out.Seq)
	reply(w, http.StatusAccepted, out)
}
