// Package atomicfile replaces small files as a whole.
package atomicfile
