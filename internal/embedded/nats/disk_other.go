//go:build !linux && !darwin

package nats

// diskFree is not known here: -1 leaves the limit to the server.
func diskFree(string) (int64, error) { return -1, nil }
