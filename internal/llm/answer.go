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
		return nil, guess, malformed("the answer is not UTF-8")
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, guess, malformed("the answer is not the JSON of a chat")
	}
	tokens := r.Usage.Total
	if tokens <= 0 {
		tokens = guess
	}
	if len(r.Choices) != 1 || r.Choices[0].Message.Content == nil {
		return nil, tokens, malformed("there is no answer in it")
	}
	if r.Choices[0].Finish == "length" {
		return nil, tokens, malformed("the answer was cut off")
	}
	out, err := statements(*r.Choices[0].Message.Content)
	return out, tokens, err
}

func malformed(why string) error {
	return schema.Retryable(schema.CodeInternal, 0, nil, "the language model is of no use here: %s", why)
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
		return nil, malformed("it did not keep to the form")
	}
	if d.More() {
		return nil, malformed("it wrote more than the object")
	}
	if len(*a.Statements) > maxStatements {
		return nil, malformed("it states too much")
	}
	return *a.Statements, nil
}
