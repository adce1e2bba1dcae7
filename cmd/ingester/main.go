// Command ingester runs the role ingester of Siltstone, configured by file, environment and flags.
package main

import (
	"os"

	"github.com/siltstone-ai/siltstone/internal/app"
)

func main() { os.Exit(app.Main("ingester", os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) }
