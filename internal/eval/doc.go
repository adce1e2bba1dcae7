// Package eval measures, without a judge: how well memories are found (evidence recall and its kin, over questions whose
// evidence is known), and how well facts are read (precision and recall over utterances whose facts are known). It asks
// whatever it is given to ask, and compares runs. It starts nothing and reads no clock of its own; resampling draws from a
// fixed seed, so that a report repeats.
package eval
