package schema

// EmbedKind tells queries from passages: some models want them prefixed.
type EmbedKind uint8

// Kinds of text to embed.
const (
	EmbedPassage EmbedKind = iota
	EmbedQuery
)
