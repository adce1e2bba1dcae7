// Package scour looks for strings in files: as they are, in the encodings and the packings in which the stores of Siltstone
// and what stands around them may hold them. It is how an erasure is verified.
//
// It finds a string in UTF-8 as given and in lower case, in JSON escapes, as a token of ids, in UTF-16 of both byte orders,
// in base64 of both alphabets wherever in a group of three bytes it begins, and all of these inside what gzip, zlib, zstd,
// and the framed forms of snappy and S2 have packed, also within one another, and inside files that a [Reader] can read.
// It does not find what is encrypted, what is packed otherwise, or a string of which a part stands elsewhere.
package scour
