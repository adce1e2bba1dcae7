// Package postag gives the words of an English sentence their parts of speech, in the tags of the Penn Treebank.
//
// It is an averaged perceptron (Collins 2002; the features are those of M. Honnibal's textblob-aptagger) whose
// weights are those of github.com/jdkato/prose v1.2.1, carried over by tools/postag. It gives the same tags as that
// library, which a test holds it to, at several tens of times its speed: features are numbers here, not strings that are
// joined for every word and looked up in maps of maps.
//
// It is deterministic, does no I/O, and takes time linear in the number of words.
package postag
