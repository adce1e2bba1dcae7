package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/siltstone-ai/siltstone/internal/edge"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// waitLimit bounds ?wait=indexed.
const waitLimit = 30 * time.Second

// postEvents accepts one turn, or many as NDJSON. It takes slots itself, for the time that turns are being written:
// neither a body on its way nor who waits for the index holds one.
func (s *server) postEvents(w http.ResponseWriter, r *http.Request) {
	t, err := tenant(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	wait := r.URL.Query().Get("wait")
	if r.URL.Query().Has("wait") && wait != "indexed" {
		s.fail(w, r, schema.Invalid("wait", "%q is not indexed", clipName(wait)))
		return
	}
	many, err := media(r, true)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if many {
		s.postBatch(w, r, t, wait)
		return
	}
	acc, err := s.postTurn(w, r, t)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	acc.Indexed = s.waited(r.Context(), wait, acc.Seq)
	reply(w, http.StatusAccepted, acc)
}

func (s *server) postTurn(w http.ResponseWriter, r *http.Request, tenant string) (schema.Accepted, error) {
	h := s.bounds.bytes.hold()
	defer h.free(0)
	src, err := s.open(w, r, s.MaxTurn)
	if err != nil {
		return schema.Accepted{}, err
	}
	raw, err := slurp(r.Context(), src, h, most(r, s.MaxTurn))
	if err != nil {
		return schema.Accepted{}, err
	}
	acc, errs, err := s.publish(r.Context(), tenant, [][]byte{raw}, h, false)
	if err != nil {
		return schema.Accepted{}, err
	}
	return acc[0], errs[0]
}

// waited waits, where that was asked for, until everything up to seq is searchable; nil where it was not asked for.
func (s *server) waited(ctx context.Context, wait string, seq uint64) *bool {
	if wait == "" || s.Status == nil || seq == 0 {
		return nil
	}
	done := edge.Indexed(ctx, s.Status, seq, waitLimit, func() { leaveSlot(ctx) })
	return &done
}

// postForget makes turns and memories go.
func (s *server) postForget(w http.ResponseWriter, r *http.Request) {
	f, t, err := request[schema.Forget](s, r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out, err := s.Forgetter.Forget(r.Context(), t, f)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	reply(w, http.StatusAccepted, out)
}

// postArchive prunes turns.
func (s *server) postArchive(w http.ResponseWriter, r *http.Request) {
	a, t, err := request[schema.Archive](s, r)
	accept(s, w, r, err, func() (schema.ArchiveReply, error) { return s.Archiver.Archive(r.Context(), t, a) })
}

// postErase makes every trace of a user go.
func (s *server) postErase(w http.ResponseWriter, r *http.Request) {
	req, t, err := request[schema.EraseRequest](s, r)
	accept(s, w, r, err, func() (schema.JobStarted, error) { return s.Eraser.Erase(r.Context(), t, req) })
}

// putTool sets a tool's policy for the tenant.
func (s *server) putTool(w http.ResponseWriter, r *http.Request) {
	p, t, err := request[schema.ToolPolicy](s, r)
	if err == nil {
		name := r.PathValue("name")
		if p.Name != "" && p.Name != name {
			err = schema.Invalid("name", "differs from the name in the path")
		}
		p.Name = name
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	def, err := s.Tools.SetTool(r.Context(), t, p)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, def)
}

// putSettings replaces what a user has switched.
func (s *server) putSettings(w http.ResponseWriter, r *http.Request) {
	set, t, err := request[schema.Settings](s, r)
	if err == nil {
		err = s.Settings.SetSettings(r.Context(), t, r.URL.Query().Get("user"), set)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, set)
}

// maxRequest bounds the bodies that are not turns.
const maxRequest = 4 << 20

// request reads the tenant and strictly decodes the body, which has been read.
func request[T any](s *server, r *http.Request) (v T, t string, err error) {
	if t, err = tenant(r); err != nil {
		return v, t, err
	}
	v, err = schema.Decode[T](body(r))
	return v, t, err
}
