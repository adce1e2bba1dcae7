// Package eval measures how well memories are found: evidence recall and its kin, without a judge. It reads questions
// whose evidence is known, ranks answers by whatever it is given to ask, and compares runs. It starts nothing and reads
// no clock of its own; resampling draws from a fixed seed, so that a report repeats.
package eval
