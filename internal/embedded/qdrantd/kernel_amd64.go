package qdrantd

import "golang.org/x/sys/cpu"

// vectorKernel is the kernel of this processor; nil where there is none.
var vectorKernel = func() kernel {
	if cpu.X86.HasAVX {
		return dotRowsAVX
	}
	return nil
}()

// vectorCoarse is the coarse kernel of this processor; nil where there is none.
var vectorCoarse = func() coarseKernel {
	if cpu.X86.HasAVX2 {
		return dotCodesAVX2
	}
	return nil
}()

//go:noescape
func dotRowsAVX(q *float32, n int, rows *float32, stride int, count int, out *float32)

//go:noescape
func dotCodesAVX2(q *int16, n int, rows *int8, stride int, count int, out *int32)
