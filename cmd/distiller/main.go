// Command distiller runs the role distiller of Siltstone, configured by file, environment and flags.
package main

import (
	"os"

	"github.com/siltstone-ai/siltstone/internal/app"
)

func main() { os.Exit(app.Main("distiller", os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) }
