package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// User is one line of a data set: what somebody said, and what is asked about it.
type User struct {
	ID      string  `json:"id"`
	Lang    string  `json:"lang"`
	Events  []Event `json:"events"`
	Queries []Query `json:"queries"`
}

// Event is one turn.
type Event struct {
	ID           string    `json:"id"` // unique in its user
	Conversation string    `json:"conversation"`
	At           time.Time `json:"at"`
	Input        string    `json:"input"`
}

// Query is a question, and the events that answer it.
type Query struct {
	Q        string   `json:"q"`
	Evidence []string `json:"evidence,omitempty"` // ids of events, at least one unless Nothing
	Nothing  bool     `json:"nothing,omitempty"`  // no event answers it: the right answer is none
	Kind     string   `json:"kind"`
}

// maxLine bounds one user, in bytes.
const maxLine = 256 << 20

// Read reads a data set, a user a line. Blank lines are skipped. It refuses, naming the line, what would count wrongly:
// users without an id, events that share one, questions without evidence that do not say so, or whose evidence is no event.
func Read(r io.Reader) ([]User, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<20), maxLine)
	var out []User
	seen := map[string]bool{}
	for n := 1; sc.Scan(); n++ {
		if len(sc.Bytes()) == 0 {
			continue
		}
		var u User
		if err := json.Unmarshal(sc.Bytes(), &u); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if isTurn(sc.Bytes()) {
			return nil, fmt.Errorf("line %d: is a turn as siltstone publish takes it, and a data set holds a user a line: {id, events, queries}; siltstone eval questions makes one of what a user said", n)
		}
		if err := u.check(); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if seen[u.ID] {
			return nil, fmt.Errorf("line %d: id: user %q is there twice", n, u.ID)
		}
		seen[u.ID] = true
		out = append(out, u)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read data set: %w", err)
	}
	if len(out) == 0 {
		return nil, errors.New("the data set has no users")
	}
	return out, nil
}

// isTurn reports whether a line, an object, has the fields of a turn, and none of a data set.
func isTurn(line []byte) bool {
	var has map[string]json.RawMessage
	if err := json.Unmarshal(line, &has); err != nil {
		return false
	}
	_, user := has["user"]
	_, events := has["events"]
	return user && !events
}

func (u *User) check() error {
	if u.ID == "" {
		return errors.New("id: is missing")
	}
	ids := make(map[string]bool, len(u.Events))
	for i, e := range u.Events {
		switch {
		case e.ID == "":
			return fmt.Errorf("events[%d].id: is missing", i)
		case ids[e.ID]:
			return fmt.Errorf("events[%d].id: %q is there twice", i, e.ID)
		case e.At.IsZero():
			return fmt.Errorf("events[%d].at: is missing", i)
		}
		ids[e.ID] = true
	}
	for i, q := range u.Queries {
		if q.Q == "" {
			return fmt.Errorf("queries[%d].q: is missing", i)
		}
		switch {
		case len(q.Evidence) == 0 && !q.Nothing:
			return fmt.Errorf("queries[%d].evidence: is missing", i)
		case len(q.Evidence) > 0 && q.Nothing:
			return fmt.Errorf("queries[%d].evidence: is there, though nothing is said to answer", i)
		}
		for _, id := range q.Evidence {
			if !ids[id] {
				return fmt.Errorf("queries[%d].evidence: %q is no event of the user", i, id)
			}
		}
	}
	return nil
}
