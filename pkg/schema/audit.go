package schema

// JobAudit is the kind of the job that POST /v1/audit starts.
const JobAudit = "audit"

// AuditRequest is the body of POST /v1/audit.
type AuditRequest struct {
	Repair bool        `json:"repair,omitempty"` // feed what is missing again, delete ghosts and what is doubled, and audit once more
	Kinds  []AuditKind `json:"kinds,omitempty"`  // list faults of these kinds alone; all are counted
}

// Audit is what a walk over a tenant's log and stores has found.
type Audit struct {
	Generation int               `json:"generation"`
	UpTo       uint64            `json:"up_to"`  // log sequence that was settled when it began: what lies above is pending
	Ledger     Ledger            `json:"ledger"` // every entry of the log in exactly one place, as found entry by entry
	Dropped    map[string]uint64 `json:"dropped_by"`
	Faults     uint64            `json:"faults"` // of all kinds; clean is 0

	Kinds    map[AuditKind]uint64 `json:"kinds,omitempty"` // faults by kind
	Repaired uint64               `json:"repaired,omitempty"`
	Found    []AuditFault         `json:"found"` // at most MaxAuditShown of them
}

// MaxAuditShown is how many faults an audit lists.
const MaxAuditShown = 1000

// AuditKind says what is wrong.
type AuditKind string

// Kinds of faults.
const (
	AuditMissing AuditKind = "missing" // a settled entry of the log lacks a point
	AuditDoubled AuditKind = "doubled" // one thing has two points
	AuditGhost   AuditKind = "ghost"   // a point of no live entry, or of a forgotten one
	AuditDamaged AuditKind = "damaged" // an entry of the log does not match its hash
	AuditLost    AuditKind = "lost"    // an entry that was witnessed cannot be read any more, or is another one; of whichever tenant
)

// AuditFault is one thing that is wrong.
type AuditFault struct {
	Kind       AuditKind  `json:"kind"`
	Collection Collection `json:"collection,omitempty"`
	Point      string     `json:"point,omitempty"`
	Event      string     `json:"event,omitempty"` // the client's id
	Seq        uint64     `json:"seq,omitempty"`
}

// Validate reports the first fault, naming its field.
func (r *AuditRequest) Validate() error {
	for _, k := range r.Kinds {
		switch k {
		case AuditMissing, AuditDoubled, AuditGhost, AuditDamaged, AuditLost:
		default:
			return Invalid("kinds", "%q is not one of missing, doubled, ghost, damaged, lost", string(k))
		}
	}
	return nil
}
