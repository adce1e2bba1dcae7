// Package rank orders candidates and chooses what goes into a block. It is pure: no I/O, no clock, no randomness,
// and the same candidates give the same order on every machine.
//
// It works in steps that a caller may use one by one:
//
//	Merge      one list out of several, duplicates removed (by id, content hash, rendered text)
//	Relevance  raw scores of the search arms → standardised gains, floors, neighbouring turns
//	Order      the score, a sum of named parts by the table [Rules], and the final order
//	Select     what fits the type budgets and the token budget of a block
//
// It guarantees that the parts of a score add up to it, that every item found by the search stands before every item
// that was not (as long as the weights are the defaults), and that no fact can push a constraint out of a block.
package rank
