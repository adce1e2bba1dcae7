//go:build !chaos

package crash

// At does nothing in this build.
func At(Point) {}

// With does nothing in this build.
func With(Point, string) {}

// AckFirst is false in this build.
func AckFirst() bool { return false }
