package text

// Doc is an analysed text: cut once, read many times. It is immutable and safe for concurrent use.
type Doc struct {
	Text   string // Sanitize of what was given
	Tokens []Token
	e      *engine
}

// Analyze cuts text. It blocks for the dictionaries where [Open] was not called before; beyond that it takes about
// a microsecond for three bytes.
func Analyze(text string) *Doc {
	s := Sanitize(text)
	return &Doc{Text: s, Tokens: Segment(s), e: eng()}
}
