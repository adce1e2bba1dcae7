package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// fault is one thing that is wrong: with a key, or (key "") with a layer.
type fault struct {
	key string
	msg string
	at  string // what set the value, "" for the default
}

func (f fault) Error() string {
	s := f.msg
	if f.key != "" {
		s = f.key + ": " + s
	}
	if f.at != "" {
		s += " (set by " + f.at + ")"
	}
	return s
}

// setting is the key of the setting that the fault is about: tools for tools[2].
func (f fault) setting() string {
	name, _, _ := strings.Cut(f.key, "[")
	return name
}

type faults []fault

func (fs *faults) add(key, format string, args ...any) {
	*fs = append(*fs, fault{key: key, msg: fmt.Sprintf(format, args...)})
}

// joined is all of them as one error, sorted; nil for none.
func (fs faults) joined() error {
	slices.SortStableFunc(fs, func(a, b fault) int { return strings.Compare(a.Error(), b.Error()) })
	errs := make([]error, len(fs))
	for i, f := range fs {
		errs[i] = f
	}
	return errors.Join(errs...)
}
