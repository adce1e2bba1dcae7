package retrieve

import (
	"slices"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// keyStage is the payload key that tells terms points from dense ones, and stageExtract its value on the former.
const (
	keyStage     = "stage"
	stageExtract = "extract"
)

func equal(key string, v any) schema.Cond { return schema.Cond{Key: key, Equal: v} }

func ownerFilter(owner string, must ...schema.Cond) schema.Filter {
	return schema.Filter{Must: append([]schema.Cond{equal(schema.KeyOwner, owner)}, must...)}
}

func millis(t time.Time) *float64 {
	f := float64(t.UnixMilli())
	return &f
}

// narrow are the conditions of the query's filter that every collection can answer.
func (a *ask) narrow() []schema.Cond {
	var cs []schema.Cond
	var at schema.Range
	if f := a.Filter; f != nil {
		if !f.From.IsZero() {
			at.GTE = millis(f.From)
		}
		if !f.To.IsZero() {
			at.LT = millis(f.To)
		}
		if f.Tool != "" {
			cs = append(cs, schema.Cond{Key: schema.KeyTools, Any: schema.ToolKeys(f.Tool)}) // those of other servers among them: see meansTool
		}
	}
	if !a.AsOf.IsZero() {
		at.LTE = millis(a.at)
	}
	if at != (schema.Range{}) {
		cs = append(cs, schema.Cond{Key: schema.KeyAt, Range: &at})
	}
	return cs
}

// passages is the filter of path B over passages.
func (a *ask) passages() schema.Filter {
	cs := a.narrow()
	if a.Filter != nil {
		keys := make([]string, 0, len(a.Filter.Metadata))
		for k := range a.Filter.Metadata {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			c := schema.Cond{Key: schema.KeyMetadata + "." + k}
			switch v := a.Filter.Metadata[k].(type) {
			case float64: // a store may keep it as an integer or a float: a range matches both
				c.Range = &schema.Range{GTE: &v, LTE: &v}
			default:
				c.Equal = v
			}
			cs = append(cs, c)
		}
	}
	return ownerFilter(a.owner, cs...)
}

// facts is the filter of path B over facts; ok is false where no fact can match (facts carry no metadata, and the
// types asked for may hold none).
func (a *ask) facts() (f schema.Filter, ok bool) {
	if a.Filter != nil && len(a.Filter.Metadata) > 0 {
		return f, false
	}
	types := a.factTypes()
	if len(types) == 0 {
		return f, false
	}
	f = ownerFilter(a.owner, append(a.narrow(), a.status(), schema.Cond{Key: schema.KeyType, Any: types})...)
	if !a.IncludeHistory {
		gone := schema.Range{LTE: millis(a.at)}
		f.MustNot = []schema.Cond{{Key: schema.KeyExpiresAt, Range: &gone}, {Key: schema.KeyValidTo, Range: &gone}}
	}
	return f, true
}

// factTypes are the types of facts that may be returned.
func (a *ask) factTypes() (types []string) {
	for _, t := range []schema.Type{schema.TypeConstraint, schema.TypePreference, schema.TypeTodoHint, schema.TypeFact} {
		if a.wants(t) {
			types = append(types, string(t))
		}
	}
	return types
}

// status is the condition on the status of facts. What is superseded now may have held at the moment asked for.
func (a *ask) status() schema.Cond {
	if a.IncludeHistory || !a.AsOf.IsZero() {
		return schema.Cond{Key: schema.KeyStatus, Any: []string{string(schema.StatusActive), string(schema.StatusSuperseded)}}
	}
	return equal(schema.KeyStatus, string(schema.StatusActive))
}

// meansTool reports whether what a tool of this name printed passes the query's filter.
func (a *ask) meansTool(name string) bool {
	return a.Filter == nil || a.Filter.Tool == "" || schema.SameTool(a.Filter.Tool, name)
}

// meansPassage reports whether a passage passes the query's filter for a tool. The document of an archived turn may be of
// several.
func (a *ask) meansPassage(p map[string]any) bool {
	names, _ := p[schema.KeyToolNames].([]string)
	return a.meansTool(str(p, schema.KeyTool)) || slices.ContainsFunc(names, a.meansTool)
}

// matches reports whether an item found otherwise than by a filtered search passes the query's filter.
func (a *ask) matches(it schema.Item) bool {
	f := a.Filter
	if f == nil {
		return true
	}
	return len(f.Metadata) == 0 && a.meansTool(it.Source.Tool) &&
		(f.From.IsZero() || !it.ObservedAt.Before(f.From)) && (f.To.IsZero() || it.ObservedAt.Before(f.To))
}
