// Package clean turns a stored turn into the text that may be computed: the compute layer's input.
//
// It guarantees:
//   - the turn it is given is never changed, and what it returns shares nothing mutable with it (A12);
//   - every text it returns is valid UTF-8, holds no NUL, no control character but line feed and tab, and no
//     invisible, bidirectional or tag character;
//   - the output of a tool marked no_memory is in none of them, and neither is a span of the response that only
//     quotes it (A3); input and response pass the same basic cleaning as tool output (A6);
//   - credentials it recognises are replaced by "[secret:<kind>]";
//   - a cleaner that fails costs its segment only and is reported as a [schema.Fault]; the raw text never takes
//     the place of a cleaned one (A7);
//   - the same turn under the same policies gives the same result. The one exception is a program's own cleaner
//     that overruns its time budget: whether it does can depend on the machine.
//
// It does not guarantee that every secret is found, nor that a paraphrase of a no_memory output is left out:
// only verbatim spans are. A part that a cleaner dropped from an output, and that the assistant repeats in its
// own words or verbatim, stays in the response: a cleaner shapes noise, no_memory is the privacy switch.
//
// Built-in cleaners, basic cleaning and the masking of secrets run in time linear in the text. The package does
// no I/O and reads no clock; only a program's own cleaners run under a timer.
package clean
