// Package edge holds what the edges share; each of them lies in a folder of its own.
package edge
