package schema

import "fmt"

// MaxArchiveIDs bounds the turns that one request archives.
const MaxArchiveIDs = 1000

// Archive is the body of POST /v1/archive and of the op "archive": which of a user's turns are pruned. Of an archived turn
// the index keeps one document in place of its text: a summary, keywords, names, and the tools with the files that they
// named. What the turn stated stays as memories of their own, and the log keeps the turn as it was published.
type Archive struct {
	User   string   `json:"user"`
	IDs    []string `json:"ids"`               // event ids of turns
	DryRun bool     `json:"dry_run,omitempty"` // only say which would be archived; never appended to the log
}

// Validate reports the first fault, naming its field.
func (a *Archive) Validate() error {
	if err := CheckID("user", a.User); err != nil {
		return err
	}
	switch {
	case len(a.IDs) == 0:
		return Invalid("ids", "must name at least one turn")
	case len(a.IDs) > MaxArchiveIDs:
		return Invalid("ids", "holds %d ids, at most %d are allowed", len(a.IDs), MaxArchiveIDs)
	}
	for i, id := range a.IDs {
		if err := CheckID(fmt.Sprintf("ids[%d]", i), id); err != nil {
			return err
		}
	}
	return nil
}

// ArchiveReply answers POST /v1/archive.
type ArchiveReply struct {
	Job     string   `json:"job,omitempty"`    // empty for a dry run, and where there was nothing to do
	Matched int      `json:"matched"`          // turns that are archived by it; those that were before are not counted
	Events  []string `json:"events,omitempty"` // of a dry run: their ids
}

// ArchiveState is a request to archive. It is done once every generation of the index that is worked on has carried it out.
type ArchiveState struct {
	Seq     uint64 `json:"seq"`            // of the request in the log
	Matched int    `json:"matched"`        // turns that it named and that were not archived before
	Left    int    `json:"left,omitempty"` // once it is done: turns of them that could not be archived; see the log of who carried it out
}
