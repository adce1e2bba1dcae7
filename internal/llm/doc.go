// Package llm asks a language model behind an OpenAI-compatible chat endpoint what a text states.
//
// It guarantees:
//   - what comes back has the form that was asked for, or there is an error: nothing is guessed from prose;
//   - a text is asked about once: what was answered is kept, and a replay, a restart or a redelivery finds it there;
//   - no more calls, tokens and seconds are spent on a tenant in a day than its budget has, but for what was under way
//     when it ended;
//   - no text, neither of a question nor of an answer, is logged or quoted in an error.
//
// It does not judge what was answered: whether a statement stands in the text is for the stage to find out.
package llm
