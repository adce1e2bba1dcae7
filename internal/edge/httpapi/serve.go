package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// readersPerSlot is how many requests may be open for one that is worked on: most of their time goes into bodies on
// their way and into waiting.
const readersPerSlot = 4

// bounds is what all requests share.
type bounds struct {
	open  places  // requests under /v1/, from their first byte to their last
	work  places  // requests that a port works on
	bytes *budget // bodies in memory
}

// handler is a route as a request reaches it: its parameters are checked and its body is read before it takes one of
// the slots for work, and it ends within its time limit.
func (s *server) handler(rt route, op operation) http.HandlerFunc {
	limit := s.limit(rt, op)
	api := strings.HasPrefix(rt.path, "/v1/")
	return func(w http.ResponseWriter, r *http.Request) {
		if err := checkParams(r, op.params); err != nil {
			s.fail(w, r, err)
			return
		}
		if api {
			if !s.bounds.open.enter() {
				s.fail(w, r, overloaded("too many requests are open"))
				return
			}
			defer s.bounds.open.leave()
		}
		if op.streams {
			rt.serve(s, w, r)
			return
		}
		h := s.bounds.bytes.hold()
		if op.takes != "" {
			b, err := s.readBody(w, r, op.limit(&s.Config), h)
			if err != nil {
				h.free(0)
				s.fail(w, r, err)
				return
			}
			r.Body = newWhole(b)
		}
		if api && !s.bounds.work.enter() {
			h.free(0)
			s.fail(w, r, overloaded("too many requests are worked on"))
			return
		}
		leave := sync.OnceFunc(func() {
			if api {
				s.bounds.work.leave()
			}
		})
		limit := limit
		if r.URL.Query().Has("wait") {
			limit += waitLimit
		}
		r = r.WithContext(context.WithValue(r.Context(), slotKey{}, leave))
		s.timed(w, r, limit, func(w http.ResponseWriter, r *http.Request) { rt.serve(s, w, r) }, func() {
			h.free(0)
			leave()
		})
	}
}

// slotKey is under which a request carries how it gives back its slot before its end.
type slotKey struct{}

// leaveSlot gives back the slot of a request that has nothing left to do but wait.
func leaveSlot(ctx context.Context) {
	if leave, ok := ctx.Value(slotKey{}).(func()); ok {
		leave()
	}
}

// readBody checks what a body says of itself and reads it.
func (s *server) readBody(w http.ResponseWriter, r *http.Request, limit int, h *hold) ([]byte, error) {
	if _, err := media(r, false); err != nil {
		return nil, err
	}
	src, err := s.open(w, r, limit)
	if err != nil {
		return nil, err
	}
	return slurp(r.Context(), src, h, most(r, limit))
}

// limit is the time that a route has.
func (s *server) limit(rt route, op operation) time.Duration {
	if op.reads || rt.method == http.MethodGet {
		return s.ReadTimeout
	}
	return s.WriteTimeout
}

// checkParams refuses what a route does not know, and what stands twice: it would be passed over without a word.
func checkParams(r *http.Request, known []param) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return schema.Invalid("", "what follows the ? of the address is not a list of parameters")
	}
	for name, vs := range values {
		if !slices.ContainsFunc(known, func(p param) bool { return p.name == name }) {
			return schema.Invalid(clipName(name), "is not a known parameter")
		}
		if len(vs) > 1 {
			return schema.Invalid(name, "stands %d times", len(vs))
		}
	}
	return nil
}

// clipName keeps what a client sent short in an answer.
func clipName(s string) string {
	if len(s) > 64 {
		s = s[:64]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// publish hands turns on within the time limit of a write, with a slot for it. Where the limit passes, what became of
// them is open; the slot and the memory that h has taken for them are free again once they are through.
func (s *server) publish(ctx context.Context, tenant string, raws [][]byte, h *hold, patient bool) ([]schema.Accepted, []error, error) {
	if patient && !s.bounds.work.await(ctx) || !patient && !s.bounds.work.enter() {
		return nil, nil, overloaded("too many requests are worked on")
	}
	type outcome struct {
		acc   []schema.Accepted
		errs  []error
		crash *crash
	}
	done := make(chan outcome, 1)
	limited, cancel := context.WithTimeout(ctx, s.WriteTimeout)
	go func() {
		defer cancel()
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.crash = newCrash(p)
			}
			s.bounds.work.leave()
			done <- o
		}()
		o.acc, o.errs = s.Publisher.Publish(limited, tenant, raws)
	}()
	late := time.NewTimer(s.WriteTimeout + grace)
	defer late.Stop()
	select {
	case o := <-done:
		if o.crash != nil {
			panic(o.crash)
		}
		return o.acc, o.errs, nil
	case <-late.C:
		lent := h.lend()
		go func() {
			o := <-done
			lent.free(0)
			s.crashed(ctx, o.crash)
		}()
		return nil, nil, errTimeout()
	}
}
