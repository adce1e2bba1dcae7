// Package auth keeps the tokens by which requests are let in, and tells whose they are.
//
// It guarantees that a secret stands nowhere but in the hands of whom it was made for: the file holds a hash. A file
// that cannot be read, is damaged, or lies open to others lets nobody in until it is mended, and nor does one that
// was there and is gone. Changes of the file hold within [Recheck], without a restart.
//
// It does not keep one process from overwriting what another writes at the same time: who changes the file takes a
// lock around it, as the command line does.
package auth
