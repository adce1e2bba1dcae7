// Package decide computes the state of memories from all statements of their groups and slots: which one holds,
// which were superseded and when, which say what another says already, and which were retracted.
//
// [Settle] is a pure function of a set: any order of arrival, repetition or redelivery of the same statements ends
// in the same state, because nothing is decided by arrival and every state is computed anew from what each
// statement said at its birth. It guarantees:
//
//   - event time decides, and within one turn the order of speech: statements are read in the order of (observed at, log
//     sequence, place in the turn, id); one that arrives late lands in history at its place;
//   - trust decides before time: a statement never supersedes, retracts or stands for one of a more trusted class;
//   - a rule ends where it is lifted and a to-do where it is closed, by a statement about the same matter in other words
//     or the other language; one that is about less than the rule, or about another deed, ends nothing;
//   - nothing is erased: a statement that does not hold keeps its place with an end of validity and the id of the
//     statement that holds instead.
//
// It does no I/O; who reads the statements and writes the states is the decide stage.
package decide
