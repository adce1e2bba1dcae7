package stages

// All are the stages in the order of the flow: one line each.
var All = []Spec{
	Clean,
	Vectorize,
	Extract,
	Distill,
	Decide,
	LLM,
}

// Names are the stages that must settle an event before it counts as indexed, in the order of the flow.
func Names() []string {
	var out []string
	for _, s := range All {
		if !s.Optional {
			out = append(out, s.Name)
		}
	}
	return out
}
