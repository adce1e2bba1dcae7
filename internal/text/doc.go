// Package text reads Chinese and English: it cuts words, finds what must not be cut, weighs terms for the sparse
// index, picks keywords, tags, entities and a summary, counts tokens, and normalises for de-duplication.
//
// It guarantees:
//   - the same text gives the same result on every machine with the same build: no clock, no randomness, no map
//     order, and documents and queries go through the same [Terms];
//   - any bytes are fine: invalid UTF-8 and NUL are replaced before anything reads them ([Sanitize]), and unbroken
//     runs and calls into C are bounded, so memory and time grow linearly with the text;
//   - every function is safe for concurrent use and writes nothing to standard error.
//
// The only I/O is at start: [Open] unpacks the dictionaries embedded in the binary and, where gojieba is compiled
// in (cgo), writes the files it needs into a cache directory. gojieba's handle is process-wide, because each
// costs over 100 MB and a second of loading; it is never freed.
//
// Without cgo a segmenter in Go cuts by the same dictionary (without the hidden Markov model for unknown words).
// Its words differ a little, so an index must be read and written by the same kind: [Info] says which is at work.
package text
