// Package render writes memories as the one block that an agent puts before the latest user message. It is pure.
//
// It guarantees that whatever a memory says, the block keeps its shape: its delimiters occur once each, every memory
// is one line that begins with "- " or "[", and no memory can close the block, open a section, start a heading, a
// code fence or a special token, or take a role ([Text]). It escapes no more than that needs, so that what is shown
// still reads, and matches, as what was said.
//
// It does not judge what memories say: text that asks a model to do something is shown as what it is, a quotation.
package render
