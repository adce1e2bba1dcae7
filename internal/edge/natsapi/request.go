package natsapi

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/nats-io/nats.go/micro"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// defaultTenant is the tenant of a request without the header.
const defaultTenant = "default"

// request is a message as the handlers see it.
type request struct {
	service *running
	counts  *counts
	id      string // names the request in the log
	reply   string // subject of the answer; "" where nobody waits for one
	header  micro.Headers
	body    []byte
	bytes   int64  // of the budget
	leave   func() // gives back the slot and the bytes, once
	tenant  string
	foreign bool // it comes from an account that is not the operator's
}

func newRequest(s *running, c *counts, r micro.Request) *request {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return &request{service: s, counts: c, id: hex.EncodeToString(b[:]), reply: r.Reply(), header: r.Headers(), body: r.Data()}
}

// whose finds the tenant: by the subject for another account's request, where the server has put the account's token
// and nothing in the request can change it; else by the header, which the operator's account alone can send.
func (r *request) whose(subject string) error {
	tenant, err := r.one(events.HeaderTenant)
	if err != nil {
		return err
	}
	if tok, ok := strings.CutPrefix(subject, r.service.subject+"."); ok {
		r.foreign = true
		if tenant, ok = schema.Untoken(tok); !ok {
			return schema.Invalid("subject", "does not end in the token of a tenant")
		}
	}
	if tenant == "" && !r.foreign {
		if r.has(events.HeaderTenant) { // what a variable that nobody set leaves of it
			return schema.Invalid(events.HeaderTenant, "is empty: name a tenant, or leave the header out")
		}
		tenant = defaultTenant
	}
	r.tenant = tenant
	return schema.CheckTenant(tenant)
}

// has reports whether a header is there, in whatever case.
func (r *request) has(name string) bool {
	for k, vs := range r.header {
		if strings.EqualFold(k, name) && len(vs) > 0 {
			return true
		}
	}
	return false
}

// one is the value of a header, "" where it is absent. A header that stands twice, in whatever case, is refused: which
// of the two would count must not depend on a library.
func (r *request) one(name string) (string, error) {
	value, found := "", false
	for k, vs := range r.header {
		if !strings.EqualFold(k, name) {
			continue
		}
		for _, v := range vs {
			if found {
				return "", schema.Invalid(name, "the header stands twice")
			}
			value, found = v, true
		}
	}
	return value, nil
}
