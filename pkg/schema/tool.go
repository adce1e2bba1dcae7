package schema

import "fmt"

// ToolDef is a tool and its memory policy. Policy belongs to the tool, never to the plugin, the agent or the turn.
type ToolDef struct {
	Name        string         `json:"name"`
	Plugin      string         `json:"plugin,omitempty"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters,omitempty"` // JSON Schema of the tool's arguments
	NoMemory    bool           `json:"no_memory,omitempty"`  // the output is kept raw and left out of every computation
	Cleaner     []string       `json:"cleaner,omitempty"`    // names with arguments, in order, e.g. "json:content", "truncate:4000"
	Ingest      *bool          `json:"ingest,omitempty"`     // false: a meta tool, not ingested at all; nil means true
	Why         string         `json:"why,omitempty"`        // why the default is so, for people
}

// Ingested reports whether results of this tool reach memory at all (raw events are kept all the same).
func (d ToolDef) Ingested() bool { return d.Ingest == nil || *d.Ingest }

// Validate reports the first fault, naming its field. Whether a cleaner of that name exists is checked where
// cleaners are known.
func (d *ToolDef) Validate() error {
	if err := CheckID("name", d.Name); err != nil {
		return err
	}
	return checkSteps(d.Cleaner)
}

// Limits of a cleaner.
const (
	MaxSteps = 16
	MaxStep  = 512 // bytes
)

func checkSteps(steps []string) error {
	if len(steps) > MaxSteps {
		return Invalid("cleaner", "holds %d steps, at most %d are allowed", len(steps), MaxSteps)
	}
	for i, c := range steps {
		if c == "" || len(c) > MaxStep {
			return Invalid(fmt.Sprintf("cleaner[%d]", i), "is empty or over %d bytes long", MaxStep)
		}
	}
	return nil
}

// ToolPolicy is what PUT /v1/tools/{name} and the op "tool" carry: the parts of a ToolDef that a user may set.
// A nil field leaves what holds.
type ToolPolicy struct {
	Name     string    `json:"name,omitempty"`
	NoMemory *bool     `json:"no_memory,omitempty"`
	Cleaner  *[]string `json:"cleaner,omitempty"`
	Ingest   *bool     `json:"ingest,omitempty"`
}

// Validate reports the first fault, naming its field. The name may be absent where the path gives it. A policy that
// sets nothing is refused: it would be an event that says nothing.
func (p *ToolPolicy) Validate() error {
	if p.Name != "" {
		if err := CheckID("name", p.Name); err != nil {
			return err
		}
	}
	if p.NoMemory == nil && p.Cleaner == nil && p.Ingest == nil {
		return Invalid("", "at least one of no_memory, cleaner, ingest must be given")
	}
	if p.Cleaner == nil {
		return nil
	}
	return checkSteps(*p.Cleaner)
}

// Apply is d with the policy's set fields laid over it.
func (p ToolPolicy) Apply(d ToolDef) ToolDef {
	if p.NoMemory != nil {
		d.NoMemory = *p.NoMemory
	}
	if p.Cleaner != nil {
		d.Cleaner = append([]string(nil), *p.Cleaner...)
	}
	if p.Ingest != nil {
		d.Ingest = p.Ingest
	}
	return d
}

// Settings is what a user has switched: gates over everything that is read (D2).
type Settings struct {
	Enabled *bool         `json:"enabled,omitempty"` // false: memory is off, every reply is empty; nil means true
	Types   map[Type]bool `json:"types,omitempty"`   // false: that type is never returned; absent means true
}

// On reports whether memory is on at all.
func (s Settings) On() bool { return s.Enabled == nil || *s.Enabled }

// Set is what is switched for type t, also while memory is off altogether: on unless it is set otherwise.
func (s Settings) Set(t Type) bool {
	on, set := s.Types[t]
	return !set || on
}

// Allows reports whether memories of type t may be returned.
func (s Settings) Allows(t Type) bool {
	return s.On() && s.Set(t)
}

// Validate refuses unknown types.
func (s *Settings) Validate() error {
	for t := range s.Types {
		if !t.Valid() {
			return Invalid("types."+string(t), "is not a memory type")
		}
	}
	return nil
}
