package natsapi

import (
	"strconv"
	"sync/atomic"
	"time"
)

// Stats of a service: the services API itself measures only how long a request takes to be handed on.
type Stats struct {
	Answered   uint64            `json:"answered"`   // also with an error
	Failed     uint64            `json:"failed"`     // among them those answered with an error
	Overloaded uint64            `json:"overloaded"` // refused at once
	Working    int               `json:"working"`    // at this moment
	UnderMS    map[string]uint64 `json:"under_ms"`   // how many were answered within so many milliseconds, cumulative
}

// Stats returns the counts of a service, such as silt-query, since Serve; zeros for one that is not served here.
func (s *Server) Stats(service string) Stats {
	for _, r := range s.running {
		if r.name == service {
			return r.own.plus(r.tenants.stats())
		}
	}
	return Stats{}
}

// counts are what one endpoint of a service counts.
type counts struct {
	times   histogram
	over    atomic.Uint64
	failed  atomic.Uint64
	working atomic.Int64
}

func (c *counts) stats() Stats { return c.plus(Stats{}) }

// plus is what c counts together with other.
func (c *counts) plus(other Stats) Stats {
	st := Stats{Overloaded: c.over.Load() + other.Overloaded, Failed: c.failed.Load() + other.Failed, Working: int(c.working.Load()) + other.Working, UnderMS: map[string]uint64{}}
	for i, ms := range bounds {
		st.Answered += c.times[i].Load()
		st.UnderMS[strconv.Itoa(ms)] = st.Answered + other.UnderMS[strconv.Itoa(ms)]
	}
	st.Answered += c.times[len(bounds)].Load() + other.Answered
	return st
}

var bounds = [...]int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000}

type histogram [len(bounds) + 1]atomic.Uint64

func (h *histogram) add(d time.Duration) {
	for i, ms := range bounds {
		if d <= time.Duration(ms)*time.Millisecond {
			h[i].Add(1)
			return
		}
	}
	h[len(bounds)].Add(1)
}
