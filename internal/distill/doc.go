// Package distill reads typed facts and triples out of cleaned turns by rules in Chinese and English, offline.
//
// The rules are two tables ([Rules] lists them): closed templates that know what they read (where somebody lives,
// what may not be done, which port a service listens on), matched against single clauses. A clause is read only
// where nothing speaks against it: questions, hypotheticals, one-off requests, pasted documents, code, quotations
// and the assistant's own advice state no facts. What is left is quoted, not rewritten: the content of a fact is
// the speaker's sentence, with relative dates ("yesterday", 下周五) resolved beside the words against the time and
// the zone of the turn.
//
// Triples come from two sides. What a template read is an edge with its predicate. Beside that, sentences that are said to be
// so are read for open relations ([openie]: subject, verb, object by parts of speech), of which those between named things
// are kept, with less confidence, and none that a template's edge says already. An end is named as templates name it: "user"
// for who speaks, "user's sister" for "my sister Olga". Two ends are one node where their names are equal once folded (NFKC,
// simplified, case); a name beside a role is an edge of its own and merges nothing.
//
// What a pattern cannot do without is derived from it: one pass over a clause tells which rows may read it, and most
// clauses end there ([index], [literals]). A row needs no list of triggers, and none can be wrong.
//
// It guarantees:
//   - the same input gives the same output: no clock, no randomness, no map order;
//   - a fact carries the class of its segment, and only a user's or operator's words can give a constraint, a
//     preference or a plan; an assistant's words give reports of results, a tool's give references;
//   - time grows linearly with the text.
//
// It does not understand: what no template covers is left to the episode itself, which is always searchable. It does no
// I/O.
package distill
