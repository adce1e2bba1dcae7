package schema

// Reading is one statement that a language model says it has read in a text. Nothing in it is to be believed before it has
// been held against the text: the stage does that.
type Reading struct {
	Quote     string `json:"quote"`               // the words of the text that say it, to the letter
	Subject   string `json:"subject"`             // "user", or the words of the text that say who or what
	Predicate string `json:"predicate"`           // one of the vocabulary that was offered
	Attribute string `json:"attribute,omitempty"` // words of the text that name what the predicate leaves open: the attribute, the favourite what
	Value     string `json:"value"`               // within Quote, to the letter
	Negated   bool   `json:"negated,omitempty"`   // the text denies it
	Past      bool   `json:"past,omitempty"`      // it was so once and is not any more
	Time      string `json:"time,omitempty"`      // the words of the text that say since when or when, "" for none
}
