// Package rank orders candidates and chooses what goes into a block. It is pure: no I/O, no clock, no randomness,
// and the same candidates give the same order on every machine.
//
// It works in steps that a caller may use one by one:
//
//	Relevance  raw scores of the search arms → standardised gains, floors, neighbouring turns
//	Merge      one list out of several, duplicates removed (by id, content hash, rendered text)
//	Order      the score, a sum of named parts by the table [Rules], and the final order
//	Select     what fits the type budgets and the token budget of a block
//
// It guarantees that the parts of a score add up to it, and that no fact can push a constraint out of a block. With
// the default weights, what the search found stands before what merely stands, unless it is of next to no importance
// and confidence.
package rank
