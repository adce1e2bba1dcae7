package qdrantd

import "math"

// coarse holds the vectors of a denseStore once more, each number in a byte: a quarter of the memory to read, and whole
// numbers are multiplied faster. What a scan learns from them is a bound that the exact inner product does not exceed, so
// that most vectors need not be read at all and the answer is the exact one.
//
// A vector v is kept as v̂ = scale·codes with the lengths of v−v̂ and of v̂. For a question q, kept as q̂ with 12 bits,
//
//	q·v = q̂·v̂ + (q−q̂)·v̂ + q·(v−v̂) ≤ q̂·v̂ + |q−q̂|·|v̂| + |q|·|v−v̂|
//
// by Cauchy and Schwarz. The lengths are rounded up, and the bound is widened by what the exact kernel may err in float32.
type coarse struct {
	width  int      // bytes of a vector: its dimension, rounded up to coarseLanes
	blocks [][]int8 // blockRows vectors each, but for the last
	scale  []float32
	off    []float32 // |v−v̂|
	length []float32 // |v̂|
}

const (
	coarseLanes = 16
	coarseMax   = 127  // of a code
	askedMax    = 2047 // of a number of the question

	// Numbers of a vector beyond coarseFar could overflow float32 in a sum of products: such a vector has no bound. Below
	// coarseNear there is nothing to divide by, and the length says it all.
	coarseFar, coarseNear = 1e15, 1e-30

	// Below this dimension there is nothing to gain; above it the whole numbers would overflow: 2047·127·8192 < 2³¹.
	coarseLeast, coarseMost = 32, 8192
)

// coarseKernel puts the inner product of q with each of count rows, which begin stride bytes apart, into out. It takes n
// numbers of each, a multiple of coarseLanes; n and count are at least 1.
type coarseKernel func(q *int16, n int, rows *int8, stride int, count int, out *int32)

// newCoarse is nil where there is no use for one.
func newCoarse(dim int) *coarse {
	if vectorCoarse == nil || dim < coarseLeast || dim > coarseMost {
		return nil
	}
	return &coarse{width: (dim + coarseLanes - 1) / coarseLanes * coarseLanes}
}

func (c *coarse) codes(slot int) []int8 {
	i := slot % blockRows * c.width
	return c.blocks[slot/blockRows][i : i+c.width]
}

// set stores v in slot, which may be the one behind the last.
func (c *coarse) set(slot int, v []float32) {
	if slot == len(c.scale) {
		c.scale, c.off, c.length = append(c.scale, 0), append(c.off, 0), append(c.length, 0)
		if slot%blockRows == 0 {
			c.blocks = append(c.blocks, nil)
		}
		last := slot / blockRows
		b := c.blocks[last]
		if len(b) == cap(b) {
			b = append(make([]int8, 0, min(max(2*len(b), 8*c.width), blockRows*c.width)), b...)
		}
		c.blocks[last] = b[:len(b)+c.width]
	}
	codes := c.codes(slot)
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	scale := most / coarseMax
	if scale < coarseNear {
		scale = 0
	}
	var per, off, length float64
	if scale > 0 {
		per = 1 / float64(scale)
	}
	for i, x := range v {
		n := math.RoundToEven(float64(x) * per)
		codes[i] = int8(n)
		kept := n * float64(scale)
		off += (float64(x) - kept) * (float64(x) - kept)
		length += kept * kept
	}
	clear(codes[len(v):])
	if most > coarseFar {
		off = math.Inf(1)
	}
	c.scale[slot], c.off[slot], c.length[slot] = scale, up(math.Sqrt(off)), up(math.Sqrt(length))
}

// move puts the last vector into slot and takes the last slot away.
func (c *coarse) move(slot int) {
	last := len(c.scale) - 1
	if slot != last {
		copy(c.codes(slot), c.codes(last))
		c.scale[slot], c.off[slot], c.length[slot] = c.scale[last], c.off[last], c.length[last]
	}
	c.scale, c.off, c.length = c.scale[:last], c.off[:last], c.length[:last]
	at := last / blockRows
	if b := c.blocks[at]; len(b) == c.width {
		c.blocks[at] = nil
		c.blocks = c.blocks[:at]
	} else {
		c.blocks[at] = b[:len(b)-c.width]
	}
}

// up is x as a float32 that is not below it.
func up(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}

// asked is a question as coarse vectors are compared with it.
type asked struct {
	codes    []int16
	scale    float64
	byOff    float64 // what a vector's off adds to the bound
	byLength float64 // what its length does
	sums     [blockRows]int32
}

func newAsked(q []float32) *asked {
	a := &asked{codes: make([]int16, (len(q)+coarseLanes-1)/coarseLanes*coarseLanes)}
	most := float32(0)
	for _, x := range q {
		most = max(most, x, -x)
	}
	if a.scale = float64(most) / askedMax; a.scale < coarseNear {
		a.scale = 0
	}
	var per, off, length float64
	if a.scale > 0 {
		per = 1 / a.scale
	}
	for i, x := range q {
		n := math.RoundToEven(float64(x) * per)
		a.codes[i] = int16(n)
		d := float64(x) - n*a.scale
		off += d * d
		length += float64(x) * float64(x)
	}
	// The exact kernel rounds each product and each of at most dim/8+11 additions by half a unit of 2⁻²³, in sum of at most
	// |q|·|v|, and |v| ≤ |v̂|+|v−v̂|. Four times that covers what is rounded here, too.
	slack := float64(len(q)/lanes+16) * math.Exp2(-22)
	if most > coarseFar {
		slack = math.Inf(1)
	}
	a.byOff = math.Sqrt(length) * (1 + slack)
	a.byLength = math.Sqrt(off) + math.Sqrt(length)*slack
	return a
}

// most is what the inner product with the vector in slot does not exceed, sum being that of the codes. It is infinite or
// no number where that cannot be said.
func (a *asked) most(c *coarse, slot int, sum int32) float64 {
	const denormal = coarseMost * coarseMost * math.SmallestNonzeroFloat32 // what products below the normal range lose
	return float64(sum)*(a.scale*float64(c.scale[slot])) + a.byOff*float64(c.off[slot]) + a.byLength*float64(c.length[slot]) + denormal
}

// block compares with count vectors of a block, from its first.
func (a *asked) block(c *coarse, block, count int) []int32 {
	vectorCoarse(&a.codes[0], c.width, &c.blocks[block][0], c.width, count, &a.sums[0])
	return a.sums[:count]
}

// one is [asked.most] of one slot.
func (a *asked) one(c *coarse, slot int) float64 {
	var sum [1]int32
	vectorCoarse(&a.codes[0], c.width, &c.codes(slot)[0], c.width, 1, &sum[0])
	return a.most(c, slot, sum[0])
}
