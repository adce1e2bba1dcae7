package llm

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// maxStatements is the most that one answer may state; more is a model that has lost its way.
const maxStatements = 64

// Bounds of what a statement says, in bytes. With these an answer is kept in less than NATS lets a message have, however
// many of its characters JSON escapes.
const (
	maxQuote = 1000
	maxWords = 250
)

// answer reads a server's answer: one choice that was finished, and in it the object that was asked for.
func (c *Chat) answer(b []byte, text string) ([]schema.Reading, int, error) {
	var r struct {
		Choices []struct {
			Finish  string `json:"finish_reason"`
			Message struct {
				Content *string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
		Usage struct {
			Total int `json:"total_tokens"`
		} `json:"usage"`
	}
	guess := (len(c.system) + len(text) + len(b)) / 3
	if !utf8.Valid(b) {
		return nil, guess, spoiled("the answer is not UTF-8")
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, guess, spoiled("the answer is not the JSON of a chat")
	}
	tokens := r.Usage.Total
	if tokens <= 0 {
		tokens = guess
	}
	if len(r.Choices) != 1 || r.Choices[0].Message.Content == nil {
		return nil, tokens, spoiled("there is no answer in it")
	}
	if r.Choices[0].Finish == "length" {
		return nil, tokens, spoiled("the answer was cut off")
	}
	out, err := statements(*r.Choices[0].Message.Content)
	return out, tokens, err
}

// spoiled is the error of an answer that is no answer.
func spoiled(why string) error {
	return schema.Retryable(schema.CodeInternal, 0, nil, "the language model is of no use here: %s", why)
}

// malformed reports whether err is of an answer that is no answer.
func malformed(err error) bool {
	return schema.CodeOf(err) == schema.CodeInternal && !schema.IsPermanent(err)
}

// fenced is what models put around JSON even where they are told not to.
var fenced = [...]string{"```json", "```"}

// statements reads what the model wrote: the object alone, or within a fence. Prose beside it is refused: who does not keep
// to the form does not keep to the text either.
func statements(s string) ([]schema.Reading, error) {
	s = strings.TrimSpace(s)
	for _, f := range fenced {
		if rest, ok := strings.CutPrefix(s, f); ok {
			s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
			break
		}
	}
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.DisallowUnknownFields()
	var a struct {
		Statements *[]schema.Reading `json:"statements"`
	}
	if err := d.Decode(&a); err != nil || a.Statements == nil {
		return nil, spoiled("it did not keep to the form")
	}
	if d.More() {
		return nil, spoiled("it wrote more than the object")
	}
	if len(*a.Statements) > maxStatements {
		return nil, spoiled("it states too much")
	}
	for i := range *a.Statements {
		clip(&(*a.Statements)[i])
	}
	return *a.Statements, nil
}

// clip bounds what one statement may say, so that every answer can be kept. What is cut off is more than any statement that
// is heard has.
func clip(r *schema.Reading) {
	r.Quote = shorten(r.Quote, maxQuote)
	for _, s := range [...]*string{&r.Subject, &r.Predicate, &r.Attribute, &r.Value, &r.Time} {
		*s = shorten(*s, maxWords)
	}
}
