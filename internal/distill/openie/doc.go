// Package openie reads open triples (subject, relation, object) out of single sentences, in English and Chinese, by rules
// over parts of speech: whoever does something, what, to what, and where or when.
//
// Nothing is rewritten: each part of a triple is words of the sentence, in their order but for what stood before the subject
// and belongs to the verb ("In 1918 the town was renamed Jones" gives town | was renamed Jones In | 1918). Arguments form a
// chain, as ReVerb (Fader et al. 2011) and ClausIE (Del Corro and Gemulla 2013) read clauses: subject, verb, object;
// subject, verb and object and preposition, what stands behind it; and so on.
//
// What is said, not what is so: questions, conditions and quotations are read like anything else, and whoever keeps
// triples must look at that first. It does no I/O, is deterministic, and takes time linear in the length of the
// sentence, of which at most [MaxWords] words are read.
package openie
