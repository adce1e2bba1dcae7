// Package embed turns texts into vectors: through any server that speaks OpenAI's embeddings API, or offline by
// a built-in table of Chinese and English words that tools/embedtable made from a neural model.
//
// It guarantees of every provider in [Providers] (and the package embeddertest checks it): vectors have Dim() finite
// numbers and unit length, a text alone gives the vector it gives in a batch, an ended context ends the call, and
// errors are [schema.Error] that say whether a retry helps. It never logs a text and draws nothing at random.
package embed
