// Package disk tells how much space a file system has, and how much of it Siltstone keeps free.
//
// There are two marks. Below the upper one ([Space.Low]) the doors take nothing new, so that what was taken can still
// be worked on; below the lower one ([Space.Reserve]) the stores refuse every write that would grow them, so that what
// they need to put in order what they have is always there. Nothing of ours writes down to the last byte.
package disk
