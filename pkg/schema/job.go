package schema

import "time"

// JobState is how far a job is.
type JobState string

// States of jobs.
const (
	JobRunning JobState = "running"
	JobDone    JobState = "done"
	JobFailed  JobState = "failed"
	JobGone    JobState = "gone" // of a replay: its generation was pruned, or is being pruned
)

// Kinds of jobs.
const (
	JobReplay   = "replay"
	JobSnapshot = "snapshot"
	JobForget   = "forget"
	JobErase    = "erase"
	JobArchive  = "archive"
)

// Job is work that goes on after its request was answered: GET /v1/jobs/{id}.
type Job struct {
	ID    string     `json:"id"`
	Kind  string     `json:"kind"` // replay, snapshot, audit, forget, erase or archive
	State JobState   `json:"state"`
	Done  uint64     `json:"done"`           // of Total: log entries of a replay or an erasure, points of a snapshot
	Total uint64     `json:"total"`          // 0 where it is not known yet
	Rate  float64    `json:"rate,omitempty"` // of Done, a second
	ETA   *float64   `json:"eta_s,omitempty"`
	Error *WireError `json:"error,omitempty"`

	Replay   *ReplayState   `json:"replay,omitempty"`
	Snapshot *Snapshot      `json:"snapshot,omitempty"`
	Audit    *Audit         `json:"audit,omitempty"`
	Forget   *ForgetState   `json:"forget,omitempty"`
	Erasure  *ErasureReport `json:"erasure,omitempty"`
	Archive  *ArchiveState  `json:"archive,omitempty"`
}

// ForgetState is a request to forget. It is done once every generation of the index that is worked on has carried it
// out; no query shows what it reaches before that either.
type ForgetState struct {
	Seq     uint64 `json:"seq"`               // of the request in the log
	Matched int    `json:"matched"`           // turns and memories that it reached when it was made
	Partial bool   `json:"partial,omitempty"` // there may have been more of them
}

// JobStarted answers a request that starts a job.
type JobStarted struct {
	Job string `json:"job"`
}

// ReplayRequest is the body of POST /v1/replay: the log is read into a new generation beside the one that is read.
type ReplayRequest struct {
	From   string `json:"from,omitempty"`   // start (default), a log sequence, or a moment (RFC 3339): what was accepted from then on
	To     string `json:"to,omitempty"`     // the last log sequence or moment; empty: no end, and what is accepted from now on too
	Policy string `json:"policy,omitempty"` // recorded (default) or current
	Tenant string `json:"tenant,omitempty"` // whose part of the log is read anew, the others' points being copied; empty: everybody's
	Switch bool   `json:"switch,omitempty"` // answer from it as soon as it is filled
}

// Validate reports the first fault, naming its field.
func (r *ReplayRequest) Validate() error {
	if err := oneOf("policy", r.Policy, []string{"recorded", "current"}); err != nil {
		return err
	}
	if r.Tenant != "" {
		if err := CheckID("tenant", r.Tenant); err != nil {
			return err
		}
	}
	for _, f := range []struct{ name, v string }{{"from", r.From}, {"to", r.To}} {
		if f.v == "start" && f.name == "from" || f.v == "" {
			continue
		}
		if _, _, err := LogPosition(f.v); err != nil {
			return Invalid(f.name, "%q is neither a log sequence nor a moment such as 2026-03-01T08:00:00Z", f.v)
		}
	}
	return nil
}

// ReplayState is one generation as a replay made it.
type ReplayState struct {
	Generation int           `json:"generation"`
	Active     bool          `json:"active"`             // it is the one that is answered from
	From       uint64        `json:"from"`               // first log sequence that it reads
	To         uint64        `json:"to,omitempty"`       // last one, where it has an end
	Target     uint64        `json:"target,omitempty"`   // end of the log when the replay began
	Floor      uint64        `json:"floor"`              // log sequence to which it is settled
	Policy     string        `json:"policy"`             // recorded or current
	Model      string        `json:"model,omitempty"`    // of the embedder
	Switch     bool          `json:"switch,omitempty"`   // it will be answered from as soon as it is filled
	Replaced   int           `json:"replaced,omitempty"` // the generation that was answered from before it
	Created    time.Time     `json:"created"`
	Filled     time.Time     `json:"filled,omitzero"`
	Tenant     string        `json:"tenant,omitempty"`  // whose part of the log it reads anew; empty: everybody's
	CopyOf     int           `json:"copy_of,omitempty"` // of a generation of one tenant: the one that has the others' points
	Copying    bool          `json:"copying,omitempty"` // those are being copied; the tenant's part is read after that
	Report     *ReplayReport `json:"report,omitempty"`
}

// ReplayReport compares a generation that was filled with the one that was answered from then.
type ReplayReport struct {
	With        int           `json:"with"`  // the generation that was answered from
	UpTo        uint64        `json:"up_to"` // log sequence up to which points were counted
	Collections []ReplayCount `json:"collections"`
	Dead        ReplayCount   `json:"dead"`               // events that were given up
	Asked       int           `json:"asked"`              // questions put to both, made of what users said
	Same        int           `json:"same"`               // of them with the same items in the same order
	Overlap     float64       `json:"overlap"`            // share of the items of the one that are among those of the other, on average
	Withheld    string        `json:"withheld,omitempty"` // why it is not switched to by itself
}

// ReplayCount is a number of points in both generations.
type ReplayCount struct {
	Name   string `json:"name"`
	Before uint64 `json:"before"` // in the one that was answered from
	Now    uint64 `json:"now"`    // in the one that was filled
}

// ReplayList answers GET /v1/generations: every generation that there is, by number.
type ReplayList struct {
	Active int   `json:"active"`
	Jobs   []Job `json:"jobs"`
}

// SwitchRequest is the body of POST /v1/replay/switch and /v1/replay/rollback: which generation to answer from.
type SwitchRequest struct {
	Generation int  `json:"generation,omitempty"` // 0: of a switch the newest that is filled, of a rollback the one before
	Force      bool `json:"force,omitempty"`      // even one that lacks a part of the log, or is of another model
}

// Validate reports the first fault, naming its field.
func (r *SwitchRequest) Validate() error {
	if r.Generation < 0 {
		return Invalid("generation", "must not be negative")
	}
	return nil
}

// SnapshotRequest is the body of POST /v1/snapshot.
type SnapshotRequest struct {
	Generation int `json:"generation,omitempty"` // 0: the one that is answered from
}

// Validate reports the first fault, naming its field.
func (r *SnapshotRequest) Validate() error {
	if r.Generation < 0 {
		return Invalid("generation", "must not be negative")
	}
	return nil
}

// Snapshot is what a generation holds, as hashes: two generations with the same hash hold the same points.
type Snapshot struct {
	Generation  int              `json:"generation"`
	Hash        string           `json:"hash"` // SHA-256 over those of the collections
	Seq         uint64           `json:"seq"`  // end of the log
	Settled     bool             `json:"settled"`
	Collections []CollectionHash `json:"collections"`
}

// CollectionHash is the hash of one collection: ids, payloads and vectors of its points, in the order of the ids.
type CollectionHash struct {
	Name   Collection `json:"name"`
	Points uint64     `json:"points"`
	Hash   string     `json:"hash"`
}
