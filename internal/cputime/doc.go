// Package cputime is the clock that benchmarks measure by: the time that processors have worked for this process, its
// collector included, which a busy machine stretches much less than the time on the wall.
package cputime
