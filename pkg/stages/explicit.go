package stages

import (
	"strconv"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// ExplicitID is the id of the memory that an explicit write becomes: the log entry of a tenant with this event id at
// this sequence. It is the same in every generation.
func ExplicitID(tenant, event string, seq uint64) string {
	return schema.PointID(schema.EventUUID(tenant, event), strconv.FormatUint(seq, 10)+".0", decideName)
}

// Rules of explicit writes, as [schema.Memory.Rule] holds them.
const (
	ruleExplicit = schema.RuleOutright
	RulePin      = ruleExplicit + string(schema.OpPin) // stated as a pin: it goes where the pin goes
)

// explicit reports whether m was written outright, not read from a turn.
func explicit(m *schema.Memory) bool { return schema.Outright(m.Rule) }
