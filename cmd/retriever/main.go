// Command retriever runs the role retriever of Siltstone, configured by file, environment and flags.
package main

import (
	"os"

	"github.com/siltstone-ai/siltstone/internal/app"
)

func main() { os.Exit(app.Main("retriever", os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) }
