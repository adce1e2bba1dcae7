// Package disktest gives tests a disk of their own that they can fill, or whose power they can cut. It works on Linux, as
// root; a test that asks for one anywhere else is skipped and says so.
package disktest
