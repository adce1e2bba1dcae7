package client

import (
	"bytes"
	"encoding/json"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Option changes one thing of a client of either kind.
type Option interface {
	HTTPOption
	NATSOption
}

type tenantOption string

// WithTenant names the tenant to act for; without it the server's default counts, which is "default". Whether the
// server believes it is the server's matter.
func WithTenant(t string) Option { return tenantOption(t) }

func (o tenantOption) applyHTTP(h *HTTP) error {
	h.tenant = string(o)
	return schema.CheckTenant(h.tenant)
}

func (o tenantOption) applyNATS(n *NATS) error {
	n.tenant = string(o)
	return schema.CheckTenant(n.tenant)
}

// WriteOption changes one thing of one write: a publish, or the statement, edit or deletion of a memory or a pin.
type WriteOption interface{ applyWrite(*write) }

// write is what options say of a write.
type write struct{ wait bool }

func writeOf(opts []WriteOption) (w write) {
	for _, o := range opts {
		o.applyWrite(&w)
	}
	return w
}

type waitOption struct{}

func (waitOption) applyWrite(w *write) { w.wait = true }

// WaitIndexed makes a write be answered once it is searchable. Indexed in the answer says whether it was so within the
// server's limit of some 27 s; what was accepted stays accepted in either case. To ask right after a write a query with
// MinSeq does the same, and lets the write return at once.
func WaitIndexed() WriteOption { return waitOption{} }

// encode is v as JSON in which <, > and & stand for themselves: what is published is what the raw layer keeps.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
