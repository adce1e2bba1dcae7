package qdrantd

import "golang.org/x/sys/cpu"

// vectorKernel is the kernel of this processor; nil where there is none.
var vectorKernel = func() kernel {
	if cpu.X86.HasAVX {
		return dotRowsAVX
	}
	return nil
}()

//go:noescape
func dotRowsAVX(q *float32, n int, rows *float32, stride int, count int, out *float32)
