// Command ids prints, for each line of standard input (a JSON string), the rows of a table that the text consists of,
// as "row*multiplier": tools/embedtable fits the table to sentences cut exactly as the embedder cuts them.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/siltstone-ai/siltstone/internal/embed"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "ids:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: ids TABLE <TEXTS >ROWS")
	}
	trace, err := embed.Trace(os.Args[1])
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	out := bufio.NewWriter(os.Stdout)
	for in.Scan() {
		var text string
		if err := json.Unmarshal(in.Bytes(), &text); err != nil {
			return err
		}
		trace(text, func(row, mult int) { fmt.Fprintf(out, "%d*%d ", row, mult) })
		fmt.Fprintln(out)
	}
	if err := in.Err(); err != nil {
		return err
	}
	return out.Flush()
}
