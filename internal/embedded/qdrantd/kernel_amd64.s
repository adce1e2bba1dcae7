#include "textflag.h"

// func dotRowsAVX(q *float32, n int, rows *float32, stride int, count int, out *float32)
//
// SI q, CX n, DI R10 R11 R12 the next four rows, BX stride in bytes, R8 rows left, DX out, AX the position in a row.
// The eight lanes of a register are the sums of dotRowsPortable, and are added in its order.
TEXT ·dotRowsAVX(SB), NOSPLIT, $0-48
	MOVQ q+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ rows+16(FP), DI
	MOVQ stride+24(FP), BX
	MOVQ count+32(FP), R8
	MOVQ out+40(FP), DX
	SHLQ $2, BX

four:
	CMPQ   R8, $4
	JLT    one
	LEAQ   (DI)(BX*1), R10
	LEAQ   (DI)(BX*2), R11
	LEAQ   (R10)(BX*2), R12
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ   AX, AX

four8:
	VMOVUPS (SI)(AX*4), Y4
	VMULPS  (DI)(AX*4), Y4, Y5
	VMULPS  (R10)(AX*4), Y4, Y6
	VMULPS  (R11)(AX*4), Y4, Y7
	VMULPS  (R12)(AX*4), Y4, Y8
	VADDPS  Y5, Y0, Y0
	VADDPS  Y6, Y1, Y1
	VADDPS  Y7, Y2, Y2
	VADDPS  Y8, Y3, Y3
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     four8

	VHADDPS      Y1, Y0, Y0 // per half: 0+1, 2+3 of two rows
	VHADDPS      Y3, Y2, Y2
	VHADDPS      Y2, Y0, Y0 // per half: (0+1)+(2+3) of four rows
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VMOVUPS      X0, (DX)
	ADDQ         $16, DX
	LEAQ         (DI)(BX*4), DI
	SUBQ         $4, R8
	JMP          four

one:
	TESTQ  R8, R8
	JZ     done
	VXORPS Y0, Y0, Y0
	XORQ   AX, AX

one8:
	VMOVUPS (SI)(AX*4), Y4
	VMULPS  (DI)(AX*4), Y4, Y5
	VADDPS  Y5, Y0, Y0
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     one8

	VHADDPS      Y0, Y0, Y0
	VHADDPS      Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDSS       X1, X0, X0
	VMOVSS       X0, (DX)
	ADDQ         $4, DX
	ADDQ         BX, DI
	DECQ         R8
	JMP          one

done:
	VZEROUPPER
	RET

// func dotCodesAVX2(q *int16, n int, rows *int8, stride int, count int, out *int32)
//
// As dotRowsAVX: SI q, CX n, DI R10 R11 R12 the next four rows, BX stride, R8 rows left, DX out, AX the position in a row.
TEXT ·dotCodesAVX2(SB), NOSPLIT, $0-48
	MOVQ q+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ rows+16(FP), DI
	MOVQ stride+24(FP), BX
	MOVQ count+32(FP), R8
	MOVQ out+40(FP), DX

cfour:
	CMPQ  R8, $4
	JLT   cone
	LEAQ  (DI)(BX*1), R10
	LEAQ  (DI)(BX*2), R11
	LEAQ  (R10)(BX*2), R12
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ  AX, AX

cfour16:
	VMOVDQU   (SI)(AX*2), Y4
	VPMOVSXBW (DI)(AX*1), Y5
	VPMOVSXBW (R10)(AX*1), Y6
	VPMOVSXBW (R11)(AX*1), Y7
	VPMOVSXBW (R12)(AX*1), Y8
	VPMADDWD  Y4, Y5, Y5
	VPMADDWD  Y4, Y6, Y6
	VPMADDWD  Y4, Y7, Y7
	VPMADDWD  Y4, Y8, Y8
	VPADDD    Y5, Y0, Y0
	VPADDD    Y6, Y1, Y1
	VPADDD    Y7, Y2, Y2
	VPADDD    Y8, Y3, Y3
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       cfour16

	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVDQU      X0, (DX)
	ADDQ         $16, DX
	LEAQ         (DI)(BX*4), DI
	SUBQ         $4, R8
	JMP          cfour

cone:
	TESTQ R8, R8
	JZ    cdone
	VPXOR Y0, Y0, Y0
	XORQ  AX, AX

cone16:
	VMOVDQU   (SI)(AX*2), Y4
	VPMOVSXBW (DI)(AX*1), Y5
	VPMADDWD  Y4, Y5, Y5
	VPADDD    Y5, Y0, Y0
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       cone16

	VPHADDD      Y0, Y0, Y0
	VPHADDD      Y0, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DX)
	ADDQ         $4, DX
	ADDQ         BX, DI
	DECQ         R8
	JMP          cone

cdone:
	VZEROUPPER
	RET
