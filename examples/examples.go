// Package examples holds the sample data that ships with the commands.
package examples

import _ "embed"

// Turns is the sample of the demo, one turn a line: two users, one speaking Chinese and one English, over six weeks.
//
//go:embed turns.jsonl
var Turns []byte
