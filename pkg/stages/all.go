package stages

// All are the stages in the order of the flow: one line each.
var All = []Spec{
	Clean,
	Vectorize,
	Extract,
	Distill,
	Decide,
}
