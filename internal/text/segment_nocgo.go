//go:build !cgo

package text

const (
	cutterName = plainName
	noCgo      = "built without cgo"
)

func newCutter(Config, map[string][]byte, *lexicon) (cutter, string, error) { return nil, "", nil }

func placeDicts(Config, map[string][]byte) (string, error) { return "", nil }
