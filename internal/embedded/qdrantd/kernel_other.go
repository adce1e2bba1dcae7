//go:build !amd64

package qdrantd

// vectorKernel is the kernel of this processor; nil where there is none.
var vectorKernel kernel

// vectorCoarse is the coarse kernel of this processor; nil where there is none.
var vectorCoarse coarseKernel
