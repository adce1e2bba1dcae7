//go:build !linux && !darwin

package disk

// Of is [ErrUnknown] here.
func Of(string) (Space, error) { return Space{}, ErrUnknown }
